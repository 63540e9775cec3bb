"""P-values from permutations."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

Alternative = Literal["greater", "less"]


def p_value(observed: float, permuted: ArrayLike, alternative: Alternative = "greater") -> float:
    """The probability of a statistic at least as extreme under a null model: (1 + b) / (1 + m).

    What was observed counts as one of the permutations, so that no p-value is 0 and none is too small (Davison and
    Hinkley 1997, section 4.2; Phipson and Smyth 2010).

    Args:
        observed: The statistic; if it is not a number, nor is the p-value.
        permuted: The same under the null model, shape (m,). Where it is not defined it counts as extreme.
        alternative: Whether large or small values are extreme.

    Returns:
        In [1 / (1 + m), 1], or not a number.
    """
    if np.isnan(observed):
        return np.nan
    values = np.asarray(permuted, dtype=np.float64)
    # Sums of the same numbers in another order differ in the last digits; they are ties.
    slack = 1e-9 * max(1.0, abs(observed))
    milder = values < observed - slack if alternative == "greater" else values > observed + slack
    return float((1 + np.sum(~milder)) / (1 + values.size))
