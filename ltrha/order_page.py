"""The page on which a small model that was trained on scenes finds who did most for the others."""

from __future__ import annotations

from collections.abc import Sequence

from ltrha.deeds import told
from ltrha.plain_text import first_words
from ltrha.standing import Standing

_GOAL_WORDS, _GOAL_CHARACTERS = 16, 120
_NEWEST_WORDS, _OLDER_WORDS = 16, 10
_MARKS = str.maketrans("", "", '.?!:;"“”')


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
