"""How long `irollan anova` takes, beside scipy and statsmodels.

48 raters rate 5 architectures x 6 residents in 5 dimensions. The whole command is timed, from its start to its report
with plots. Beside it, in one process and on the ratings of one dimension: Games-Howell intervals as scipy computes
them, and the mixed model as statsmodels fits it.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
from scipy import stats
from statsmodels.regression.mixed_linear_model import MixedLM

from benchmarks.reporting import AsJson, Measurement, machine, show
from evaluation.rating.rating_scale import DIMENSIONS
from evaluation.statistics import describe, games_howell, mixed_model

ARCHITECTURES = ("itcma", "ltrha", "compressed-memory", "driver", "itcma-s")
RESIDENTS = ("AY", "SG", "MD", "WL", "LL", "WM")
RATERS, GOAL = 48, 10.0


def command(as_json: AsJson = False) -> int:
    """Time irollan anova on 7,200 ratings, and its tests beside those of scipy and statsmodels.

    It ends with 1 where the whole command takes longer than the goal.
    """
    found = measure()
    show(found, machine(), as_json=as_json)
    return int(not found[0].reached)


def measure() -> list[Measurement]:
    """Seconds of the whole command first, then of single tests."""
    ratings = study(np.random.default_rng(0))
    with tempfile.TemporaryDirectory() as folder:
        source, page = Path(folder, "ratings.csv"), Path(folder, "report.html")
        ratings.to_csv(source, index=False)
        command = [sys.executable, "-m", "evaluation", "anova", str(source), "--html", str(page)]
        whole = seconds(lambda: subprocess.run(command, check=True, capture_output=True))
        size = page.stat().st_size
    found = [
        Measurement(name=f"irollan anova, {len(ratings)} ratings", value=whole, unit="s", goal=GOAL, at_least=False),
        Measurement(name="its report", value=size / 1e3, unit="kB"),
    ]
    one = ratings[ratings["dimension"] == "exploration"]
    groups = describe(one)
    values = [one.loc[one["architecture"] == name, "rating"] for name in groups["architecture"]]
    for what, ours, other, theirs in (
        (
            "Games-Howell with intervals",
            lambda: games_howell(groups),
            "scipy",
            lambda: stats.tukey_hsd(*values, equal_var=False).confidence_interval(),
        ),
        (
            "mixed model",
            lambda: mixed_model(one, list(ARCHITECTURES)),
            "statsmodels",
            lambda: as_statsmodels(one),
        ),
    ):
        own, its = seconds(ours), seconds(theirs)
        found += [
            Measurement(name=what, value=own, unit="s"),
            Measurement(name=f"{what}, {other}", value=its, unit="s"),
            Measurement(name=f"{what}, {other} / irollan", value=its / own, unit="times"),
        ]
    return found


def study(rng: np.random.Generator) -> pd.DataFrame:
    """Ratings of raters who are milder or stricter and have their favourites; some architectures spread more."""
    shape = (len(DIMENSIONS), RATERS, len(ARCHITECTURES), len(RESIDENTS))
    felt = (
        np.array([2.9, 4.9, 3.6, 4.3, 6.2])[:, None]
        + 0.6 * rng.normal(size=(*shape[:2], 1, 1))
        + 0.4 * rng.normal(size=(*shape[:3], 1))
        + np.array([0.8, 1.0, 1.2, 1.4, 1.0])[:, None] * rng.normal(size=shape)
    )
    names = ["dimension", "rater", "architecture", "resident"]
    axes = [DIMENSIONS, [f"r{number:02}" for number in range(RATERS)], ARCHITECTURES, RESIDENTS]
    frame = pd.DataFrame(
        {"rating": np.clip(np.round(felt), 1, 7).astype(int).ravel()},
        index=pd.MultiIndex.from_product(axes, names=names),
    ).reset_index()
    return frame.assign(run=frame["architecture"] + "-0")


def as_statsmodels(ratings: pd.DataFrame) -> object:
    """The same mixed model as variance components of a single group."""
    frame = ratings.assign(
        one=1, taste=ratings["rater"] + ratings["architecture"], trajectory=ratings["run"] + ratings["resident"]
    )
    effects = {name: f"0 + C({name})" for name in ("rater", "taste", "trajectory")}
    model = MixedLM.from_formula(
        "rating ~ 0 + C(architecture)", frame, groups="one", re_formula="0", vc_formula=effects
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model.fit(method=["lbfgs"])


def seconds(work: Callable[[], object]) -> float:
    """How long it takes."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start
