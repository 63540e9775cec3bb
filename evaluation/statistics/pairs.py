"""Pairwise comparisons of architectures, with simultaneous intervals and adjusted p-values.

`groups` has one row per architecture: architecture, n (at least 2), mean, sd. Both comparisons give one row per pair in
the order of `groups`: a, b, difference (mean of a less mean of b, in points of the scale), se, df, statistic (t), p
(adjusted), low and high (95 per cent, for all pairs together), hedges_g, hedges_g_low, hedges_g_high (95 per cent,
for this pair alone) and method. Hedges' g takes the variances as the comparison does: pooled beside Dunn-Šidák, the
mean of the two beside Games-Howell. Values that are undefined for a pair without variance are NaN.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import stats
from scipy.optimize import newton
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
    pairs = _pairs(groups, _hedges_g)
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
        pairs = _pairs(groups, _hedges_g_unpooled).assign(se=se, df=df, statistic=-difference / se, p=p)
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
        root, search = newton(
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


def _pairs(
    groups: pd.DataFrame, g_of: Callable[[dict[str, Any], dict[str, Any]], tuple[float, float, float]]
) -> pd.DataFrame:
    rows = []
    for one, other in combinations(row_dicts(groups), 2):
        effect, low, high = g_of(one, other)
        rows.append(
            {
                "a": one["architecture"],
                "b": other["architecture"],
                "difference": one["mean"] - other["mean"],
                "hedges_g": effect,
                "hedges_g_low": low,
                "hedges_g_high": high,
            }
        )
    return pd.DataFrame(rows)


def _hedges_g(one: dict[str, Any], other: dict[str, Any]) -> tuple[float, float, float]:
    # Imported here: it takes seconds.
    import pingouin

    with np.errstate(divide="ignore", invalid="ignore"):
        t, _ = stats.ttest_ind_from_stats(
            one["mean"], one["sd"], one["n"], other["mean"], other["sd"], other["n"], equal_var=True
        )
    if not np.isfinite(t):
        return np.nan, np.nan, np.nan
    sizes = {"nx": int(one["n"]), "ny": int(other["n"])}
    g = float(pingouin.compute_effsize_from_t(float(t), **sizes, eftype="hedges"))
    low, high = pingouin.compute_esci(g, **sizes, eftype="hedges", confidence=CONFIDENCE, decimals=15)
    return g, float(low), float(high)


def _hedges_g_unpooled(one: dict[str, Any], other: dict[str, Any]) -> tuple[float, float, float]:
    """Compute Hedges' g by the root of the mean variance, and its interval (Bonett, Psychological Methods 13, 2008)."""
    variances, df = np.array([one["sd"], other["sd"]]) ** 2, np.array([one["n"], other["n"]]) - 1.0
    mean = variances.mean()
    if not mean > 0:
        return np.nan, np.nan, np.nan
    d = (one["mean"] - other["mean"]) / math.sqrt(mean)
    se = math.sqrt(d**2 * (variances**2 / df).sum() / (8 * mean**2) + (variances / df).sum() / mean)
    margin = float(stats.norm.ppf(0.5 + CONFIDENCE / 2)) * se
    return d * (1 - 3 / (4 * df.sum() - 1)), d - margin, d + margin
