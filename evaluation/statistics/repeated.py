"""Raters who rate more than once: how many there are, and models that take it into account.

The plain tests count every rating as if another person had given it. Where raters repeat, ratings of one rater are
alike, and the plain p-values cannot be trusted.
"""

from __future__ import annotations

import warnings
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from statsmodels.miscmodels.ordinal_model import OrderedModel
from statsmodels.regression.mixed_linear_model import MixedLM

from evaluation.statistics.descriptives import CONFIDENCE
from evaluation.statistics.pairs import sidak

FEW_RATERS = 20
# statsmodels begins with BFGS, which on ratings often stops at a lower likelihood and calls it converged.
OPTIMISERS = ["lbfgs", "cg", "nm"]


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


def mixed_model(ratings: pd.DataFrame, architectures: list[str]) -> dict[str, Any]:
    """A linear mixed model: each architecture has a mean, and each rater is so much milder or stricter (REML).

    Where raters rated one architecture more than once, there is also a random effect of rater and architecture:
    someone may like one architecture more than others do.

    Args:
        ratings: Of one dimension: columns rater, architecture, rating.
        architectures: Which there are, in the order wanted.

    Returns:
        statistic, df and p of Wald's chi-squared test that all means are equal; sd_rater, sd_rater_architecture (None
        where it is not in the model) and sd_residual in points of the scale; pairs, a frame of a, b, difference, se,
        low, high, p (Šidák, as are the intervals), method; converged, and note, what statsmodels said about the fit.
    """
    within = bool(repeats(ratings)["within"])
    frame = ratings[["rater", "rating"]].assign(
        architecture=pd.Categorical(ratings["architecture"], categories=architectures)
    )
    effects = {"rater_architecture": "0 + C(architecture)"} if within else None
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        model = MixedLM.from_formula(
            "rating ~ 0 + C(architecture)", frame, groups="rater", re_formula="1", vc_formula=effects
        )
        for optimiser in OPTIMISERS:
            said.clear()
            fit = model.fit(reml=True, method=[optimiser])
            # One that steps onto a variance of 0 may stop there, at an infinite likelihood, and say that it converged.
            if sound := bool(fit.converged and np.isfinite(fit.llf)):
                break
    k = len(architectures)
    # Each mean less the next one; the parameters that follow the means are those of the random effects.
    equal = np.eye(k - 1, len(fit.params)) - np.eye(k - 1, len(fit.params), 1)
    test = fit.wald_test(equal, scalar=True, use_f=False)
    return {
        "statistic": float(test.statistic),
        "df": k - 1,
        "p": float(test.pvalue),
        "sd_rater": float(np.sqrt(np.asarray(fit.cov_re)[0, 0])),
        "sd_rater_architecture": float(np.sqrt(fit.vcomp[0])) if within else None,
        "sd_residual": float(np.sqrt(fit.scale)),
        "pairs": _contrasts(fit, architectures),
        "converged": sound,
        "note": _said(said),
    }


def ordinal_model(ratings: pd.DataFrame, architectures: list[str]) -> dict[str, Any]:
    """A cumulative logit model: no distance between points of the scale is supposed, their order alone.

    statsmodels has no ordinal model with random effects. Raters enter by the covariance, which is clustered by rater:
    the coefficients are those of the population, their errors allow for ratings of one rater being alike.

    Args:
        ratings: Of one dimension: columns rater, architecture, rating.
        architectures: Which there are, in the order wanted; the first is the reference.

    Returns:
        statistic, df and p of Wald's chi-squared test that no architecture differs; log_odds, a frame of architecture,
        log_odds (of a higher rating than the reference's), se, low, high (95 per cent) and p; reference, converged,
        note.
    """
    frame = ratings[["rating"]].assign(architecture=pd.Categorical(ratings["architecture"], categories=architectures))
    raters = pd.factorize(ratings["rater"])[0]
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        fit = OrderedModel.from_formula("rating ~ C(architecture)", frame, distr="logit").fit(
            method="bfgs", disp=False, maxiter=500, cov_type="cluster", cov_kwds={"groups": raters}
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


def _contrasts(fit: Any, architectures: list[str]) -> pd.DataFrame:
    """All pairs of fixed effects, adjusted by Šidák's inequality."""
    pairs = list(combinations(range(len(architectures)), 2))
    matrix = np.zeros((len(pairs), len(architectures)))
    for row, (a, b) in enumerate(pairs):
        matrix[row, a], matrix[row, b] = 1.0, -1.0
    tests = fit.t_test(matrix)
    p, alpha = sidak(np.atleast_1d(tests.pvalue))
    interval = np.atleast_2d(tests.conf_int(alpha=alpha))
    return pd.DataFrame(
        {
            "a": [architectures[a] for a, _ in pairs],
            "b": [architectures[b] for _, b in pairs],
            "difference": np.atleast_1d(tests.effect),
            "se": np.ravel(tests.sd),
            "low": interval[:, 0],
            "high": interval[:, 1],
            "p": p,
            "method": "dunn-sidak",
        }
    )


def _said(said: list[warnings.WarningMessage]) -> str:
    return "; ".join(dict.fromkeys(" ".join(str(one.message).split()).rstrip(".") for one in said))
