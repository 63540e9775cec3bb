"""Ratings of made-up studies, with known causes."""

import numpy as np
import pandas as pd

from evaluation.rating.rating_scale import DIMENSIONS

ARCHITECTURES = ("itcma", "ltrha", "compressed-memory", "driver", "itcma-s")
LIKED = (2.9, 4.9, 3.6, 4.3, 6.2)
RESIDENTS = ("AY", "SG", "MD", "WL", "LL", "WM")


def study(raters=48, residents=6, dimensions=DIMENSIONS, *, leniency=0.6, taste=0.4, seed=0):
    """Every rater rates every resident of every architecture; leniency and taste are sd between raters."""
    rng = np.random.default_rng(seed)
    shape = (len(dimensions), raters, len(ARCHITECTURES), residents)
    felt = (
        np.array(LIKED)[:, None]
        + leniency * rng.normal(size=(*shape[:2], 1, 1))
        + taste * rng.normal(size=(*shape[:3], 1))
        + rng.normal(size=shape)
    )
    index = pd.MultiIndex.from_product(
        [dimensions, [f"r{number:02}" for number in range(raters)], ARCHITECTURES, RESIDENTS[:residents]],
        names=["dimension", "rater", "architecture", "resident"],
    )
    frame = pd.DataFrame({"rating": np.clip(np.round(felt), 1, 7).astype(int).ravel()}, index=index).reset_index()
    frame["run"] = frame["architecture"] + "-0"
    return frame[["rater", "run", "architecture", "resident", "dimension", "rating"]]


def one_each(sizes, seed=0):
    """Each rating from another rater, in groups of these sizes, with means and spreads that differ."""
    rng = np.random.default_rng(seed)
    parts = []
    for group, size in enumerate(sizes):
        felt = LIKED[group] + (0.6 + 0.4 * group) * rng.normal(size=size)
        parts.append(
            pd.DataFrame(
                {
                    "rater": [f"r{group}-{number}" for number in range(size)],
                    "run": f"run{group}",
                    "architecture": ARCHITECTURES[group],
                    "resident": "AY",
                    "dimension": "exploration",
                    "rating": np.clip(np.round(felt), 1, 7).astype(int),
                }
            )
        )
    return pd.concat(parts, ignore_index=True)
