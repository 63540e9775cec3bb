"""A limit on the cost of a run, checked between its time steps."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping

from evaluation.runs.config_parts import LimitsConfig
from evaluation.runs.costs import cost_of, uncounted
from language_models.prices import Price, price_of
from language_models.transcript.transcript import Transcript

NOT_REPORTED = "reports no tokens"
"""What is said of a server whose answers do not tell what they cost."""

GROWTH = 1.5
"""How much more than the costliest step so far the next one may cost: conversations and memories grow."""


class Budget:
    """Compare what a run has spent with its limits.

    A run ends before a step that could go beyond a limit: one that costs half as much again as the costliest so far.
    Nothing is cut off within a step, so that no answer is missing in a record. The first step is taken in any
    case. A run also ends after the first step in which a server did not say what an answer cost.
    """

    def __init__(self, limits: LimitsConfig, transcript: Transcript, prices: Mapping[str, Price]) -> None:
        """Start counting from what the transcript holds."""
        self._limits = limits
        self._transcript = transcript
        self._prices = prices
        self.count_step()

    def count_step(self) -> None:
        """Add the cost of the step that just ended."""
        self._spent, self._costliest = self._sum()
        self._silent = [] if not self._limits.any else uncounted(self._transcript)

    @property
    def exhausted(self) -> str:
        """Say why no further step fits the limits; empty while one does."""
        if self._silent:
            return f"the server of {self._silent[0]} {NOT_REPORTED}, so that no limit on them or their cost can be kept"
        kinds = ((self._limits.max_tokens, "{:,.0f} tokens"), (self._limits.max_cost, "${:,.4f}"))
        for (limit, form), spent, step in zip(kinds, self._spent, self._costliest, strict=True):
            if limit is not None and (spent >= limit or (step > 0 and spent + GROWTH * step > limit)):
                took = f", and a step has taken up to {form.format(step)}" if step else ""
                return f"{form.format(spent)} of at most {form.format(limit)} are spent{took}"
        return ""

    def _sum(self) -> tuple[tuple[float, float], tuple[float, float]]:
        """Sum tokens and dollars of all steps, with those repeated after a kill, and of the costliest step."""
        tokens: defaultdict[int, float] = defaultdict(float)
        dollars: defaultdict[int, float] = defaultdict(float)
        if self._limits.any:
            for time, model, prompt, cached, generated in self._transcript.costs.tokens_by_step():
                tokens[time] += prompt + generated
                if (price := price_of(model, self._prices)) is not None:
                    dollars[time] += price.of(prompt, cached, generated)
        rewound = [] if not self._limits.any else self._transcript.costs.rewound()
        spent = (
            math.fsum([*tokens.values(), *(one.tokens for one in rewound)]),
            math.fsum([*dollars.values(), *(cost_of([one], self._prices) or 0.0 for one in rewound)]),
        )
        return spent, (max(tokens.values(), default=0.0), max(dollars.values(), default=0.0))


def new_limits(before: LimitsConfig, given: LimitsConfig | None, *, keep: bool) -> LimitsConfig:
    """Return the limits of a resumed run.

    Args:
        before: The limits that it had.
        given: Other limits.
        keep: Whether a limit stays for which no other is given.
    """
    limits = LimitsConfig() if given is None else given
    return limits.over(before) if keep else limits
