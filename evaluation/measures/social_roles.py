"""Roles: how residents spend their steps, how varied that is, and how they divide labour."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from evaluation.measures.data_frames import WAIT, by_resident, everyone, rows
from evaluation.measures.indices import entropy, mutual_information
from irollan_env.actions import Action, Primitive
from irollan_env.naming import kind

REST = "rest"
ACTIVITIES = ("talk", "move", "fetch", "work", "leisure", REST)
DEEDS = (*(primitive.value for primitive in Primitive), WAIT)
_USES = {
    "bed": REST,
    "bench": REST,
    "chair": REST,
    "sinkbasin": "work",
    "stoveburner": "work",
    "food": "leisure",
    "beefsteak": "leisure",
    "beverage": "leisure",
    "book": "leisure",
    "toy": "leisure",
    "clothes": "leisure",
}


def activities(frame: pd.DataFrame) -> pd.Series[str]:
    """Classify the activity of each chosen action, executed or not.

    Args:
        frame: Frame of ``actions``.

    Returns:
        One of ``ACTIVITIES`` per row: talk (chats, handing over, leaving a person), move (from place to place), fetch
        (take and put), work (washing and cooking), leisure (eating, reading, playing, wearing, anything else), rest
        (beds, chairs, getting up from them, waiting); or a primitive of the world's own, by its words. Missing where a
        model call failed or the action cannot be read.
    """
    people, places = set(everyone(frame)), set(frame["place"])
    doing = [_activity(row, people, places) for row in rows(frame)]
    return pd.Series(doing, index=frame.index, dtype="object")


def activity_counts(frame: pd.DataFrame) -> pd.DataFrame:
    """Count the steps of each resident (row) spent on each activity (column)."""
    table = pd.crosstab(frame["resident"].astype(str), activities(frame))
    columns = [*ACTIVITIES, *sorted(set(table.columns) - set(ACTIVITIES))]
    return table.reindex(index=list(everyone(frame)), columns=columns, fill_value=0)


def roles(frame: pd.DataFrame) -> pd.DataFrame:
    """Find each resident's role: the activity in which its share of steps most exceeds the society's.

    Returns:
        One row per resident: role, share (of its steps), excess (over the society's share); the role is missing for a
        resident without a readable action.
    """
    counts = activity_counts(frame)
    values = counts.to_numpy(dtype=np.float64)
    pooled = values.sum(axis=0) / max(values.sum(), 1)
    found: list[tuple[str | None, float, float]] = []
    for own in values:
        if not own.any():
            found.append((None, np.nan, np.nan))
            continue
        shares = own / own.sum()
        role = int((shares - pooled).argmax())
        found.append((str(counts.columns[role]), float(shares[role]), float(shares[role] - pooled[role])))
    return pd.DataFrame(found, index=list(everyone(frame)), columns=["role", "share", "excess"])


def action_variety(frame: pd.DataFrame) -> pd.DataFrame:
    """Variety and specialisation of each resident's actions; see docs/measures.md.

    Returns:
        One row per resident, one column per measure.
    """
    counts = activity_counts(frame)
    deeds = [*DEEDS, *sorted(set(frame["primitive"].dropna()) - set(DEEDS))]
    shares = counts.div(counts.sum(axis=1), axis=0)
    mean = shares.mean().to_numpy(dtype=np.float64)
    n = int((counts.sum(axis=1) > 0).sum())
    measures = {}
    for resident, lived in by_resident(frame).items():
        own = lived.loc[lived["outcome"] != "failed", "primitive"]
        chosen = own.value_counts().reindex(deeds, fill_value=0)
        own_shares = shares.loc[resident].to_numpy(dtype=np.float64)
        measures[resident] = {
            "action_entropy": entropy(chosen.to_numpy()) / np.log2(len(deeds)),
            "specialisation": _divergence(own_shares, mean) / np.log2(n) if n > 1 else np.nan,
        }
    return pd.DataFrame.from_dict(measures, orient="index")


def division_of_labour(frame: pd.DataFrame) -> dict[str, float]:
    """Compute role entropy and division of labour of the society; see docs/measures.md."""
    counts = activity_counts(frame)
    held = roles(frame)["role"].dropna().value_counts()
    most = np.log2(min(counts.shape))
    pooled = entropy(counts.sum().to_numpy())
    return {
        "role_entropy": entropy(held.to_numpy()) / most if most > 0 else np.nan,
        "division_of_labour": mutual_information(counts.to_numpy()) / pooled if pooled > 0 else np.nan,
    }


def _divergence(own: NDArray[np.float64], mean: NDArray[np.float64]) -> float:
    """Kullback-Leibler divergence of a distribution from the mean distribution, in bits."""
    seen = own != 0
    return float(max((own[seen] * np.log2(own[seen] / mean[seen])).sum(), 0.0)) if not np.isnan(own).any() else np.nan


def _activity(row: Any, people: set[str], places: set[str]) -> str | None:
    if row.outcome == "failed" or row.primitive is None:
        return None
    match row.primitive:
        case "chat with" if row.target in people:
            return "talk"
        case "go to":
            return "move"
        case "leave":
            return "talk" if row.target in people else "move" if row.target in places else REST
        case "put":
            return "talk" if Action(row.action).target in people else "fetch"
        case "take":
            return "fetch"
        case "wait":
            return REST
        case _ if row.primitive not in DEEDS:
            return str(row.primitive)
        case _:
            return _USES.get(kind(row.target), "leisure")
