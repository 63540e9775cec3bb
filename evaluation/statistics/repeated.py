"""Models for raters who rate more than once, and trajectories and runs that are rated more than once."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import stats

from evaluation.statistics.crossed import CrossedFit, fit_crossed
from evaluation.statistics.descriptives import CONFIDENCE
from evaluation.statistics.design import EFFECTS, random_effects
from evaluation.statistics.pairs import sidak


def mixed_model(ratings: pd.DataFrame, architectures: list[str]) -> dict[str, Any]:
    """A linear mixed model with crossed random effects (REML), tested by Satterthwaite's degrees of freedom.

    Each architecture has a mean. Random are how mild a rater is, what a rater thinks of one architecture more than of
    others, what sets a run apart and what sets a trajectory (a resident in a run) apart, each where the ratings can
    tell it from the others. What cannot be told from an architecture, as the only run or trajectory of it, is not in
    the model: ``design_of`` says what is found then holds for.

    Args:
        ratings: Of one dimension: columns rater, run, architecture, resident, rating.
        architectures: Which there are, in the order wanted.

    Returns:
        f, df, df2 and p of the test that all means are equal, and statistic, Wald's chi-squared, which is df times f;
        sd_rater, sd_rater_architecture, sd_run, sd_trajectory (None where it is not in the model) and sd_residual in
        points of the scale; means, a frame of architecture, mean, se, df, low, high (95 per cent, each by itself);
        pairs, a frame of a, b, difference, se, df, low, high, p (Šidák, as are the intervals), method; converged, and
        note, which variances are estimated at their boundary of 0.

    Raises:
        ValueError: if no random effect can be told from the residuals, or nothing is left for the residuals.
    """
    effects = random_effects(ratings, len(architectures))
    fit = _fit(ratings["rating"].to_numpy(dtype=float), ratings, architectures, effects)
    none = [EFFECTS[name][1] for name, variance in fit.variances.items() if variance < 1e-6 * fit.residual]
    return {
        **means_test(fit),
        **{f"sd_{name}": float(np.sqrt(fit.variances[name])) if name in effects else None for name in EFFECTS},
        "sd_residual": float(np.sqrt(fit.residual)),
        "means": _means(fit, architectures),
        "pairs": _contrasts(fit, architectures),
        "converged": fit.converged,
        "note": f"the variance of {' and of '.join(none)} is estimated at its boundary of 0" if none else "",
    }


def ordinal_model(ratings: pd.DataFrame, architectures: list[str]) -> dict[str, Any]:
    """The test of the mixed model on the ranks of the ratings: no distance between points is supposed, but order alone.

    Ratings that are alike share their mean rank (W. Conover and R. Iman, The American Statistician 35, 1981).

    Args:
        ratings: Of one dimension: columns rater, run, architecture, resident, rating.
        architectures: Which there are, in the order wanted.

    Returns:
        statistic, df, f, df2, p, converged, as ``mixed_model`` gives them.

    Raises:
        ValueError: if no random effect can be told from the residuals, or nothing is left for the residuals.
    """
    ranks = np.asarray(stats.rankdata(ratings["rating"].to_numpy(dtype=float)), dtype=np.float64) / len(ratings)
    fit = _fit(ranks, ratings, architectures, random_effects(ratings, len(architectures)))
    return {**means_test(fit), "converged": fit.converged, "note": ""}


def _fit(
    y: NDArray[np.float64], ratings: pd.DataFrame, architectures: list[str], effects: dict[str, NDArray[np.intp]]
) -> CrossedFit:
    if not effects:
        raise ValueError("no rater, no run and no trajectory has several ratings")
    design = np.column_stack([ratings["architecture"] == name for name in architectures]).astype(float)
    return fit_crossed(y, design, effects)


def means_test(fit: CrossedFit) -> dict[str, float]:
    """Test that all means are equal: statistic (Wald's chi-squared), df, f, df2 and p."""
    k = len(fit.means)
    test = fit.test(np.eye(k - 1, k) - np.eye(k - 1, k, 1))
    return {
        "statistic": test["statistic"] * test["df1"],
        "df": k - 1,
        "f": test["statistic"],
        "df2": test["df2"],
        "p": test["p"],
    }


def _means(fit: CrossedFit, architectures: list[str]) -> pd.DataFrame:
    means = pd.DataFrame(
        {
            "architecture": architectures,
            "mean": fit.means,
            "se": np.sqrt(np.diag(fit.covariance)),
            "df": [fit.freedom(one) for one in np.eye(len(architectures))],
        }
    )
    low, high = stats.t.interval(CONFIDENCE, means["df"], loc=means["mean"], scale=means["se"])
    return means.assign(low=low, high=high)


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
