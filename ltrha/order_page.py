"""The page on which a small model that was trained on scenes finds who did most for the others."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from language_models.protocol import Caller, LanguageModel
from ltrha.deeds import told
from ltrha.plain_text import first_words
from ltrha.ranking import Ranking, by_score
from ltrha.standing import Standing

_GOAL_WORDS, _GOAL_CHARACTERS = 16, 120
_NEWEST_WORDS, _OLDER_WORDS = 16, 10
_MARKS = str.maketrans("", "", '.?!:;"“”')


class PageRanker:
    """Ranks by how likely a model that was trained on scenes finds each name where a page of their deeds goes on.

    It ranks by company alone: that is what the pages ask, on which it was trained.

    Args:
        model: A model that was trained on scenes (valley_scenes/).
    """

    draws_order = False

    def __init__(self, model: LanguageModel) -> None:
        self.model = model

    async def rank(self, standings: Sequence[Standing], *, time: int = 0) -> Ranking:
        """Rank agents by the probability of their names.

        Args:
            standings: At least one agent, no two of the same name.
            time: The time step, for the transcript.

        Raises:
            ModelError: if the model gave no valid answer.
        """
        names = [standing.name for standing in standings]
        scores = await self.model.score(page(standings), names, caller=Caller(module="matrix", time=time))
        weights = np.exp(np.array(scores.values) - max(scores.values))
        return by_score(standings, (weights / weights.sum()).tolist(), scores.usage)


def page(standings: Sequence[Standing]) -> str:
    """The page; what follows is a name, or an order: "AY and LL, then SG.".

    Pages of this form are trained on (valley_scenes/make_pages.py).
    """
    return "\n".join([*map(_line, standings), "Who brought most to the others?", ""])


def _line(standing: Standing) -> str:
    """What somebody wants and did; a goal cannot end its sentence, nor words their quotation marks."""
    goal = first_words(standing.goal, _GOAL_WORDS, _GOAL_CHARACTERS).translate(_MARKS).strip()
    deeds = told(standing.deeds, _NEWEST_WORDS, _OLDER_WORDS) or "has done nothing yet"
    return f"{standing.name} wants {f'to {goal}' if goal else 'nothing in particular'}, and {deeds}."
