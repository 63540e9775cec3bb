"""Ranking without a language model: formulas over sentence embeddings, topics and resources."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from irollan_env.actions import SILENCE, Action
from irollan_env.hints import check_choice
from language_models.prefetching import prefetch
from language_models.protocol import Embedder, Usage
from ltrha.parameters import RankingWeights
from ltrha.plain_text import first_words
from ltrha.ranking import RankBy, Ranking, Standing, by_score

COMPANY = "friendly people who talk with each other, share things and do something together"
"""Text that deeds are compared with under the criterion "company"."""
KIND, UNKIND = "Thank you, you are kind and good.", "You are stupid and useless."
_MOST_WORDS, _MOST_CHARACTERS = 60, 400


@dataclass(frozen=True, kw_only=True, slots=True)
class Merits:
    """Unweighted terms of one agent's score; see ``RankingWeights``."""

    deed: float
    tone: float
    topic: float
    resources: float

    def weighed(self, weights: RankingWeights) -> float:
        """Return the weighted sum; every term but resources raises the rank."""
        return (
            weights.deed * self.deed
            + weights.tone * self.tone
            + weights.topic * self.topic
            - weights.resources * self.resources
        )


class LikenessRanker:
    """Ranks agents by what they did and said, the topic of their place, and their share of resources.

    With all else equal, an agent in a place of a higher topic ranks higher, and so does one who thanks before one who
    insults. A filtered action counts as if it had been carried out: the agent is not to blame.

    Args:
        embedder: Compares sentences.
        rank_by: See ``RankBy``.
        weights: Weights of the terms.

    Raises:
        ValueError: for an unknown criterion.

    Departs from the paper: it has a language model rank, and here sentence embeddings are compared, since a small
    model's ranking does not follow its prompt.
    """

    draws_order = False

    def __init__(
        self, embedder: Embedder, *, rank_by: str = RankBy.GOALS, weights: RankingWeights | None = None
    ) -> None:
        self.embedder = embedder
        self.rank_by = check_choice("rank_by", rank_by, RankBy)
        self.weights = weights if weights is not None else RankingWeights()

    async def rank(self, standings: Sequence[Standing], *, time: int = 0) -> Ranking:
        """Rank agents, without a call of a language model.

        Args:
            standings: At least one agent, no two of the same name.
            time: Ignored.
        """
        scores = [merits.weighed(self.weights) for merits in await self.merits(standings)]
        return by_score(standings, scores, Usage())

    async def merits(self, standings: Sequence[Standing]) -> list[Merits]:
        """Return the terms of each agent's score, in the order given."""
        told = [(self._counts(one), _deed(one), _said(one)) for one in standings]
        texts = sorted({text for some in told for text in some if text} | {KIND, UNKIND})
        await prefetch(self.embedder, texts)
        vectors = dict(zip(texts, self.embedder.embed(texts).astype(np.float64), strict=True))

        def cosine(first: str, second: str) -> float:
            return float(vectors[first] @ vectors[second]) if first and second else 0.0

        return [
            Merits(
                deed=cosine(counts, deed),
                tone=cosine(said, KIND) - cosine(said, UNKIND),
                topic=one.topic,
                resources=one.share,
            )
            for one, (counts, deed, said) in zip(standings, told, strict=True)
        ]

    def _counts(self, standing: Standing) -> str:
        return COMPANY if self.rank_by is RankBy.COMPANY else _cut(standing.goal)


def _deed(standing: Standing) -> str:
    """Describe the agent's deed of this step, also a filtered one; empty where it did nothing."""
    return standing.deeds[-1].wanted(_MOST_WORDS) if standing.deeds else ""


def _said(standing: Standing) -> str:
    """Return what it said in this step, or would have said."""
    if not standing.deeds or not standing.deeds[-1].wanted(0):
        return ""
    action = standing.deeds[-1].action
    return _cut(action.words) if isinstance(action, Action) and action.words != SILENCE else ""


def _cut(text: str) -> str:
    return first_words(text, _MOST_WORDS, _MOST_CHARACTERS) if text.strip() else ""
