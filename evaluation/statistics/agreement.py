"""Agreement: intraclass correlations and Krippendorff's alpha between raters, and a judge compared with people."""

from __future__ import annotations

import warnings

import krippendorff
import numpy as np
import pandas as pd
from scipy import stats

from evaluation.rating.rating_scale import DIMENSIONS, JUDGE, PEOPLE, ordered
from evaluation.records.numbers import row_dicts
from evaluation.statistics.omnibus import CONFIDENCE

TRAJECTORY = ["architecture", "run", "resident"]


def icc(ratings: pd.DataFrame) -> pd.DataFrame:
    """Compute intraclass correlations of the ratings of one dimension (Shrout and Fleiss 1979).

    The design must be complete: trajectories that not everyone rated are left out, or raters who did not rate every
    trajectory, whichever keeps more ratings.

    Args:
        ratings: Columns architecture, run, resident, rater, rating.

    Returns:
        One row per form (ICC(1,1) to ICC(C,k), in pingouin's names): type, icc, statistic (F), df1, df2, p, low and
        high (95 per cent), raters and trajectories (how many entered). Empty if fewer than two of either are left.
    """
    table = _table(ratings)
    by_trajectory, by_rater = table.dropna(axis="index"), table.dropna(axis="columns")
    complete = by_trajectory if by_trajectory.size >= by_rater.size else by_rater
    trajectories, raters = complete.shape
    if min(trajectories, raters) < 2:
        return pd.DataFrame()
    # Imported here: it takes seconds.
    import pingouin
    from pingouin.config import _no_rounding

    long = complete.reset_index(drop=True).melt(ignore_index=False).reset_index(names="trajectory")
    with warnings.catch_warnings(), np.errstate(divide="ignore", invalid="ignore"), _no_rounding():
        warnings.simplefilter("ignore", RuntimeWarning)
        forms = pingouin.intraclass_corr(long, targets="trajectory", raters="rater", ratings="value")
    low, high = np.array(forms["CI95"].to_list(), dtype=float).T
    names = {"Type": "type", "ICC": "icc", "F": "statistic", "df1": "df1", "df2": "df2", "pval": "p"}
    found: pd.DataFrame = forms[list(names)].rename(columns=names).reset_index(drop=True)
    return found.assign(low=low, high=high, raters=raters, trajectories=trajectories)


def alpha(ratings: pd.DataFrame) -> float:
    """Compute Krippendorff's ordinal alpha of the ratings of one dimension; ratings may be missing.

    Args:
        ratings: As for ``icc``.

    Returns:
        At most 1, which is full agreement; 0 by chance. Not a number if no trajectory has two raters, or all ratings
        are equal.
    """
    table = _table(ratings).to_numpy(dtype=float)
    shared = table[(~np.isnan(table)).sum(axis=1) >= 2]
    if len(np.unique(shared[~np.isnan(shared)])) < 2:
        return float("nan")
    return float(krippendorff.alpha(shared.T, level_of_measurement="ordinal"))


def _table(ratings: pd.DataFrame) -> pd.DataFrame:
    return ratings.pivot(index=TRAJECTORY, columns="rater", values="rating")


FEWEST = 4
"""Fewest trajectories for a correlation with an interval."""

SAME = 1e-9
"""Differences closer than this count as equal."""


def judge_agreement(judged: pd.DataFrame, people: pd.DataFrame) -> pd.DataFrame:
    """Compare a judge's ratings with people's.

    One observation is a trajectory that both have rated: the mean of the judge's draws and the mean of the people's
    ratings. Intervals are of 95 per cent and treat trajectories as independent.

    Args:
        judged: Columns rater (one per draw), run, architecture, resident, dimension, rating.
        people: The same columns.

    Returns:
        One row per dimension that both have rated, in the paper's order:
        dimension; trajectories: number that both have rated;
        correlation, correlation_low, correlation_high, p: Spearman's rank correlation;
        person: mean correlation of one person with the mean of the others, as a yardstick;
        bias, bias_low, bias_high: judge minus people in points of the scale, with its t interval;
        icc, icc_low, icc_high: ICC(A,1) of the two means, 1 if judge and people give the same numbers;
        alpha_judge, alpha_people: Krippendorff's ordinal alpha between the judge's draws, and between people.
        Not a number where not defined.
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
    import pingouin
    from pingouin.config import _no_rounding

    with warnings.catch_warnings(), _no_rounding():
        # A correlation of 1 has no interval.
        warnings.simplefilter("ignore", RuntimeWarning)
        test = pingouin.corr(means[JUDGE], means[PEOPLE], method="spearman").iloc[0]
    low, high = test["CI95"]
    return {"correlation": float(test["r"]), "correlation_low": low, "correlation_high": high, "p": test["p_val"]}


def _one_and_the_others(people: pd.DataFrame) -> float:
    """Average over people Spearman's correlation of one person with the mean of the others."""
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
    same = row_dicts(forms[forms["type"] == "ICC(A,1)"])[0]
    return {"icc": same["icc"], "icc_low": same["low"], "icc_high": same["high"]}
