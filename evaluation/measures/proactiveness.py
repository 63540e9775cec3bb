"""Proactiveness: conversations initiated, answers given and received, activity."""

from __future__ import annotations

import numpy as np
import pandas as pd

from evaluation.measures.data_frames import everyone
from evaluation.measures.social_roles import REST, activities
from evaluation.measures.turns import WINDOW, conversation_turns


def proactiveness(frame: pd.DataFrame, window: int = WINDOW) -> pd.DataFrame:
    """Measures of proactiveness; see docs/measures.md.

    Args:
        frame: Frame of ``actions``.
        window: As in ``conversation_turns``; conversations initiated too late to be answered within it are left out.

    Returns:
        One row per resident, one column per measure.
    """
    held = conversation_turns(frame, window)
    initiated = held[held["initiated"]]
    due = initiated[initiated["time"] <= frame["time"].max() - window]
    doing = activities(frame)
    measures = {}
    for resident in everyone(frame):
        own = doing[frame["resident"] == resident].dropna()
        measures[resident] = {
            "turns": float((held["sender"] == resident).sum()),
            "initiated_rate": float((initiated["sender"] == resident).sum() / (frame["resident"] == resident).sum()),
            "initiated_answered": _mean(due.loc[due["sender"] == resident, "answered"]),
            "answer_rate": _mean(due.loc[due["receiver"] == resident, "answered"]),
            "active": _mean(own != REST),
        }
    return pd.DataFrame.from_dict(measures, orient="index")


def _mean(flags: pd.Series[bool]) -> float:
    return float(flags.mean()) if len(flags) else np.nan
