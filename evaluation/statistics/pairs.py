"""Pairwise comparisons of architectures, with simultaneous intervals and adjusted p-values.

`groups` has one row per architecture: architecture, n (at least 2), mean, sd. Both comparisons give one row per pair in
the order of `groups`: a, b, difference (mean of a less mean of b, in points of the scale), se, df, statistic (t), p
(adjusted), low and high (95 per cent, for all pairs together), hedges_g, hedges_g_low, hedges_g_high (95 per cent,
for this pair alone) and method. Hedges' g takes the variances as the comparison does: pooled for each pair beside
Dunn-Šidák, the mean of the two beside Games-Howell. Values that are undefined for a pair without variance are NaN.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import optimize, special, stats
from statsmodels.sandbox.stats.multicomp import tukeyhsd
from statsmodels.stats.multitest import multipletests

from evaluation.records.numbers import row_dicts
from evaluation.statistics.omnibus import CONFIDENCE


def sidak(p: NDArray[np.float64]) -> tuple[NDArray[np.float64], float]:
    """Adjust p-values for their number, and return them with the level of each test for 5 per cent overall."""
    # The logarithm of 1 - p is infinite for equal means; the adjusted p-value is 1 all the same.
    with np.errstate(divide="ignore"):
        _, corrected, level, _ = multipletests(p, alpha=1 - CONFIDENCE, method="sidak")
    return corrected, float(level)


def dunn_sidak(groups: pd.DataFrame) -> pd.DataFrame:
    """Compare by t tests with the variance pooled over all groups, adjusted by Šidák's inequality."""
    n, sd = groups["n"].to_numpy(float), groups["sd"].to_numpy(float)
    df = (n - 1).sum()
    variance = ((n - 1) * sd**2).sum() / df
    pairs = _pairs(groups, pooled=True)
    first, second = np.triu_indices(len(groups), 1)
    se = np.sqrt(variance * (1 / n[first] + 1 / n[second]))
    with np.errstate(divide="ignore", invalid="ignore"):
        statistic = pairs["difference"] / se
    p, alpha = sidak(2 * stats.t.sf(np.abs(statistic), df))
    low, high = stats.t.interval(1 - alpha, df, loc=pairs["difference"], scale=se)
    return pairs.assign(se=se, df=df, statistic=statistic, p=p, low=low, high=high, method="dunn-sidak")


def games_howell(groups: pd.DataFrame) -> pd.DataFrame:
    """Compare by studentized range tests with each pair's own variances (P. Games and J. Howell, 1976)."""
    mean, sd, n = (groups[column].to_numpy(float) for column in ("mean", "sd", "n"))
    with np.errstate(divide="ignore", invalid="ignore"):
        # statsmodels' critical values are the same and take much longer; ``_studentized_range`` replaces them.
        _, _, difference, half_se, _, _, df, _, p = tukeyhsd(mean, n, sd**2, q_crit=np.nan)
        # statsmodels takes the second mean less the first, and scales by the standard error over the root of 2.
        se = half_se * np.sqrt(2)
        pairs = _pairs(groups, pooled=False).assign(se=se, df=df, statistic=-difference / se, p=p)
    margin = half_se * _studentized_range(len(groups), df)
    return pairs.assign(low=pairs["difference"] - margin, high=pairs["difference"] + margin, method="games-howell")


def _studentized_range(k: int, df: np.ndarray) -> np.ndarray:
    """Compute critical values for k groups by scipy's search from a close start, as each step takes many integrals.

    Šidák's critical value is a little too large, by a part that hardly changes with df.
    """
    critical, part = np.full(len(df), np.nan), 0.98
    sidak = 1 - CONFIDENCE ** (1 / math.comb(k, 2))
    for index in np.argsort(df):
        if not np.isfinite(df[index]):
            continue
        bound = math.sqrt(2) * float(stats.t.isf(sidak / 2, df[index]))
        start = part * bound
        root, search = optimize.newton(
            lambda q, nu: stats.studentized_range.cdf(q, k, nu) - CONFIDENCE,
            start,
            x1=start * (1 + 1e-4),
            args=(df[index],),
            tol=1e-10,
            full_output=True,
            disp=False,
        )
        critical[index] = root if search.converged else stats.studentized_range.ppf(CONFIDENCE, k, df[index])
        part = critical[index] / bound
    return critical


def _pairs(groups: pd.DataFrame, *, pooled: bool) -> pd.DataFrame:
    rows = [
        (a["architecture"], b["architecture"], a["mean"] - b["mean"], *hedges_g(a, b, pooled=pooled))
        for a, b in combinations(row_dicts(groups), 2)
    ]
    return pd.DataFrame(rows, columns=["a", "b", "difference", "hedges_g", "hedges_g_low", "hedges_g_high"])


def hedges_g(one: Mapping[str, Any], other: Mapping[str, Any], *, pooled: bool) -> tuple[float, float, float]:
    """Compute Hedges' g and its 95 per cent interval, as R's ``effectsize::hedges_g(pooled_sd = ...)`` does.

    The difference of means is divided by the root of the pooled variance, or of the mean of the two variances with
    Welch's degrees of freedom (M. Delacre, D. Lakens, C. Ley, L. Liu and C. Leys, "Why Hedges' g*s based on the
    non-pooled standard deviation should be reported with Welch's t-test", 2021). The correction of bias is the exact
    one (L. Hedges, Journal of Educational Statistics 6, 1981); the limits are those of the noncentral t distribution.

    Args:
        one: mean, sd and n of a group.
        other: Those of the other group.
        pooled: Whether to pool the variances.

    Returns:
        g, low and high; not numbers if neither group varies.
    """
    n, variances = np.array([one["n"], other["n"]], dtype=float), np.array([one["sd"], other["sd"]]) ** 2
    if not variances.any():
        return np.nan, np.nan, np.nan
    if pooled:
        df = n.sum() - 2
        variance = ((n - 1) * variances).sum() / df
        se = math.sqrt(variance * (1 / n).sum())
    else:
        variance, parts = variances.mean(), variances / n
        se = math.sqrt(parts.sum())
        df = se**4 / (parts**2 / (n - 1)).sum()
    correction = math.exp(math.lgamma(df / 2) - math.lgamma((df - 1) / 2)) / math.sqrt(df / 2) if df > 1 else np.nan
    difference, scale = one["mean"] - other["mean"], correction / math.sqrt(variance)
    low, high = (_noncentrality_of_t(difference / se, df, 0.5 + sign * CONFIDENCE / 2) for sign in (1, -1))
    return difference * scale, low * se * scale, high * se * scale


def _noncentrality_of_t(statistic: float, df: float, probability: float) -> float:
    """Solve for the noncentrality at which t is at most the statistic with a given probability, from .01 to .99."""
    if statistic < 0:
        return -_noncentrality_of_t(-statistic, df, 1 - probability)

    def excess(noncentrality: float) -> float:
        return float(special.nctdtr(df, noncentrality, statistic)) - probability

    # At -3, t is at most 0 with a probability above .99.
    most = statistic + 10
    while excess(most) > 0:
        most *= 2
    return float(optimize.brentq(excess, -3.0, most, xtol=1e-10)) if np.isfinite(excess(most)) else np.nan
