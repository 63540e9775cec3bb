"""How often ratings of architectures that do not differ are said to differ.

Raters rate the same residents of each architecture. Raters differ, trajectories differ, architectures do not; so each
test should find something (p < .05) in 5 per cent of the studies.
"""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd

from benchmarks.reporting import AsJson, Measurement, machine, show
from evaluation.statistics import describe, mixed_model, omnibus, ordinal_model

ARCHITECTURES = ["itcma", "ltrha", "compressed-memory", "driver", "itcma-s"]
RATERS, RESIDENTS = 24, 6
BETWEEN_RATERS, BETWEEN_TRAJECTORIES, RESIDUAL = 0.6, 0.5, 1.0
STUDIES, ORDINAL = 1000, 150


def command(as_json: AsJson = False) -> None:
    """Print the share of studies in which each test finds a difference that is not there."""
    warnings.simplefilter("ignore")
    show(measure(), machine(), as_json=as_json)


def measure() -> list[Measurement]:
    """The share of each test, and its standard error, in per cent; it should be 5."""
    rng = np.random.default_rng(0)
    p_values: dict[str, list[float]] = {"standard ANOVA": [], "mixed model": [], "ordinal model": []}
    for number in range(STUDIES):
        ratings = study(rng)
        p_values["standard ANOVA"].append(float(omnibus(describe(ratings))["p"]["anova"]))
        p_values["mixed model"].append(float(mixed_model(ratings, ARCHITECTURES)["p"]))
        if number < ORDINAL:
            p_values["ordinal model"].append(float(ordinal_model(ratings, ARCHITECTURES)["p"]))
    found = []
    for name, values in p_values.items():
        share = float(np.mean(np.array(values) < 0.05))
        error = float(np.sqrt(share * (1 - share) / len(values)))
        of = f"of {len(values)} studies"
        found += [
            Measurement(name=f"{name}: p < .05", value=100 * share, unit=f"% {of}"),
            Measurement(name=f"{name}: standard error of that", value=100 * error, unit="%"),
        ]
    return found


def study(rng: np.random.Generator) -> pd.DataFrame:
    """Ratings of one dimension in which no architecture differs from another."""
    shape = (RATERS, len(ARCHITECTURES), RESIDENTS)
    felt = (
        4
        + BETWEEN_RATERS * rng.normal(size=(RATERS, 1, 1))
        + BETWEEN_TRAJECTORIES * rng.normal(size=shape[1:])
        + RESIDUAL * rng.normal(size=shape)
    )
    axes = [[f"r{number}" for number in range(RATERS)], ARCHITECTURES, [f"p{number}" for number in range(RESIDENTS)]]
    index = pd.MultiIndex.from_product(axes, names=["rater", "architecture", "resident"])
    ratings = np.clip(np.round(felt), 1, 7).astype(int).ravel()
    frame = pd.DataFrame({"rating": ratings}, index=index).reset_index()
    return frame.assign(run=frame["architecture"] + "-0", dimension="exploration")
