"""Do raters agree? Intraclass correlation in its six forms, and Krippendorff's alpha for ordinal data.

A trajectory is what is rated: one resident in one run of one architecture.
"""

from __future__ import annotations

import warnings

import krippendorff
import numpy as np
import pandas as pd
import pingouin
from pingouin.config import _no_rounding

TRAJECTORY = ["architecture", "run", "resident"]


def icc(ratings: pd.DataFrame) -> pd.DataFrame:
    """Intraclass correlations of the ratings of one dimension (P. Shrout and J. Fleiss, 1979).

    They need every rater to have rated every trajectory. Where some have not, trajectories that not everyone rated
    are left out, or raters who did not rate every one, whichever leaves more ratings.

    Args:
        ratings: Columns architecture, run, resident, rater, rating.

    Returns:
        One row a form (ICC(1,1) to ICC(C,k), in pingouin's names): type, icc, statistic (F), df1, df2, p, low and
        high (95 per cent), raters and trajectories (how many entered). Empty where fewer than two of either are left.
    """
    table = _table(ratings)
    by_trajectory, by_rater = table.dropna(axis="index"), table.dropna(axis="columns")
    complete = by_trajectory if by_trajectory.size >= by_rater.size else by_rater
    trajectories, raters = complete.shape
    if min(trajectories, raters) < 2:
        return pd.DataFrame()
    long = complete.reset_index(drop=True).melt(ignore_index=False).reset_index(names="trajectory")
    with warnings.catch_warnings(), np.errstate(divide="ignore", invalid="ignore"), _no_rounding():
        warnings.simplefilter("ignore", RuntimeWarning)
        forms = pingouin.intraclass_corr(long, targets="trajectory", raters="rater", ratings="value")
    low, high = np.array(forms["CI95"].to_list(), dtype=float).T
    return pd.DataFrame(
        {
            "type": forms["Type"],
            "icc": forms["ICC"],
            "statistic": forms["F"],
            "df1": forms["df1"],
            "df2": forms["df2"],
            "p": forms["pval"],
            "low": low,
            "high": high,
            "raters": raters,
            "trajectories": trajectories,
        }
    ).reset_index(drop=True)


def alpha(ratings: pd.DataFrame) -> float:
    """Krippendorff's alpha of the ratings of one dimension, ordinal; ratings that are missing are no obstacle.

    1 is full agreement and 0 what chance gives. Not a number where no trajectory has two raters, or all ratings are
    the same.

    Args:
        ratings: As for ``icc``.
    """
    table = _table(ratings).to_numpy(dtype=float)
    shared = table[(~np.isnan(table)).sum(axis=1) >= 2]
    if len(np.unique(shared[~np.isnan(shared)])) < 2:
        return float("nan")
    return float(krippendorff.alpha(shared.T, level_of_measurement="ordinal"))


def _table(ratings: pd.DataFrame) -> pd.DataFrame:
    return ratings.pivot(index=TRAJECTORY, columns="rater", values="rating")
