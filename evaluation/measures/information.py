"""Entropies of counts, in bits."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats


def entropy(counts: ArrayLike) -> float:
    """Shannon entropy of the distribution that counts make, in bits (Shannon 1948).

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
