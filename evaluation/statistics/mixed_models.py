"""Mixed models for ratings whose raters, trajectories or runs repeat."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import stats

from evaluation.statistics.crossed import CrossedFit, fit_crossed
from evaluation.statistics.design import (
    EFFECTS,
    MIXED,
    THESE_RUNS,
    THESE_TRAJECTORIES,
    Design,
    counts,
    design_of,
    random_effects,
    rated,
    repeats,
)
from evaluation.statistics.omnibus import CONFIDENCE
from evaluation.statistics.pairs import sidak


def mixed_model(ratings: pd.DataFrame, architectures: list[str]) -> dict[str, Any]:
    """Fit a linear mixed model with crossed random effects (REML), tested as Kenward and Roger propose.

    Each architecture has a mean. Random effects are the rater, the rater by architecture, the run and the trajectory (a
    resident in a run), each if the ratings identify it. An effect that is confounded with the architecture, such as its
    only run, is not in the model: ``Design.holds_for`` names the population of a finding then.

    Args:
        ratings: Ratings of one dimension, with the columns rater, run, architecture, resident, rating.
        architectures: The architectures, in order.

    Returns:
        f, df, df2 and p of the test that all means are equal, and statistic, a scaled Wald's chi-squared: df times f;
        sd_rater, sd_rater_architecture, sd_run, sd_trajectory (None where it is not in the model) and sd_residual in
        points of the scale; means, a frame of architecture, mean, se, df, low, high (95 per cent, unadjusted);
        pairs, a frame of a, b, difference, se, df, low, high, p (Šidák, as are the intervals), method; converged, and
        note, which variances are estimated at their boundary of 0.

    Raises:
        ValueError: if no random effect is identifiable, or the residual variance is 0.
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
    """Fit the mixed model to the ranks of the ratings, which assumes an ordinal scale only.

    Ties get their mean rank (W. Conover and R. Iman, The American Statistician 35, 1981).

    Args:
        ratings: Ratings of one dimension, with the columns rater, run, architecture, resident, rating.
        architectures: The architectures, in order.

    Returns:
        statistic, df, f, df2, p, converged, as ``mixed_model`` gives them.

    Raises:
        ValueError: if no random effect is identifiable, or the residual variance is 0.
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
    """Compare all pairs of means, adjusted by Šidák's inequality."""
    whole, names = np.eye(len(architectures)), architectures
    rows = [
        (names[a], names[b], contrast @ fit.means, np.sqrt(contrast @ fit.covariance @ contrast), fit.freedom(contrast))
        for a, b in combinations(range(len(names)), 2)
        for contrast in [whole[a] - whole[b]]
    ]
    pairs = pd.DataFrame(rows, columns=["a", "b", "difference", "se", "df"])
    p, alpha = sidak(np.asarray(2 * stats.t.sf((pairs["difference"] / pairs["se"]).abs(), pairs["df"])))
    low, high = stats.t.interval(1 - alpha, pairs["df"], loc=pairs["difference"], scale=pairs["se"])
    return pairs.assign(low=low, high=high, p=p, method="dunn-sidak")


FALSE_WITH_ONE_RUN = {0.25: 30, 0.5: 75}
"""Per cent of false positives in studies with one run of each architecture whose runs alone differ, by the
standard deviation between runs; measured by ``python -m benchmarks anova_null`` (docs/calibration.md)."""

FALSE_WITH_ONE_TRAJECTORY = 82
"""The same with one trajectory of each architecture, which differ by a standard deviation of 0.5 points."""


def dependence(ratings: pd.DataFrame, architectures: list[str]) -> tuple[dict[str, Any], list[str]]:
    """Determine the design, fit the mixed models that it calls for, and write notes for the reader.

    Args:
        ratings: Ratings of one dimension, with the columns rater, run, architecture, resident, rating.
        architectures: The architectures, in order.

    Returns:
        A dictionary of design, repeats, rated, mixed_model and ordinal_model (None if the design calls for no model, or
        the fit fails, in which case the design has no analysis); and the notes.
    """
    design, things = design_of(ratings, architectures), rated(ratings, architectures)
    found: dict[str, Any] = {"repeats": repeats(ratings), "rated": things, "mixed_model": None, "ordinal_model": None}
    notes = _about(design, found["repeats"])
    if design.analysis == MIXED:
        found["mixed_model"], failed = _fitted("mixed model", mixed_model, ratings, architectures)
        found["ordinal_model"], more = _fitted("mixed model of ranks", ordinal_model, ratings, architectures)
        notes += [*failed, *more]
        if found["mixed_model"] is None:
            design = replace(design, analysis=None, holds_for=None, reason=failed[0])
    return {**found, "design": design}, notes + _scope(design, things)


def _about(design: Design, count: dict[str, int]) -> list[str]:
    """Write notes on repeated ratings and on whether the plain tests are valid."""
    ways = [
        f"{count[key]} of {count['raters']} raters rated {what}"
        for key, what in (("across", "several architectures"), ("within", "one architecture several times"))
        if count[key]
    ]
    if design.analysis == MIXED:
        counted = f"{' and '.join(ways)}; " if ways else ""
        return [f"{counted}{design.reason}; the plain tests assume independent ratings and are not valid here"]
    return [] if design.analysis is not None else [f"nothing can be tested: {design.reason}"]


def _fitted(
    name: str,
    fit: Callable[[pd.DataFrame, list[str]], dict[str, Any]],
    ratings: pd.DataFrame,
    architectures: list[str],
) -> tuple[dict[str, Any] | None, list[str]]:
    """Fit a model, and return it with notes; None if the fit fails."""
    try:
        model = fit(ratings, architectures)
    except (np.linalg.LinAlgError, ValueError, ArithmeticError) as error:
        return None, [f"the {name} cannot be fitted to these ratings ({error})"]
    if not np.isfinite(model["p"]):
        return None, [f"the {name} has no test for these ratings (too few raters or trajectories for its errors)"]
    notes = [] if model["converged"] else [f"the {name} did not converge; do not rely on it"]
    return model, notes + ([f"the {name}: {model['note']}"] if model["note"] else [])


def _scope(design: Design, things: pd.DataFrame) -> list[str]:
    """Write notes on the population that a finding holds for."""
    notes = [f"runs and trajectories rated: {counts(things)}"]
    if design.holds_for == THESE_TRAJECTORIES:
        notes.append(
            "one trajectory per architecture: architecture and trajectory are confounded; "
            "findings hold for these trajectories alone. As a finding about architectures one is false in "
            f"{FALSE_WITH_ONE_TRAJECTORY} per cent where trajectories differ by a standard deviation of 0.5 points; "
            "rate several residents in several runs"
        )
    elif design.holds_for == THESE_RUNS:
        numbers = " and ".join(
            f"{share} per cent where runs of one architecture differ by a standard deviation of {spread}"
            for spread, share in FALSE_WITH_ONE_RUN.items()
        )
        notes.append(
            "one run per architecture: trajectories of one run share its society, and architecture and run are "
            "confounded; findings hold for these runs. As a finding about architectures one "
            f"is false in {numbers} points; rate several runs of each"
        )
    elif design.holds_for is not None and (single := things[things["runs"] == 1]["architecture"].tolist()):
        notes.append(
            f"one run only of {', '.join(single)}: the variance between runs is estimated from the other architectures"
        )
    return notes
