"""Do the architectures differ at all? Three tests, and how much of the variance lies between them.

Each works from the groups' sizes, means and standard deviations alone, so that ratings and published tables are
treated alike. `groups` has one row an architecture: architecture, n (at least 2), mean, sd.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from statsmodels.stats.oneway import (
    _fstat2effectsize,
    anova_generic,
    confint_effectsize_oneway,
)

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


def omega_squared(groups: pd.DataFrame) -> dict[str, float]:
    """The share of the variance that lies between the architectures, with its 95 per cent interval.

    The estimate follows from the standard F whichever test decides; a little below 0 means that there is none. The
    interval comes from the noncentral F distribution, which supposes equal variances.

    Returns:
        omega_squared, low and high.
    """
    test = omnibus(groups).loc["anova"]
    df = (test["df1"], test["df2"])
    low, high = confint_effectsize_oneway(test["statistic"], df, alpha=1 - CONFIDENCE).ci_omega2
    value = _fstat2effectsize(test["statistic"], df).omega2
    return {"omega_squared": float(value), "low": float(low), "high": float(high)}


def _moments(groups: pd.DataFrame) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    return (
        groups["mean"].to_numpy(dtype=float),
        groups["sd"].to_numpy(dtype=float) ** 2,
        groups["n"].to_numpy(dtype=float),
    )
