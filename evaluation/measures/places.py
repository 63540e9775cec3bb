"""Places: their topics, who gathers there, and how much time residents spend alone."""

from __future__ import annotations

import numpy as np
import pandas as pd
from scipy import stats

from evaluation.measures.data_frames import everyone


def topics(frame: pd.DataFrame) -> pd.DataFrame:
    """Topic and company of each place, over the time steps in which somebody was there; see docs/measures.md.

    Args:
        frame: Of ``actions``.

    Returns:
        One row per place that was visited, one column per measure.
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
    """Per resident the share of time steps in which nobody else was in the same place."""
    alone = frame["company"].map(len) == 0
    shares = alone.groupby(frame["resident"].astype(str)).mean()
    return pd.DataFrame({"time_alone": shares.reindex(list(everyone(frame)))})
