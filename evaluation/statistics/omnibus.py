"""Descriptives and omnibus tests: means, Levene's test, ANOVA and its variants, omega squared."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from scipy import special, stats
from scipy.optimize import brentq
from statsmodels.stats.oneway import _fstat2effectsize, anova_generic

from evaluation.rating.rating_scale import DIMENSIONS, ordered
from evaluation.runs.architectures import ARCHITECTURES

CONFIDENCE = 0.95
ALPHA = 0.05


def describe(ratings: pd.DataFrame) -> pd.DataFrame:
    """Compute size, mean, standard deviation, standard error and interval of each group.

    Args:
        ratings: Columns architecture, dimension, rating.

    Returns:
        One row per dimension and architecture, in the paper's order: dimension, architecture, n, mean, sd (with n - 1),
        se, median, and low and high, the 95 per cent t interval of the mean. Missing sd, se and
        interval for a group of one.
    """
    groups = ratings.groupby(["dimension", "architecture"], sort=False)["rating"]
    table = groups.agg(n="size", mean="mean", sd="std", median="median").reset_index()
    return with_intervals(table.assign(se=table["sd"] / np.sqrt(table["n"])))


def with_intervals(table: pd.DataFrame) -> pd.DataFrame:
    """Add low and high, the 95 per cent t interval of the mean, and put the rows in the paper's order.

    Args:
        table: Columns dimension, architecture, n, mean, se, and others, which are kept.
    """
    dimensions = ordered(table["dimension"], DIMENSIONS)
    architectures = ordered(table["architecture"], tuple(ARCHITECTURES))
    place = table["dimension"].map(dimensions.index) * len(architectures) + table["architecture"].map(
        architectures.index
    )
    table = table.loc[place.sort_values(kind="stable").index].reset_index(drop=True)
    margin = table["se"] * stats.t.ppf(0.5 + CONFIDENCE / 2, np.maximum(table["n"] - 1, 1))
    return table.assign(low=table["mean"] - margin, high=table["mean"] + margin)


def levene(ratings: pd.DataFrame) -> dict[str, Any]:
    """Levene's test of equal variances, on distances from the group means.

    Args:
        ratings: Ratings of one dimension, with the columns architecture, rating; at least two groups.

    Returns:
        statistic, df1, df2 and p; not numbers if the distances within every group are equal, as in groups of two.
    """
    groups = [group.to_numpy() for _, group in ratings.groupby("architecture")["rating"]]
    with np.errstate(invalid="ignore", divide="ignore"):
        result = stats.levene(*groups, center="mean")
    n = sum(map(len, groups))
    defined = np.isfinite(result.statistic) and max(map(len, groups)) > 2
    return {
        "statistic": float(result.statistic) if defined else np.nan,
        "df1": len(groups) - 1,
        "df2": n - len(groups),
        "p": float(result.pvalue) if defined else np.nan,
    }


TESTS = {"anova": "equal", "brown-forsythe": "bf", "welch": "unequal"}


def omnibus(groups: pd.DataFrame) -> pd.DataFrame:
    """Test that all architectures have the same mean.

    Returns:
        statistic, df1, df2, p for each of: anova, the standard F test; brown-forsythe, F* for means under unequal
        variances (M. Brown and A. Forsythe, Technometrics 16, 1974; df1 is the number of groups less 1, as there and
        in SPSS); welch (B. Welch, Biometrika 38, 1951). Not a number where a test is not defined: Welch's, where a
        group has no variance.
    """
    rows = {}
    for name, use_var in TESTS.items():
        with np.errstate(divide="ignore", invalid="ignore"):
            result = anova_generic(*_moments(groups), use_var=use_var)
        df, p = (result.df2, result.pvalue2) if name == "brown-forsythe" else (result.df, result.pvalue)
        rows[name] = {"statistic": result.statistic, "df1": df[0], "df2": df[1], "p": p}
    return pd.DataFrame.from_dict(rows, orient="index").astype(float)


def mehrotra(groups: pd.DataFrame) -> dict[str, float]:
    """Brown and Forsythe's F* with the degrees of freedom of D. Mehrotra (Communications in Statistics B 26, 1997).

    The numerator has fewer degrees of freedom than the number of groups less 1, with which F* would be slightly liberal
    under unequal variances.

    Returns:
        statistic, df1, df2 and p.
    """
    result = anova_generic(*_moments(groups), use_var="bf")
    numbers = (result.statistic, *result.df, result.pvalue)
    return dict(zip(("statistic", "df1", "df2", "p"), map(float, numbers), strict=True))


def omega_squared(groups: pd.DataFrame) -> dict[str, float]:
    """Omega squared, the share of the variance between architectures, with its 95 per cent interval.

    The estimate follows from the standard F and is cut off at 0. The interval comes from the noncentral F distribution,
    which assumes equal variances.

    Returns:
        omega_squared, low and high, each in [0, 1].
    """
    test = omnibus(groups).loc["anova"]
    statistic, df1, df2, _ = (float(value) for value in test.to_numpy(dtype=float))
    df = (df1, df2)
    n = sum(df) + 1
    # Limits of noncentrality give limits of the population's share of variance, which eta and omega squared estimate.
    limits = [_noncentrality(statistic, df, 0.5 + sign * CONFIDENCE / 2) for sign in (1, -1)]
    low, high = (limit / (limit + n) if np.isfinite(limit) else 1.0 for limit in limits)
    return {"omega_squared": max(float(_fstat2effectsize(statistic, df).omega2), 0.0), "low": low, "high": high}


def _noncentrality(statistic: float, df: tuple[float, float], probability: float) -> float:
    """Solve for the noncentrality at which F is at most the statistic with a given probability; 0 without a solution.

    The result is infinite for an infinite F, and beyond scipy's range, from an F of about 1e10.

    scipy's inverse, which statsmodels uses too, is accurate to four digits only; its distribution function is better.
    """
    if not np.isfinite(statistic):
        return np.inf

    def excess(noncentrality: float) -> float:
        return float(special.ncfdtr(*df, noncentrality, statistic)) - probability

    if not excess(0.0) > 0:
        return 0.0
    enough = statistic * df[0] + 10
    while excess(enough) > 0:
        enough *= 2
        if not np.isfinite(enough):
            return np.inf
    if np.isnan(excess(enough)):
        return np.inf
    return float(brentq(excess, 0.0, enough, xtol=1e-10))


def _moments(groups: pd.DataFrame) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    mean, sd, n = (groups[column].to_numpy(dtype=float) for column in ("mean", "sd", "n"))
    return mean, sd**2, n
