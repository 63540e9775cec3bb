"""How likely a next study is to find what this one found: simulated, with its raters, runs and residents."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from statsmodels.stats.proportion import proportion_confint

from evaluation.rating.rating_scale import HIGHEST, LOWEST
from evaluation.statistics.crossed import BoundaryError, fit_crossed
from evaluation.statistics.design import EFFECTS, FEWEST_RATERS, random_effects
from evaluation.statistics.repeated import means_test

SIMULATIONS = 200
ALPHA = 0.05

ASSUMED_RUN_SD = 0.25
"""Points by which runs are taken to differ where one of each architecture was rated, which does not tell it."""


def next_study(
    model: dict[str, Any], *, raters: int, runs: int, residents: int, simulations: int | None = None
) -> dict[str, Any] | None:
    """Simulate a study in which each rater reads one run of each architecture, and test it by the mixed model.

    Ratings are drawn with the means and standard deviations of this model, and rounded to the scale. Where runs were
    not in the model they are taken to differ by ``ASSUMED_RUN_SD``; a study with one run of each leaves that out, as
    its findings hold for these runs.

    Args:
        model: As ``mixed_model`` gives it, of ratings that were given already.
        raters: How many, at least 2.
        runs: Of each architecture, at least 1.
        residents: Of each run, all of which a rater reads; at least 1.
        simulations: How many studies are drawn for each power; ``SIMULATIONS`` when None.

    Returns:
        raters, runs, residents, simulations; power: the share in which the means are found to differ (p < .05) where
        they do as observed, power_low and power_high, its 95 per cent interval, and power_half: the share where they
        differ by half of that, as observed differences tend to be too large; sd_run: between runs, in points, and
        sd_run_assumed: whether it is an assumption. None where such a study tests nothing, as it has fewer than 5
        raters or one trajectory of each architecture.
    """
    if raters < FEWEST_RATERS or runs * residents < 2:
        return None
    simulations = SIMULATIONS if simulations is None else simulations
    assumed = model["sd_run"] is None
    spread = ASSUMED_RUN_SD if assumed else float(model["sd_run"])
    sds = {**model, "sd_run": spread if runs > 1 else 0.0}
    rng = np.random.default_rng(0)
    frame = _who_rates_what(len(model["means"]), raters, runs, residents, rng)
    hits = [_found(sds, frame, share, simulations, rng) for share in (1.0, 0.5)]
    low, high = proportion_confint(hits[0], simulations, method="wilson")
    return {
        "raters": raters,
        "runs": runs,
        "residents": residents,
        "simulations": simulations,
        "power": hits[0] / simulations,
        "power_low": float(low),
        "power_high": float(high),
        "power_half": hits[1] / simulations,
        "sd_run": sds["sd_run"],
        "sd_run_assumed": assumed and runs > 1,
    }


def _who_rates_what(
    architectures: int, raters: int, runs: int, residents: int, rng: np.random.Generator
) -> pd.DataFrame:
    """Whole numbers for rater, architecture, run and resident, one rating a row; raters get the runs equally often."""
    rater, a, resident = (axis.ravel() for axis in np.indices((raters, architectures, residents)))
    dealt = np.stack([rng.permutation(np.arange(raters) % runs) for _ in range(architectures)], axis=1)
    return pd.DataFrame({"rater": rater, "architecture": a, "run": dealt[rater, a], "resident": resident})


def _found(model: dict[str, Any], frame: pd.DataFrame, share: float, simulations: int, rng: np.random.Generator) -> int:
    """In how many studies something is found, if the means differ by this share of what was observed."""
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
            # A study that leaves nothing to test by finds nothing.
            continue
        found += means_test(fit)["p"] < ALPHA
    return found
