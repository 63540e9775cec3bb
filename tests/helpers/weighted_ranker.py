"""A ranker that ranks by weights, and notes whom it was asked to rank."""

from language_models.protocol import ModelError, Usage
from ltrha.ranking import by_score


class WeightedRanker:
    """Ranks each name by its weight (0 by default); raises when `broken`."""

    draws_order = False

    def __init__(self, weights=None, *, broken=False):
        self.weights = dict(weights or {})
        self.broken = broken
        self.calls = []

    async def rank(self, standings, *, time=0):
        self.calls.append((time, list(standings)))
        if self.broken:
            raise ModelError("the model is out")
        return by_score(standings, [self.weights.get(one.name, 0.0) for one in standings], Usage())
