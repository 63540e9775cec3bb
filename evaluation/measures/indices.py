"""Indices that several measures share: shares, probability of superiority, entropy, mutual information, Gini."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats


def entropy(counts: ArrayLike) -> float:
    """Shannon entropy of counts, in bits (Shannon 1948).

    Args:
        counts: At least 0 each.

    Returns:
        From 0 to log2 of the number of counts above 0; not a number if all are 0.
    """
    values = np.asarray(counts, dtype=np.float64)
    return float(stats.entropy(values, base=2)) if values.sum() > 0 else np.nan


def mutual_information(table: ArrayLike) -> float:
    """Mutual information between the rows and the columns of a table of counts, in bits.

    Args:
        table: Counts of shape (rows, columns), at least 0 each.

    Returns:
        At least 0; not a number if all are 0.
    """
    counts = np.asarray(table, dtype=np.float64)
    whole = entropy(counts.ravel())
    return max(entropy(counts.sum(axis=1)) + entropy(counts.sum(axis=0)) - whole, 0.0) if counts.sum() > 0 else np.nan


def share(count: float, total: float) -> float:
    """Divide a count by a total.

    Args:
        count: At least 0.
        total: At least `count`.

    Returns:
        In [0, 1]; not a number if `total` is 0.
    """
    return count / total if total else np.nan


def superiority(value: float, others: ArrayLike) -> float:
    """Probability of superiority: the share of `others` below `value`, ties counting half (McGraw and Wong 1992).

    Args:
        value: The value to compare.
        others: Shape (n,), in any order.

    Returns:
        In [0, 1], 0.5 by chance; not a number if n is 0.
    """
    values = np.asarray(others, dtype=np.float64)
    # Cosines of the same two texts may differ in the last digits.
    ties = np.isclose(values, value, rtol=0, atol=1e-9)
    return float(((values < value) & ~ties).mean() + 0.5 * ties.mean()) if values.size else np.nan


def gini(values: ArrayLike) -> float:
    """Gini coefficient of values that may be negative (Raffinetti, Siletti and Vernizzi 2015).

    The sum of |x_i - x_j| over all pairs, divided by (n - 1) times the sum of |x_i|, which is its maximum for given
    totals of positive and of negative values. For values of at least 0 it is the usual
    coefficient with its correction for small samples, n / (n - 1).

    Args:
        values: Shape (n,).

    Returns:
        In [0, 1]: 0 if all are equal (all 0 too), 1 if one holds all there is and another owes all debts; not a number
        for fewer than two values.
    """
    x = np.sort(np.asarray(values, dtype=np.float64))
    n = x.size
    if n < 2:
        return np.nan
    total = np.abs(x).sum()
    # In ascending order the gap after x_i lies within i + 1 times n - 1 - i pairs. No term is below 0, so that no
    # rounding takes the sum there.
    below = np.arange(1, n)
    return float((below * (n - below)) @ np.diff(x) / ((n - 1) * total)) if total > 0 else 0.0
