"""Measures of society and places: inequality and mobility of resources, topics and gatherings, time alone."""

from __future__ import annotations

import numpy as np
import pandas as pd
from scipy import stats

from evaluation.measures.data_frames import everyone
from evaluation.measures.indices import gini


def mobility(resources: pd.DataFrame) -> float:
    """Rank mobility of resources over half a run: the mean of (1 - tau) / 2, tau Kendall's tau-b.

    Args:
        resources: One row per time step, one column per resident; not a number for one who is away.

    Returns:
        In [0, 1]: 0 if nobody overtakes anybody, 0.5 if the two orders are independent, 1 if the order is reversed.
        Pairs of steps at which all resources are equal are left out; not a number if none is left.
    """
    values = resources.to_numpy(dtype=np.float64)
    apart = max(len(values) // 2, 1)
    taus = []
    for before, after in zip(values[:-apart], values[apart:], strict=True):
        there = ~np.isnan(before) & ~np.isnan(after)
        if there.any() and np.ptp(before[there]) > 0 and np.ptp(after[there]) > 0:
            taus.append(float(stats.kendalltau(before[there], after[there]).statistic))
    return (1 - float(np.mean(taus))) / 2 if taus else np.nan


def resources_over_time(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the resources by time step (row) and resident (column); no row without LTRHA."""
    return frame.pivot(index="time", columns="resident", values="resources").dropna(how="all")


def inequality(frame: pd.DataFrame) -> dict[str, float]:
    """Gini coefficient and mobility of resources; see docs/measures.md. Not numbers without LTRHA."""
    resources = resources_over_time(frame)
    if resources.empty:
        return {"gini": np.nan, "mobility": np.nan}
    return {"gini": gini(resources.iloc[-1].dropna()), "mobility": mobility(resources)}


def final_resources(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the resources of each resident in the last time step in which it was there; missing without LTRHA."""
    last = frame.drop_duplicates("resident", keep="last")
    return pd.DataFrame({"resources_end": last.set_index(last["resident"].astype(str))["resources"]})


def topics(frame: pd.DataFrame) -> pd.DataFrame:
    """Topic and occupancy of each place; see docs/measures.md.

    Args:
        frame: Frame of ``actions``.

    Returns:
        One row per visited place, one column per measure.
    """
    moments = frame.groupby(["place", "time"], as_index=False).agg(topic=("topic", "first"), people=("action", "size"))
    measures = {}
    for place, own in moments.groupby("place"):
        known = own.dropna(subset="topic")
        varies = len(known) > 1 and np.ptp(known["topic"]) > 0
        measures[str(place)] = {
            "topic_mean": float(known["topic"].mean()) if len(known) else np.nan,
            "topic_trend": float(stats.kendalltau(known["time"], known["topic"]).statistic) if varies else np.nan,
            "occupied": len(own) / frame["time"].nunique(),
            "gathering": float(own["people"].mean()),
        }
    return pd.DataFrame.from_dict(measures, orient="index")


def time_alone(frame: pd.DataFrame) -> pd.DataFrame:
    """Per resident, the share of time steps without another resident in the same place."""
    alone = frame["company"].map(len) == 0
    shares = alone.groupby(frame["resident"].astype(str)).mean()
    return pd.DataFrame({"time_alone": shares.reindex(list(everyone(frame)))})
