"""Simulated ratings of one dimension, for each design of raters, runs and trajectories."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

ARCHITECTURES = ("itcma", "ltrha", "compressed-memory", "driver", "itcma-s")
MIDDLE = 4.0


@dataclass(frozen=True, kw_only=True)
class Study:
    """A study design with the standard deviations of its random effects, in points of the scale.

    Attributes:
        what: The design in words.
        raters: Raters of the study, or of each trajectory with ``own_raters``.
        runs: Runs of each architecture; a rater reads one of each architecture.
        residents: Residents of each run, all read by each of its raters.
        own_raters: Whether each trajectory has raters of its own, who rate nothing else.
        once: Whether each trajectory is rated once: the residents of a run are dealt out among the raters.
        sizes: Ratings of each architecture if every rating has its own rater and trajectory; empty otherwise.
        rater, taste, run, trajectory: Standard deviations of raters, rater by architecture, runs and trajectories.
        residual: Residual standard deviation; one per architecture if they differ.
    """

    what: str
    raters: int = 24
    runs: int = 1
    residents: int = 6
    own_raters: bool = False
    once: bool = False
    sizes: tuple[int, ...] = ()
    rater: float = 0.6
    taste: float = 0.4
    run: float = 0.0
    trajectory: float = 0.5
    residual: tuple[float, ...] = (1.0,) * 5


GROWING = (0.5, 0.9, 1.2, 1.6, 2.0)
STUDIES: Mapping[str, Study] = {
    "crossed": Study(what="24 raters read one run of each architecture, with 6 residents"),
    "crossed, five runs": Study(what="the same with 5 runs of each; a rater reads one of each", runs=5, run=0.25),
    "crossed, five runs that differ more": Study(what="the same, runs by 0.5", runs=5, run=0.5),
    "crossed, two runs": Study(what="2 runs of each, which differ by 0.5", runs=2, run=0.5),
    "own raters": Study(what="8 raters for each trajectory, who rate nothing else", raters=8, own_raters=True),
    "rated once": Study(
        what="12 raters, 4 runs of each architecture, each trajectory rated once",
        raters=12,
        runs=4,
        run=0.25,
        once=True,
    ),
    "independent": Study(what="12 ratings of each architecture, all by others of others", sizes=(12, 12, 12, 12, 12)),
    "independent, small and unequal": Study(
        what="5 to 12 ratings; the smallest group varies most",
        sizes=(12, 10, 8, 6, 5),
        residual=GROWING,
    ),
    "independent, small and unequal, the other way": Study(
        what="5 to 12 ratings; the largest group varies most", sizes=(5, 6, 8, 10, 12), residual=GROWING
    ),
    "one run that differs": Study(what="one run of each, which differ by 0.25", run=0.25),
    "one run that differs more": Study(what="one run of each, which differ by 0.5", run=0.5),
    "one trajectory": Study(what="one trajectory of each, which differ by 0.5", residents=1),
}
"""Designs by name. In the last three, effects of the architecture are confounded with others, whatever the test."""

BEYOND_TESTS = ("one run that differs", "one run that differs more", "one trajectory")


def ratings_of(study: Study, rng: np.random.Generator, effect: float = 0.0) -> pd.DataFrame:
    """Simulate a study's ratings, one per row: rater, run, architecture, resident, dimension, rating (1 to 7).

    Args:
        study: The design.
        rng: Random generator.
        effect: Points between the worst and the best architecture; the others are evenly spaced between them.
    """
    frame = _who_rates_what(study, rng)
    a = frame["architecture"].to_numpy()

    def differences(columns: list[str], sd: float) -> NDArray[np.float64]:
        codes = frame.groupby(columns).ngroup().to_numpy()
        return np.asarray(sd * rng.normal(size=codes.max() + 1)[codes], dtype=np.float64)

    felt = (
        MIDDLE
        + effect * (a / (len(ARCHITECTURES) - 1) - 0.5)
        + differences(["rater"], study.rater)
        + differences(["rater", "architecture"], study.taste)
        + differences(["architecture", "run"], study.run)
        + differences(["architecture", "run", "resident"], study.trajectory)
        + np.array(study.residual)[a] * rng.normal(size=len(frame))
    )
    names = np.array(ARCHITECTURES)[a]
    return pd.DataFrame(
        {
            "rater": "r" + frame["rater"].astype(str),
            "run": [f"{name}-{run}" for name, run in zip(names, frame["run"], strict=True)],
            "architecture": names,
            "resident": "p" + frame["resident"].astype(str),
            "dimension": "exploration",
            "rating": np.clip(np.round(felt), 1, 7).astype(int),
        }
    )


def _who_rates_what(study: Study, rng: np.random.Generator) -> pd.DataFrame:
    """Return the indices of rater, architecture, run and resident of each rating, one per row."""
    columns = ["rater", "architecture", "run", "resident"]
    if study.sizes:
        rows = [(a, place) for a, size in enumerate(study.sizes) for place in range(size)]
        frame = pd.DataFrame(rows, columns=["architecture", "resident"])
        return frame.assign(rater=range(len(frame)), run=frame["resident"])
    shape = (study.raters, len(ARCHITECTURES), study.runs, study.residents)
    frame = pd.DataFrame(np.indices(shape).reshape(4, -1).T, columns=columns)
    if study.own_raters:
        return frame.assign(rater=range(len(frame)))
    if study.once:
        place = (frame["run"] * study.residents + frame["resident"]) % study.raters
        return frame[place == frame["rater"]].reset_index(drop=True)
    # Raters get the runs of an architecture equally often, by chance.
    dealt = np.stack([rng.permutation(np.arange(study.raters) % study.runs) for _ in ARCHITECTURES], axis=1)
    reads = dealt[frame["rater"].to_numpy(), frame["architecture"].to_numpy()] == frame["run"].to_numpy()
    return pd.DataFrame(frame[reads].reset_index(drop=True))
