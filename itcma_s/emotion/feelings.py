"""A resident's emotional state: persistent levels, and the present emotion and driver (section 3.3)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from itcma_s.emotion.appraisal import AppraisalWeights, explained, feel
from itcma_s.emotion.driver import DriverWeights, demand, driver, driver_bias, itcma_driver
from itcma_s.emotion.emotion import arousal, dominance, pleasure


@dataclass(slots=True)
class Feelings:
    """The emotional state of a resident; all zero at first.

    Attributes:
        desire: Level of satisfied desire, >= 0.
        pain: Level of pain, >= 0.
        arousal: A^t of the last step, in (-1, 1).
        bias: d_bias^t of the last step (Eq. 13), in [-1, 1].
        driver: d^t (Eq. 15).
        emotion: P^t, A^t, D^t of the last step (Eq. 10-12).
        explanation: Each contribution to desire and pain in the last step -> its value.
    """

    desire: float = 0.0
    pain: float = 0.0
    arousal: float = 0.0
    bias: float = 0.0
    driver: float = 0.0
    emotion: tuple[float, float, float] = (0.0, 0.0, 0.0)
    explanation: dict[str, float] = field(default_factory=dict)

    def feel(
        self,
        terms: Mapping[str, float],
        changes: Sequence[float],
        surprise: float | None,
        *,
        weights: AppraisalWeights,
        driver_weights: DriverWeights,
        as_itcma: bool = False,
    ) -> tuple[float, float, float]:
        """Update pleasure, arousal and dominance (Eq. 10-12) and the driver (Eq. 13-15) for a step.

        Args:
            terms: Event -> its value.
            changes: diff(PI^t, re^n) of each retained frame, oldest first.
            surprise: diff(PI^t, Pro^(t-1)); None without a prediction.
            weights: The decays of desire and pain.
            driver_weights: omega_P, omega_A, omega_D.
            as_itcma: Whether the driver is ITCMA's, a sum.

        Returns:
            P^t, A^t, D^t.

        Departs from the paper: without a prediction, at the first step and after a failed one, Eq. 12 has no Pro^(t-1),
        and D^t is 0.
        """
        self.explanation = explained(self.desire, self.pain, terms, weights)
        self.desire, self.pain = feel(self.desire, self.pain, terms, weights)
        p, a = pleasure(self.desire, self.pain), arousal(changes)
        d = dominance(surprise) if surprise is not None else 0.0
        if as_itcma:
            self.driver = itcma_driver(self.driver, p, a, d, driver_weights)
        else:
            bias = driver_bias(p, a, d, self.arousal, driver_weights)
            self.driver = driver(self.driver, demand(bias, self.bias), bias)
            self.bias = bias
        self.arousal = a
        self.emotion = p, a, d
        return self.emotion

    def get_state(self) -> list[float]:
        """Return the levels: desire, pain, arousal, bias, driver."""
        return [self.desire, self.pain, self.arousal, self.bias, self.driver]

    @classmethod
    def from_state(cls, levels: Sequence[float]) -> Feelings:
        """Return the feelings with levels from ``get_state``.

        Raises:
            ValueError: if these are not 5 finite numbers.
        """
        if len(levels) != 5 or not all(map(math.isfinite, levels)):
            raise ValueError(f"levels of feelings must be 5 finite numbers, got {list(levels)}")
        desire, pain, aroused, bias, driven = map(float, levels)
        return cls(desire=desire, pain=pain, arousal=aroused, bias=bias, driver=driven)


def in_words(emotion: tuple[float, float, float]) -> str:
    """Describe pleasure, arousal and dominance in a few words, such as "happy and curious"."""
    p, a, d = emotion
    first = ["happy"] if p > 0.5 else ["content"] if p > 0.1 else ["unhappy"] if p < -0.1 else []
    second = ["excited"] if a > 0.4 else ["curious"] if a > 0.15 else ["calm"]
    *feelings, last = [*first, *second, *(["surprised"] if d > 0.3 else [])]
    return f"{', '.join(feelings)} and {last}" if feelings else last
