"""Validation of numbers, with errors that name the value and the remedy, and a reproducible sum."""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import reduce
from operator import add


def check_range(label: str, value: float, low: float, high: float, remedy: str) -> float:
    """Return a value that lies in [low, high], both ends included.

    Args:
        label: What the value is, for the message.
        value: The value.
        low: Lower end.
        high: Upper end; infinity allows infinity.
        remedy: What to do about a value outside, for the message.

    Raises:
        TypeError: if the value is not a number.
        ValueError: if it is NaN or lies outside.
    """
    if not low <= _number(label, value) <= high:
        raise ValueError(f"{label} must lie in [{low:g}, {high:g}], got {value!r}; {remedy}")
    return float(value)


def check_finite(label: str, value: float) -> float:
    """Return a finite value.

    Raises:
        ValueError: if the value is infinite or not a number.
    """
    if not math.isfinite(_number(label, value)):
        raise ValueError(f"{label} must be a finite number, got {value!r}; check what it was computed from")
    return float(value)


def check_emotion(label: str, value: float) -> float:
    """Return an emotional value that lies strictly inside (-1, 1).

    Raises:
        ValueError: if it does not.
    """
    if not -1.0 < _number(label, value) < 1.0:
        raise ValueError(f"{label} must lie in (-1, 1), got {value!r}; itcma_s.pleasure, arousal and dominance do")
    return float(value)


def _number(label: str, value: float) -> float:
    if not hasattr(value, "__float__"):
        raise TypeError(f"{label} must be a number, got {value!r}")
    return value


def added(values: Iterable[float]) -> float:
    """Return the sum of numbers, added in their order.

    Python's own ``sum`` rounds differently from 3.12 on; emotions must be the same on every version of Python.
    """
    return reduce(add, values, 0.0)
