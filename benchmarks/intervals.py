"""Confidence intervals of shares, which the benchmarks of choosing and foretelling give."""

from __future__ import annotations


def wilson(hits: float, of: int) -> tuple[float, float]:
    """Wilson's 95 % interval of a share, each end in [0, 1] and rounded to three places.

    Args:
        hits: How many; a fraction where some count in part.
        of: Of how many, at least 1.
    """
    # It takes seconds to import, which whoever asks for --help should not wait for.
    from statsmodels.stats.proportion import proportion_confint

    low, high = proportion_confint(hits, of, method="wilson")
    return round(float(low), 3), round(float(high), 3)
