"""Confidence intervals of shares in the benchmarks' tables."""

from __future__ import annotations

from evaluation.records.numbers import wilson_interval


def wilson(hits: float, of: int) -> tuple[float, float]:
    """Return Wilson's 95 per cent interval of the share `hits / of`, each end in [0, 1] and rounded to three places."""
    low, high = wilson_interval(hits, of)
    return round(low, 3), round(high, 3)
