"""Raters who rate more than once, trajectories that are rated more than once, and models that take both into account.

The plain tests count every rating as if another person had given it, about another trajectory. Where raters repeat,
ratings of one rater are alike. Where several raters rate one trajectory, what is good or bad about this one enters all
of their ratings: an average over many raters tells much of these trajectories, and little of others of their
architecture (H. Clark, Journal of Verbal Learning and Verbal Behavior 12, 1973; C. Judd, J. Westfall and D. Kenny,
Journal of Personality and Social Psychology 103, 2012).
"""

from __future__ import annotations

import warnings
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import stats
from statsmodels.miscmodels.ordinal_model import OrderedModel

from evaluation.statistics.agreement import TRAJECTORY
from evaluation.statistics.crossed import CrossedFit, fit_crossed
from evaluation.statistics.descriptives import CONFIDENCE
from evaluation.statistics.pairs import sidak

FEWEST_RATERS = 5
"""Raters below which the models are not reported."""

FEWEST_TRAJECTORIES = 2
"""Trajectories of an architecture below which they are not: one says nothing of how trajectories differ."""

EFFECTS = {
    "rater": (["rater"], "a rater's mildness"),
    "rater_architecture": (["rater", "architecture"], "a rater's taste for an architecture"),
    "run": (["architecture", "run"], "a run"),
    "trajectory": (TRAJECTORY, "a trajectory"),
}
"""The random effects of the mixed model: the columns that tell their levels apart, and what they are."""


def repeats(ratings: pd.DataFrame) -> dict[str, int]:
    """Count who repeats.

    Args:
        ratings: Of one dimension: columns rater, architecture, rating.

    Returns:
        raters: how many there are; across: how many of them rated more than one architecture; within: how many rated
            one architecture more than once.
    """
    cells = ratings.groupby(["rater", "architecture"]).size()
    return {
        "raters": int(ratings["rater"].nunique()),
        "across": int((cells.groupby("rater").size() > 1).sum()),
        "within": int((cells[cells > 1].groupby("rater").size() > 0).sum()),
    }


def rated(ratings: pd.DataFrame, architectures: list[str]) -> pd.DataFrame:
    """Count what was rated of each architecture.

    Args:
        ratings: Of one dimension: columns run, architecture, resident.
        architectures: Which there are, in the order wanted.

    Returns:
        One row an architecture: architecture, runs, trajectories.
    """
    counts = ratings.drop_duplicates(TRAJECTORY).groupby("architecture")["run"].agg(runs="nunique", trajectories="size")
    return counts.reindex(architectures).rename_axis("architecture").reset_index()


def too_few(ratings: pd.DataFrame, architectures: list[str]) -> str:
    """Why there are too few raters or trajectories to report a model; empty where there are enough."""
    raters = ratings["rater"].nunique()
    if raters < FEWEST_RATERS:
        return f"there are {raters} raters, and it takes {FEWEST_RATERS} to say how much raters differ"
    counts = rated(ratings, architectures)
    few = counts[counts["trajectories"] < FEWEST_TRAJECTORIES]
    if len(few):
        names = ", ".join(few["architecture"])
        return (
            f"there is one trajectory of {names}, whose architecture cannot be told from it; rate at least "
            f"{FEWEST_TRAJECTORIES} residents of each architecture"
        )
    return ""


def mixed_model(ratings: pd.DataFrame, architectures: list[str]) -> dict[str, Any]:
    """A linear mixed model with crossed random effects (REML), tested by Satterthwaite's degrees of freedom.

    Each architecture has a mean. Random are how mild a rater is, what a rater thinks of one architecture more than of
    others, what sets a run apart and what sets a trajectory (a resident in a run) apart, each where the ratings can
    tell it from the others. A trajectory that is the only one of its architecture cannot be told from it: what is found
    then holds for these trajectories alone, and ``too_few`` says so.

    Args:
        ratings: Of one dimension: columns rater, run, architecture, resident, rating.
        architectures: Which there are, in the order wanted.

    Returns:
        f, df, df2 and p of the test that all means are equal, and statistic, Wald's chi-squared, which is df times f;
        sd_rater, sd_rater_architecture, sd_run, sd_trajectory (None where it is not in the model) and sd_residual in
        points of the scale; pairs, a frame of a, b, difference, se, df, low, high, p (Šidák, as are the intervals),
        method; converged, and note, which variances are estimated at their boundary of 0.

    Raises:
        ValueError: if no random effect can be told from the residuals, or nothing is left for the residuals.
    """
    effects = random_effects(ratings, len(architectures))
    if not effects:
        raise ValueError("no rater and no trajectory has several ratings")
    design = np.column_stack([ratings["architecture"] == name for name in architectures]).astype(float)
    fit = fit_crossed(ratings["rating"].to_numpy(dtype=float), design, effects)
    k = len(architectures)
    test = fit.test(np.eye(k - 1, k) - np.eye(k - 1, k, 1))
    none = [EFFECTS[name][1] for name, variance in fit.variances.items() if variance < 1e-6 * fit.residual]
    return {
        "statistic": test["statistic"] * test["df1"],
        "df": k - 1,
        "f": test["statistic"],
        "df2": test["df2"],
        "p": test["p"],
        **{f"sd_{name}": float(np.sqrt(fit.variances[name])) if name in effects else None for name in EFFECTS},
        "sd_residual": float(np.sqrt(fit.residual)),
        "pairs": _contrasts(fit, architectures),
        "converged": fit.converged,
        "note": f"the variance of {' and of '.join(none)} is estimated at its boundary of 0" if none else "",
    }


