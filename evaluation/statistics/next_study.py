"""How likely a next study is to find what this one found: simulated, with its raters, runs and residents."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from statsmodels.stats.proportion import proportion_confint

from evaluation.rating.rating_scale import HIGHEST, LOWEST
from evaluation.statistics.design import FEWEST_RATERS
from evaluation.statistics.repeated import mixed_model

SIMULATIONS = 200
ALPHA = 0.05

ASSUMED_RUN_SD = 0.25
"""Points by which runs are taken to differ where one of each architecture was rated, which does not tell it."""


def next_study(
    model: dict[str, Any], *, raters: int, runs: int, residents: int, simulations: int = SIMULATIONS
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
        simulations: How many studies are drawn for each power.

    Returns:
        raters, runs, residents, simulations; power: the share in which the means are found to differ (p < .05) where
        they do as observed, power_low and power_high, its 95 per cent interval, and power_half: the share where they
        differ by half of that, as observed differences tend to be too large; sd_run: between runs, in points, and
        sd_run_assumed: whether it is an assumption. None where such a study tests nothing, as it has fewer than 5
        raters or one trajectory of each architecture.
    """
    if raters < FEWEST_RATERS or runs * residents < 2:
        return None
    assumed = model["sd_run"] is None
    spread = ASSUMED_RUN_SD if assumed else float(model["sd_run"])
    rng = np.random.default_rng(0)
    sds = {**model, "sd_run": spread if runs > 1 else 0.0}
    hits = [sum(_found(sds, (raters, runs, residents), share, rng) for _ in range(simulations)) for share in (1.0, 0.5)]
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


def _found(model: dict[str, Any], size: tuple[int, int, int], share: float, rng: np.random.Generator) -> bool:
    """Whether one study finds something, if the means differ by this share of what was observed."""
    means = model["means"]["mean"].to_numpy(dtype=float)
    means = means.mean() + share * (means - means.mean())
    raters, runs, residents = size
    k = len(means)
    rater, a, resident = (axis.ravel() for axis in np.indices((raters, k, residents)))
    # Raters get the runs of an architecture equally often, by chance.
    run = np.stack([rng.permutation(np.arange(raters) % runs) for _ in range(k)], axis=1)[rater, a]
    sd = {name: float(model[name] or 0.0) for name in ("sd_rater", "sd_rater_architecture", "sd_trajectory")}
    felt = (
        means[a]
        + sd["sd_rater"] * rng.normal(size=raters)[rater]
        + sd["sd_rater_architecture"] * rng.normal(size=(raters, k))[rater, a]
        + model["sd_run"] * rng.normal(size=(k, runs))[a, run]
        + sd["sd_trajectory"] * rng.normal(size=(k, runs, residents))[a, run, resident]
        + model["sd_residual"] * rng.normal(size=len(a))
    )
    frame = pd.DataFrame(
        {
            "rater": rater,
            "run": run,
            "architecture": a,
            "resident": resident,
            "rating": np.clip(np.round(felt), LOWEST, HIGHEST),
        }
    )
    try:
        return bool(mixed_model(frame, list(range(k)))["p"] < ALPHA)  # type: ignore[arg-type]
    except ValueError:
        # A study that leaves nothing to test by finds nothing.
        return False
