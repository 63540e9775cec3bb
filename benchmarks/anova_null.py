"""How often ratings of architectures that do not differ are said to differ: `python benchmarks/anova_null.py`.

Raters rate the same residents of each architecture. Raters differ, trajectories differ, architectures do not; so each
test should find something (p < .05) in 5 per cent of the studies.
"""

from __future__ import annotations

import sys
import warnings

import numpy as np
import pandas as pd

from evaluation.statistics import describe, mixed_model, omnibus, ordinal_model

ARCHITECTURES = ["itcma", "ltrha", "compressed-memory", "driver", "itcma-s"]
RATERS, RESIDENTS = 24, 6
BETWEEN_RATERS, BETWEEN_TRAJECTORIES, RESIDUAL = 0.6, 0.5, 1.0
STUDIES, ORDINAL = 1000, 150


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


def main() -> int:
    """Print the share of studies in which each test finds a difference."""
    warnings.simplefilter("ignore")
    rng = np.random.default_rng(0)
    found: dict[str, list[bool]] = {"standard ANOVA": [], "mixed model": [], "ordinal model": []}
    for number in range(STUDIES):
        ratings = study(rng)
        found["standard ANOVA"].append(omnibus(describe(ratings)).loc["anova", "p"] < 0.05)
        found["mixed model"].append(mixed_model(ratings, ARCHITECTURES)["p"] < 0.05)
        if number < ORDINAL:
            found["ordinal model"].append(ordinal_model(ratings, ARCHITECTURES)["p"] < 0.05)
    for name, results in found.items():
        share = float(np.mean(results))
        error = float(np.sqrt(share * (1 - share) / len(results)))
        print(f"{name}: p < .05 in {100 * share:.1f} % of {len(results)} studies (± {100 * error:.1f})")
    return 0


if __name__ == "__main__":
    sys.exit(main())
