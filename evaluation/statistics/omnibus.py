"""Do the architectures differ at all? Three tests, and how much of the variance lies between them.

Each works from the groups' sizes, means and standard deviations alone, so that ratings and published tables are
treated alike. `groups` has one row an architecture: architecture, n (at least 2), mean, sd.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from scipy import special
from scipy.optimize import brentq
from statsmodels.stats.oneway import _fstat2effectsize, anova_generic

from evaluation.statistics.descriptives import CONFIDENCE

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

    Those of the numerator are fewer than the number of groups less 1, without which F* finds a little too much where
    the groups' variances differ.

    Returns:
        statistic, df1, df2 and p.
    """
    result = anova_generic(*_moments(groups), use_var="bf")
    return {
        "statistic": float(result.statistic),
        "df1": float(result.df[0]),
        "df2": float(result.df[1]),
        "p": float(result.pvalue),
    }


def omega_squared(groups: pd.DataFrame) -> dict[str, float]:
    """The share of the variance that lies between the architectures, with its 95 per cent interval.

    The estimate follows from the standard F whichever test decides; where that is below 0, as chance makes it, it is
    0, the least that a share can be. The interval comes from the noncentral F distribution, which supposes equal
    variances.

    Returns:
        omega_squared, low and high.
    """
    test = omnibus(groups).loc["anova"]
    statistic, df1, df2, _ = (float(value) for value in test.to_numpy(dtype=float))
    df = (df1, df2)
    n = sum(df) + 1
    # Limits of noncentrality are limits of the share in the population, which eta and omega squared both estimate.
    limits = [_noncentrality(statistic, df, 0.5 + sign * CONFIDENCE / 2) for sign in (1, -1)]
    low, high = (limit / (limit + n) if np.isfinite(limit) else 1.0 for limit in limits)
    return {"omega_squared": max(float(_fstat2effectsize(statistic, df).omega2), 0.0), "low": low, "high": high}


def _noncentrality(statistic: float, df: tuple[float, float], probability: float) -> float:
    """The noncentrality at which an F is at most the one found with this probability; 0 where it never is.

    Infinite where the F is, and where it is beyond what scipy can tell, which begins with an F of some 1e10.

    The inverse of scipy, which statsmodels takes too, has four digits; its distribution itself has all of them.
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
    return (
        groups["mean"].to_numpy(dtype=float),
        groups["sd"].to_numpy(dtype=float) ** 2,
        groups["n"].to_numpy(dtype=float),
    )
