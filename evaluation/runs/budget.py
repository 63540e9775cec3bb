"""A limit on what a run may cost, held between its time steps."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from evaluation.runs.costs import cost_of, uncounted
from language_models.prices import Price, price_of
from language_models.transcript.transcript import Transcript

NOT_REPORTED = "reports no tokens"
"""What is said of a server whose answers do not tell what they cost."""

GROWTH = 1.5
"""How much more than the costliest step so far the next one may cost: conversations and memories grow."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Limits:
    """The most that a run may take.

    Attributes:
        max_tokens: Tokens, prompt and generated; None for no limit.
        max_cost: US dollars; None for no limit.

    Raises:
        ValueError: if a limit is no finite number above 0.
    """

    max_tokens: int | None = None
    max_cost: float | None = None

    def __post_init__(self) -> None:
        for label, value in (("max-tokens", self.max_tokens), ("max-cost", self.max_cost)):
            if value is not None and not (math.isfinite(value) and value > 0):
                raise ValueError(f"{label} must be a finite number above 0, got {value:g}")

    def to_json(self) -> dict[str, Any]:
        """A JSON-ready dictionary."""
        return asdict(self)

    def over(self, others: Limits) -> Limits:
        """These limits, with those of others where these have none."""
        return Limits(**{**others.to_json(), **{key: one for key, one in self.to_json().items() if one is not None}})

    def check_prices(self, models: Iterable[str], prices: Mapping[str, Price]) -> None:
        """Check that the cost of these models can be known, if it is limited.

        Raises:
            ValueError: for a model without a price.
        """
        if self.max_cost is None:
            return
        for model in models:
            if price_of(model, prices) is None:
                raise ValueError(
                    f"max-cost needs the price of {model!r}, which is not known; give it with --prices FILE"
                )


class Budget:
    """What a run has spent, against its limits.

    A run ends before a step that could go beyond a limit: one that costs half as much again as the costliest so far.
    Nothing is cut off within a step, so that no answer is missing in a record. The first step is taken in any
    case. A run also ends after the first step in which a server did not say what an answer cost.
    """

    def __init__(self, limits: Limits, transcript: Transcript, prices: Mapping[str, Price]) -> None:
        """Begin to count, from what the transcript holds."""
        self._limits = limits
        self._transcript = transcript
        self._prices = prices
        self.count_step()

    def count_step(self) -> None:
        """Take in what the step that is over has cost."""
        self._spent, self._costliest = self._sum()
        self._silent = [] if self._limits == Limits() else uncounted(self._transcript)

    @property
    def exhausted(self) -> str:
        """Why no step can follow; empty while one can."""
        if self._silent:
            return f"the server of {self._silent[0]} {NOT_REPORTED}, so that no limit on them or their cost can be kept"
        kinds = ((self._limits.max_tokens, "{:,.0f} tokens"), (self._limits.max_cost, "${:,.4f}"))
        for (limit, form), spent, step in zip(kinds, self._spent, self._costliest, strict=True):
            if limit is not None and (spent >= limit or (step > 0 and spent + GROWTH * step > limit)):
                took = f", and a step has taken up to {form.format(step)}" if step else ""
                return f"{form.format(spent)} of at most {form.format(limit)} are spent{took}"
        return ""

    def _sum(self) -> tuple[tuple[float, float], tuple[float, float]]:
        """Tokens and dollars of all steps, those taken again after a kill included, and of the costliest one."""
        tokens: defaultdict[int, float] = defaultdict(float)
        dollars: defaultdict[int, float] = defaultdict(float)
        if self._limits != Limits():
            for time, model, prompt, cached, generated in self._transcript.costs.tokens_by_step():
                tokens[time] += prompt + generated
                if (price := price_of(model, self._prices)) is not None:
                    dollars[time] += price.of(prompt, cached, generated)
        rewound = [] if self._limits == Limits() else self._transcript.costs.rewound()
        spent = (
            math.fsum([*tokens.values(), *(one.tokens for one in rewound)]),
            math.fsum([*dollars.values(), *(cost_of([one], self._prices) or 0.0 for one in rewound)]),
        )
        return spent, (max(tokens.values(), default=0.0), max(dollars.values(), default=0.0))


def limits_of(manifest: Mapping[str, Any]) -> Limits:
    """The limits that a run has."""
    return Limits(**manifest.get("limits", {}))


def new_limits(manifest: Mapping[str, Any], given: Limits | None, *, keep: bool) -> Limits:
    """The limits with which a run goes on.

    Args:
        manifest: Of the run.
        given: Other limits than those it has.
        keep: Whether a limit stays for which no other is given.
    """
    limits = Limits() if given is None else given
    return limits.over(limits_of(manifest)) if keep else limits
