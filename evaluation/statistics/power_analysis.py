"""Power analysis: raters needed by the plain tests, and simulated studies for the mixed model."""

from __future__ import annotations

import math
import warnings
from bisect import bisect_left
from typing import Any

import numpy as np
import pandas as pd
from threadpoolctl import threadpool_limits

from evaluation.rating.rating_scale import HIGHEST, LOWEST
from evaluation.records.numbers import wilson_interval
from evaluation.statistics.crossed import BoundaryError, fit_crossed
from evaluation.statistics.design import EFFECTS, FEWEST_RATERS, random_effects
from evaluation.statistics.mixed_models import means_test
from evaluation.statistics.omnibus import ALPHA, CONFIDENCE, omega_squared

WANTED = 0.8
FEWEST, MOST = 2, 100_000


def power(groups: pd.DataFrame, raters: int) -> dict[str, Any]:
    """Compute the power of the plain tests for a number of raters who each rate every architecture once.

    Args:
        groups: One row per architecture: architecture, n, mean, sd, from earlier ratings.
        raters: Planned number of raters, at least 2.

    Returns:
        raters; power: of the standard F test (p < .05) for the observed omega squared; power_low: for the lower end of
        its interval, which is prudent as observed effects tend to be too large; needed and needed_low: raters for a
        power of .8; detectable_difference: smallest difference between two architectures, in points, that the pairwise
        comparison detects with a power of .8; None without an effect above 0. next_study: None; the result of
        ``next_study`` if ratings are analysed by the mixed model.

    Raises:
        ValueError: if fewer than 2 raters are planned.
    """
    import pingouin  # It takes seconds.

    if raters < FEWEST:
        raise ValueError(f"a study needs at least {FEWEST} raters, got {raters}")
    effect, k = omega_squared(groups), len(groups)
    alpha = 1 - CONFIDENCE
    freedom = (groups["n"] - 1).astype(float)
    sd = math.sqrt(float((freedom * groups["sd"] ** 2).sum() / freedom.sum()))
    pairwise = 1 - CONFIDENCE ** (1 / math.comb(k, 2))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        detectable = pingouin.power_ttest(d=None, n=raters, power=WANTED, alpha=pairwise)
    return {
        "raters": raters,
        "next_study": None,
        "power": _power(effect["omega_squared"], k, raters, alpha),
        "power_low": _power(effect["low"], k, raters, alpha),
        "needed": _needed(effect["omega_squared"], k, alpha),
        "needed_low": _needed(effect["low"], k, alpha),
        "detectable_difference": float(detectable) * sd if np.isfinite(detectable) else None,
    }


def _power(effect: float, k: int, raters: int, alpha: float) -> float | None:
    import pingouin

    if not effect > 0:
        return None
    return float(pingouin.power_anova(eta_squared=effect, k=k, n=raters, alpha=alpha))


def _needed(effect: float, k: int, alpha: float) -> int | None:
    """Find the smallest number of raters with a power of .8."""
    numbers = range(FEWEST, MOST + 1)
    if not effect > 0:
        return None
    found = bisect_left(numbers, WANTED, key=lambda raters: _power(effect, k, raters, alpha) or 0.0)
    return numbers[found] if found < len(numbers) else None


SIMULATIONS = 200

ASSUMED_RUN_SD = 0.25
"""Assumed standard deviation between runs, in points, if one run of each architecture was rated."""


def next_study(
    model: dict[str, Any], *, raters: int, runs: int, residents: int, simulations: int | None = None
) -> dict[str, Any] | None:
    """Simulate a study in which each rater reads one run of each architecture, and test it by the mixed model.

    Ratings are drawn with the means and standard deviations of the model and rounded to the scale. If the model has no
    effect of runs, their standard deviation is taken as ``ASSUMED_RUN_SD``; it is 0 for a study with one run of each,
    whose findings hold for these runs.

    Args:
        model: Model from ``mixed_model``, for earlier ratings.
        raters: Number of raters.
        runs: Runs of each architecture, at least 1.
        residents: Residents of each run, all read by each of its raters; at least 1.
        simulations: Simulated studies for each power; ``SIMULATIONS`` if None.

    Returns:
        raters, runs, residents, simulations; power: share of significant studies (p < .05) if means differ as observed,
        power_low and power_high, its 95 per cent interval, and power_half: the share if they differ half as much;
        sd_run: standard deviation between runs, in points, and sd_run_assumed: whether it is assumed. None for a study
        that tests nothing, with fewer than 5 raters or one trajectory of each architecture.
    """
    if raters < FEWEST_RATERS or runs * residents < 2:
        return None
    simulations = SIMULATIONS if simulations is None else simulations
    assumed = model["sd_run"] is None
    spread = ASSUMED_RUN_SD if assumed else float(model["sd_run"])
    sds = {**model, "sd_run": spread if runs > 1 else 0.0}
    rng = np.random.default_rng(0)
    frame = _who_rates_what(len(model["means"]), raters, runs, residents, rng)
    # With many small matrices, BLAS threads slow each other down.
    with threadpool_limits(1):
        hits = [_found(sds, frame, share, simulations, rng) for share in (1.0, 0.5)]
    low, high = wilson_interval(hits[0], simulations)
    return {
        "raters": raters,
        "runs": runs,
        "residents": residents,
        "simulations": simulations,
        "power": hits[0] / simulations,
        "power_low": low,
        "power_high": high,
        "power_half": hits[1] / simulations,
        "sd_run": sds["sd_run"],
        "sd_run_assumed": assumed and runs > 1,
    }


def _who_rates_what(
    architectures: int, raters: int, runs: int, residents: int, rng: np.random.Generator
) -> pd.DataFrame:
    """Assign raters to runs, each read equally often; return rater, architecture, run and resident per rating."""
    rater, a, resident = (axis.ravel() for axis in np.indices((raters, architectures, residents)))
    dealt = np.stack([rng.permutation(np.arange(raters) % runs) for _ in range(architectures)], axis=1)
    return pd.DataFrame({"rater": rater, "architecture": a, "run": dealt[rater, a], "resident": resident})


def _found(model: dict[str, Any], frame: pd.DataFrame, share: float, simulations: int, rng: np.random.Generator) -> int:
    """Count significant simulated studies if the means differ by a share of the observed differences."""
    means = model["means"]["mean"].to_numpy(dtype=float)
    k = len(means)
    a = frame["architecture"].to_numpy()
    felt = (means.mean() + share * (means - means.mean()))[a]
    parts = [
        (float(model[f"sd_{name}"]), np.asarray(frame.groupby(columns).ngroup()))
        for name, (columns, _) in EFFECTS.items()
        if model[f"sd_{name}"] is not None
    ]
    effects, design = random_effects(frame, k), np.eye(k)[a]
    found = 0
    for _ in range(simulations):
        y = felt + float(model["sd_residual"]) * rng.normal(size=len(a))
        for sd, codes in parts:
            y = y + sd * rng.normal(size=codes.max() + 1)[codes]
        try:
            fit = fit_crossed(np.clip(np.round(y), LOWEST, HIGHEST), design, effects)
        except BoundaryError:
            # A study without residual variance counts as not significant.
            continue
        found += means_test(fit)["p"] < ALPHA
    return found
