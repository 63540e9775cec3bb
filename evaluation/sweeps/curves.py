"""Quantities of a sweep's runs over time, and group means with confidence bands over runs."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd

from evaluation.measures import actions, read_run, turns
from evaluation.measures.exploration import accumulation
from evaluation.measures.indices import gini
from evaluation.measures.society import resources_over_time
from evaluation.records.run_directory import RunDirectory
from evaluation.statistics.omnibus import with_intervals
from evaluation.sweeps.directory import SweepDirectory
from evaluation.sweeps.table import GROUP

QUANTITIES = {
    "driver": "Driver (figure 6a)",
    "pleasure": "Pleasure (figure 6b)",
    "arousal": "Arousal (figure 6b)",
    "dominance": "Dominance (figure 6b)",
    "resources": "Gini of resources (figure 7a)",
    "topic": "Topic where people are (figure 7b)",
    "places": "Places visited",
    "people": "People met",
    "turns": "Turns to others so far",
}
"""Titles of the drawn quantities by name; all are means over residents except the Gini coefficient."""
SCALES = {
    "driver": (-math.inf, math.inf),
    "pleasure": (-1.0, 1.0),
    "arousal": (0.0, math.tanh(1.0)),
    "dominance": (0.0, math.tanh(1.0)),
    "resources": (0.0, 1.0),
    "topic": (-1.0, 1.0),
    "places": (0.0, math.inf),
    "people": (0.0, math.inf),
    "turns": (0.0, math.inf),
}
"""Minimum and maximum possible value by quantity."""
_PLURAL = {"place": "places", "person": "people"}


def curves(directory: SweepDirectory, finished: pd.DataFrame) -> pd.DataFrame:
    """Compute every quantity of every finished run at each time step.

    Args:
        directory: Directory of the sweep, ``SweepResult.directory``.
        finished: Rows of ``SweepResult.table`` with status finished.

    Returns:
        Columns run, group, seed, time, quantity, value; a quantity missing from a run, such as resources without
        LTRHA, has no rows.
    """
    tables = []
    for _, row in finished.iterrows():
        own = curves_of_run(actions(read_run(RunDirectory(directory.runs_path / row["run"]).path).records))
        for position, column in enumerate(("run", GROUP, "seed")):
            own.insert(position, column, row[column])
        tables.append(own)
    return pd.concat(tables, ignore_index=True)


def bands(table: pd.DataFrame) -> pd.DataFrame:
    """Compute the mean over runs at each time step, with its pointwise 95 per cent t interval.

    Args:
        table: The result of ``evaluation.sweep_curves``.

    Returns:
        Columns group, quantity, time, n, mean, low, high; low and high are NaN for a group of one run. Intervals are
        clipped to the possible values of their quantity.
    """
    by = ["quantity", GROUP, "time"]
    counted = table.groupby(by, sort=False)["value"].agg(n="size", mean="mean", sd="std").reset_index()
    counted["se"] = counted["sd"] / np.sqrt(counted["n"])
    placed = with_intervals(counted.rename(columns={"quantity": "dimension", GROUP: "architecture"}))
    placed = placed.rename(columns={"dimension": "quantity", "architecture": GROUP})
    least, most = (placed["quantity"].map({name: ends[i] for name, ends in SCALES.items()}) for i in (0, 1))
    placed["low"], placed["high"] = placed["low"].clip(least, most), placed["high"].clip(least, most)
    return placed[[GROUP, "quantity", "time", "n", "mean", "low", "high"]]


def curves_of_run(frame: pd.DataFrame) -> pd.DataFrame:
    """Compute every quantity of one run at each time step.

    Args:
        frame: The result of ``evaluation.actions``.

    Returns:
        Columns time, quantity, value.
    """
    series: dict[str, pd.Series] = {}
    by_time = frame.groupby("time")
    for quantity in ("driver", "pleasure", "arousal", "dominance", "topic"):
        series[quantity] = by_time[quantity].mean()
    amounts = resources_over_time(frame)
    series["resources"] = pd.Series({time: gini(row.dropna()) for time, row in amounts.iterrows()}, dtype=float)
    counts = accumulation(frame)
    for kind, name in _PLURAL.items():
        series[name] = counts[counts["kind"] == kind].groupby("time")["count"].mean()
    times = series["driver"].index
    taken = turns(frame)["time"].value_counts().reindex(times, fill_value=0)
    # Each step counts with those who are there.
    series["turns"] = (taken.sort_index() / by_time["resident"].nunique()).cumsum()
    listed = [
        pd.DataFrame({"time": values.index, "quantity": name, "value": values.to_numpy(dtype=float)})
        for name, values in series.items()
        if name in QUANTITIES
    ]
    return pd.concat(listed, ignore_index=True).dropna(subset=["value"])
