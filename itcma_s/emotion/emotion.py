"""Emotion: pleasure, arousal and dominance, and the levels they are read from (section 3.3, Eq. 10-12).

All three lie strictly inside (-1, 1). In floating point ``tanh`` rounds to 1 from about 19 on; the results here are
held at most ``LARGEST``, the largest float below 1, so that the open interval stays open.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from itcma_s.checks import check_emotion, check_finite, check_range

LARGEST = 1.0 - 2.0**-53
"""The largest float below 1, the upper bound of an emotion."""


def _inside(value: float) -> float:
    """Clamp a value that may have rounded to -1 or 1 strictly inside (-1, 1)."""
    return min(max(value, -LARGEST), LARGEST)


@lru_cache(maxsize=64)
def linear_weights(count: int) -> NDArray[np.float64]:
    """Return weights that grow linearly and sum to 1: w_n = 2n / (count (count + 1)) for n = 1 … count.

    With count = t - 1 these are the weights 2n / (t (t - 1)) of Eq. 11: the latest frame weighs most.

    Args:
        count: How many weights, at least 0.

    Returns:
        Shape (count,), oldest first, read-only.

    Raises:
        ValueError: if the count is negative.
    """
    if count < 0:
        raise ValueError(f"count must be at least 0, got {count!r}; pass the number of frames")
    weights = np.arange(1, count + 1, dtype=np.float64) * (2.0 / max(count * (count + 1), 1))
    weights.flags.writeable = False
    return weights


def pleasure(desire: float, pain: float) -> float:
    """Return pleasure P^t: satisfied desire less suffered pain (Eq. 10), P = tanh(desire) - tanh(pain).

    Args:
        desire: Level of satisfied desire, in [0, inf].
        pain: Level of pain, in [0, inf].

    Returns:
        A value in (-1, 1).

    Raises:
        ValueError: if a level is negative or not a number.
    """
    remedy = "desire and pain never fall below 0"
    desire = check_range("desire", desire, 0.0, math.inf, remedy)
    pain = check_range("pain", pain, 0.0, math.inf, remedy)
    return _inside(math.tanh(desire) - math.tanh(pain))


def arousal(differences: Sequence[float] | NDArray[np.float64]) -> float:
    """Return arousal A^t: how much the present differs from retention (Eq. 11).

    A = tanh(sum over n = 1 … t-1 of 2n / (t (t - 1)) diff(PI^t, re^n)).

    Args:
        differences: Shape (t - 1,), diff(PI^t, re^n) in [0, 1], oldest frame first.

    Returns:
        A value in [0, tanh(1)].

    Raises:
        ValueError: if the shape is not one-dimensional or a difference lies outside [0, 1].

    Departs from the paper: at t = 1, where nothing is retained and Eq. 11 divides by 0, arousal is 0.
    """
    values = np.asarray(differences, dtype=np.float64)
    if values.ndim != 1:
        raise ValueError(f"differences must be one-dimensional, got shape {values.shape}; pass one per retained frame")
    if not np.all((values >= 0.0) & (values <= 1.0)):
        raise ValueError(f"differences must lie in [0, 1], got {values.tolist()}; use itcma_s.fields.phenomenal_field")
    return _inside(math.tanh(float(linear_weights(len(values)) @ values)))


def dominance(difference: float) -> float:
    """Return dominance D^t, the difference of prediction and present (Eq. 12), D = tanh(diff(PI^t, Pro^(t-1))).

    Args:
        difference: diff(PI^t, Pro^(t-1)) in [0, 1], Pro^(t-1) being the protention of the action actually taken.

    Returns:
        A value in [0, tanh(1)].

    Raises:
        ValueError: if the difference lies outside [0, 1].
    """
    return _inside(math.tanh(check_range("difference", difference, 0.0, 1.0, "use itcma_s.fields.phenomenal_field")))


def emotional_intensity(pleasure: float, arousal: float, dominance: float) -> float:
    """Return emotional intensity |PAD|: the Euclidean length of the emotion (section 3.2.2).

    Args:
        pleasure: In (-1, 1).
        arousal: In (-1, 1).
        dominance: In (-1, 1).

    Returns:
        A value in [0, sqrt(3)).

    Raises:
        ValueError: if an emotion lies outside (-1, 1).
    """
    return math.hypot(
        check_emotion("pleasure", pleasure), check_emotion("arousal", arousal), check_emotion("dominance", dominance)
    )


def leak(level: float, gain: float, decay: float) -> float:
    """Return a level of desire or pain after one step: decay * level + gain.

    The paper leaves desire and pain to the application. A level that leaks forgets: without it pleasure sticks to
    the end of its range and carries no information.

    Args:
        level: The level before, finite and >= 0.
        gain: What this step adds, finite and >= 0.
        decay: The share of the level that stays, in [0, 1]; 0 forgets at once, 1 never.

    Returns:
        The level now, >= 0.

    Raises:
        ValueError: if a value lies outside its range.
    """
    remedy = "levels and gains are finite and never fall below 0"
    level = check_range("level", check_finite("level", level), 0.0, math.inf, remedy)
    gain = check_range("gain", check_finite("gain", gain), 0.0, math.inf, remedy)
    return check_range("decay", decay, 0.0, 1.0, "it is the share of the level that stays") * level + gain
