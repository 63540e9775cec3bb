"""Does a judge agree with people? To be known before its ratings are used for anything.

A trajectory (one resident in one run of one architecture) that both have rated is one observation: the mean of the
judge's draws beside the mean of the people's ratings.
"""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pingouin
from pingouin.config import _no_rounding
from scipy import stats

from evaluation.rating.rating_scale import DIMENSIONS, JUDGE, PEOPLE, ordered
from evaluation.statistics.agreement import TRAJECTORY, alpha, icc
from evaluation.statistics.descriptives import CONFIDENCE
from evaluation.statistics.table_rows import records

FEWEST = 4
"""Trajectories below which a correlation has no interval."""

SAME = 1e-9
"""Differences that differ by less are the same, and have no spread to test by."""


def judge_agreement(judged: pd.DataFrame, people: pd.DataFrame) -> pd.DataFrame:
    """Compare a judge's ratings with people's.

    Intervals are of 95 per cent, and take trajectories as independent of each other.

    Args:
        judged: Columns rater (one a draw), run, architecture, resident, dimension, rating.
        people: The same columns.

    Returns:
        One row a dimension that both have rated, in the paper's order:
        dimension; trajectories: how many both have rated;
        correlation, correlation_low, correlation_high, p: Spearman's rank correlation;
        person: the same of one person with the mean of the others, the mean over people: what to measure it by;
        bias, bias_low, bias_high: judge less people in points of the scale, with its t interval;
        icc, icc_low, icc_high: ICC(A,1) of the two means, 1 where judge and people give the same number;
        alpha_judge: Krippendorff's ordinal alpha of the judge's draws, which says whether it is of one mind;
        alpha_people: that of people.
        What is not defined is not a number.
    """
    shared = set(judged["dimension"]) & set(people["dimension"])
    rows = []
    for dimension in ordered(shared, DIMENSIONS):
        own, theirs = judged[judged["dimension"] == dimension], people[people["dimension"] == dimension]
        means = pd.concat(
            {JUDGE: own.groupby(TRAJECTORY)["rating"].mean(), PEOPLE: theirs.groupby(TRAJECTORY)["rating"].mean()},
            axis="columns",
            join="inner",
        )
        rows.append(
            {
                "dimension": dimension,
                "trajectories": len(means),
                **_correlation(means),
                "person": _one_and_the_others(theirs),
                **_bias(means),
                **_same_number(means),
                "alpha_judge": alpha(own),
                "alpha_people": alpha(theirs),
            }
        )
    return pd.DataFrame(rows)


def _correlation(means: pd.DataFrame) -> dict[str, float]:
    found = dict.fromkeys(("correlation", "correlation_low", "correlation_high", "p"), float("nan"))
    if len(means) < FEWEST or (means.nunique() < 2).any():
        return found
    with warnings.catch_warnings(), _no_rounding():
        # A correlation of 1 has no interval.
        warnings.simplefilter("ignore", RuntimeWarning)
        test = pingouin.corr(means[JUDGE], means[PEOPLE], method="spearman").iloc[0]
    low, high = test["CI95"]
    return {"correlation": float(test["r"]), "correlation_low": low, "correlation_high": high, "p": test["p_val"]}


def _one_and_the_others(people: pd.DataFrame) -> float:
    """Spearman's correlation of one person with the mean of the others, the mean over those for whom it is defined."""
    table = people.pivot_table(index=TRAJECTORY, columns="rater", values="rating", aggfunc="mean")
    found = []
    for rater in table.columns:
        pair = pd.concat([table[rater], table.drop(columns=rater).mean(axis="columns")], axis="columns").dropna()
        if len(pair) >= FEWEST and (pair.nunique() >= 2).all():
            found.append(float(pair.iloc[:, 0].corr(pair.iloc[:, 1], method="spearman")))
    return float(np.mean(found)) if found else float("nan")


def _bias(means: pd.DataFrame) -> dict[str, float]:
    difference = means[JUDGE] - means[PEOPLE]
    bias = float(difference.mean()) if len(difference) else float("nan")
    if len(difference) < 2:
        return {"bias": bias, "bias_low": float("nan"), "bias_high": float("nan")}
    if np.ptp(difference.to_numpy()) < SAME:
        return {"bias": bias, "bias_low": bias, "bias_high": bias}
    interval = stats.ttest_1samp(difference.to_numpy(), 0.0).confidence_interval(CONFIDENCE)
    return {"bias": bias, "bias_low": float(interval.low), "bias_high": float(interval.high)}


def _same_number(means: pd.DataFrame) -> dict[str, float]:
    found = dict.fromkeys(("icc", "icc_low", "icc_high"), float("nan"))
    if len(means) < FEWEST or np.unique(means.to_numpy()).size < 2:
        return found
    long = means.reset_index().melt(TRAJECTORY, var_name="rater", value_name="rating")
    forms = icc(long)
    same = records(forms[forms["type"] == "ICC(A,1)"])[0]
    return {"icc": same["icc"], "icc_low": same["low"], "icc_high": same["high"]}
