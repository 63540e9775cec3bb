"""A language model that only chooses, with weights given per option."""

from __future__ import annotations

from language_models.protocol import Choice, ModelError, Usage


class ChoosingModel:
    """Gives each option its weight (1 by default), normalised; raises when `broken`."""

    name = "choosing"

    def __init__(self, weights=None, *, broken=False):
        self.weights = dict(weights or {})
        self.broken = broken
        self.calls = []

    async def choose(self, prompt, options, *, caller, query="", descriptions=()):
        self.calls.append(
            {"prompt": prompt, "options": options, "caller": caller, "query": query, "descriptions": descriptions}
        )
        if self.broken:
            raise ModelError("the model is out")
        weights = [self.weights.get(option, 1.0) for option in options]
        shares = tuple(weight / sum(weights) for weight in weights)
        return Choice(option=options[shares.index(max(shares))], probabilities=shares, usage=Usage())