def ordinal_model(ratings: pd.DataFrame, architectures: list[str]) -> dict[str, Any]:
    """A cumulative logit model: no distance between points of the scale is supposed, their order alone.

    statsmodels has no ordinal model with random effects. Raters and trajectories enter by the covariance, which is
    clustered both ways (C. Cameron, J. Gelbach and D. Miller, Journal of Business and Economic Statistics 29, 2011):
    the coefficients are those of the population, their errors allow for ratings by one rater, and of one trajectory,
    being alike. They hold for many raters and many trajectories.

    Args:
        ratings: Of one dimension: columns rater, run, architecture, resident, rating.
        architectures: Which there are, in the order wanted; the first is the reference.

    Returns:
        statistic, df and p of Wald's chi-squared test that no architecture differs; log_odds, a frame of architecture,
        log_odds (of a higher rating than the reference's), se, low, high (95 per cent) and p; reference, converged,
        note.
    """
    frame = ratings[["rating"]].assign(architecture=pd.Categorical(ratings["architecture"], categories=architectures))
    clusters = np.column_stack([ratings.groupby(columns, sort=False).ngroup() for columns in (["rater"], TRAJECTORY)])
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        fit = OrderedModel.from_formula("rating ~ C(architecture)", frame, distr="logit").fit(
            method="bfgs", disp=False, maxiter=500, cov_type="cluster", cov_kwds={"groups": clusters}
        )
        k = len(architectures)
        test = fit.wald_test(np.eye(k - 1, len(fit.params)), scalar=True, use_f=False)
        interval = np.asarray(fit.conf_int(alpha=1 - CONFIDENCE))[: k - 1]
    return {
        "statistic": float(test.statistic),
        "df": k - 1,
        "p": float(test.pvalue),
        "reference": architectures[0],
        "log_odds": pd.DataFrame(
            {
                "architecture": architectures[1:],
                "log_odds": np.asarray(fit.params)[: k - 1],
                "se": np.asarray(fit.bse)[: k - 1],
                "low": interval[:, 0],
                "high": interval[:, 1],
                "p": np.asarray(fit.pvalues)[: k - 1],
            }
        ),
        "converged": bool(fit.mle_retvals["converged"]),
        "note": _said(said),
    }


def random_effects(ratings: pd.DataFrame, architectures: int) -> dict[str, NDArray[np.intp]]:
    """The level of each rating in each random effect that can be told from the residuals, the means and the others."""
    effects: dict[str, NDArray[np.intp]] = {}
    for name, (columns, _) in EFFECTS.items():
        codes = np.asarray(ratings.groupby(columns, sort=False).ngroup(), dtype=np.intp)
        levels = int(codes.max()) + 1
        if levels == len(ratings) or ("architecture" in columns and levels <= architectures):
            continue
        # Levels are numbered as they appear, so that two effects with the same levels have the same codes.
        if not any(np.array_equal(codes, other) for other in effects.values()):
            effects[name] = codes
    return effects


def _contrasts(fit: CrossedFit, architectures: list[str]) -> pd.DataFrame:
    """All pairs of means, adjusted by Šidák's inequality."""
    rows = []
    for a, b in combinations(range(len(architectures)), 2):
        contrast = np.zeros(len(architectures))
        contrast[a], contrast[b] = 1.0, -1.0
        rows.append(
            {
                "a": architectures[a],
                "b": architectures[b],
                "difference": float(contrast @ fit.means),
                "se": float(np.sqrt(contrast @ fit.covariance @ contrast)),
                "df": fit.freedom(contrast),
            }
        )
    pairs = pd.DataFrame(rows)
    p, alpha = sidak(np.asarray(2 * stats.t.sf((pairs["difference"] / pairs["se"]).abs(), pairs["df"])))
    low, high = stats.t.interval(1 - alpha, pairs["df"], loc=pairs["difference"], scale=pairs["se"])
    return pairs.assign(low=low, high=high, p=p, method="dunn-sidak")


def _said(said: list[warnings.WarningMessage]) -> str:
    return "; ".join(dict.fromkeys(" ".join(str(one.message).split()).rstrip(".") for one in said))
