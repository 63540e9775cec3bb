"""Exploration: how many places, objects and people each resident discovers, and how fast."""

from __future__ import annotations

import numpy as np
import pandas as pd

from evaluation.measures.data_frames import by_resident, everyone, rows
from evaluation.measures.indices import entropy

KINDS = {"place": "places", "object": "objects", "person": "people"}
_OBJECTS = frozenset({"furniture", "item"})


def sightings(frame: pd.DataFrame) -> pd.DataFrame:
    """Find the first time at which each resident encountered each place, object and person.

    Args:
        frame: Frame of ``actions``.

    Returns:
        Columns time, resident, kind ("place" visited, "object" seen, "person" met in the same place), name.
    """
    first: dict[tuple[str, str, str], int] = {}
    for row in rows(frame):
        resident = str(row.resident)
        found = [("place", row.place), *(("person", name) for name in row.company)]
        found += [("object", one["name"]) for one in row.percepts if one["kind"] in _OBJECTS]
        for kind, name in found:
            first.setdefault((resident, kind, name), row.time)
    listed = [(time, *key) for key, time in first.items()]
    return pd.DataFrame(listed, columns=["time", "resident", "kind", "name"])


def accumulation(frame: pd.DataFrame) -> pd.DataFrame:
    """Compute species accumulation curves: places, objects and people that each resident encountered by each step.

    Returns:
        Columns time, resident, kind, count; a resident that comes later has rows from then on.
    """
    steps = np.unique(frame["time"].to_numpy())
    first = sightings(frame)
    counted: list[tuple[int, str, str, int]] = []
    found = {key: np.sort(own.to_numpy()) for key, own in first.groupby(["resident", "kind"])["time"]}
    came = frame.groupby("resident", observed=True)["time"].min()
    for resident in everyone(frame):
        times = steps[steps >= came[resident]]
        for kind in KINDS:
            own = found.get((resident, kind), np.empty(0))
            counts = np.searchsorted(own, times, side="right")
            counted += [(int(time), resident, kind, int(count)) for time, count in zip(times, counts, strict=True)]
    return pd.DataFrame(counted, columns=["time", "resident", "kind", "count"])


def exploration(frame: pd.DataFrame) -> pd.DataFrame:
    """Measures of exploration; see docs/measures.md.

    Args:
        frame: Frame of ``actions``.

    Returns:
        One row per resident, one column per measure.
    """
    first, curve = sightings(frame), accumulation(frame)
    there = {kind: first.loc[first["kind"] == kind, "name"].nunique() - (kind == "person") for kind in KINDS}
    totals = first.groupby(["resident", "kind"]).size().to_dict()
    means = curve.groupby(["resident", "kind"])["count"].mean().to_dict()
    measures: dict[str, dict[str, float]] = {}
    for resident, own in by_resident(frame).items():
        row = {plural: float(totals.get((resident, kind), 0)) for kind, plural in KINDS.items()}
        for kind, plural in KINDS.items():
            row[f"{plural}_curve"] = float(means[resident, kind] / there[kind]) if there[kind] > 0 else np.nan
        row["place_entropy"] = entropy(own["place"].value_counts().to_numpy())
        measures[resident] = row
    return pd.DataFrame.from_dict(measures, orient="index")
