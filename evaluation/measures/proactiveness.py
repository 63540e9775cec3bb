"""Proactiveness: conversations begun, answers given and got, and not merely resting."""

from __future__ import annotations

import numpy as np
import pandas as pd

from evaluation.measures.data_frames import everyone, turns
from evaluation.measures.social_roles import REST, activities
from evaluation.measures.turn_taking import WINDOW, answered


def conversation_turns(frame: pd.DataFrame, window: int = WINDOW) -> pd.DataFrame:
    """The turns of ``turns``, with what each is in its conversation.

    Args:
        frame: Of ``actions``.
        window: Time steps within which one turn follows on another, at least 1.

    Returns:
        The columns of ``turns``; ``begun``: neither of the two turned to the other within the window before;
        ``answer``: the other turned to the sender within the window before; ``answered``: the receiver turned back
        within the window after.
    """
    held = turns(frame)
    times = held["time"].to_numpy(dtype=np.int64)
    senders, receivers = held["sender"].to_numpy(dtype=object), held["receiver"].to_numpy(dtype=object)
    held["answered"] = answered(times, senders, receivers, window)
    # A turn answers another exactly if, with time running backwards, it is the one that is answered.
    held["answer"] = answered(-times[::-1], senders[::-1], receivers[::-1], window)[::-1]
    continued = []
    last: dict[tuple[str, str], int] = {}
    for time, sender, receiver in zip(times, senders, receivers, strict=True):
        continued.append((sender, receiver) in last and time - last[sender, receiver] <= window)
        last[sender, receiver] = time
    held["begun"] = ~held["answer"] & ~np.array(continued, dtype=np.bool_)
    return held


def proactiveness(frame: pd.DataFrame, window: int = WINDOW) -> pd.DataFrame:
    """Measures of proactiveness; see docs/measures.md.

    Args:
        frame: Of ``actions``.
        window: As in ``conversation_turns``. What began too late to be answered within it is left out of the shares.

    Returns:
        One row per resident, one column per measure.
    """
    held = conversation_turns(frame, window)
    begun = held[held["begun"]]
    due = begun[begun["time"] <= frame["time"].max() - window]
    doing = activities(frame)
    measures = {}
    for resident in everyone(frame):
        own = doing[frame["resident"] == resident].dropna()
        measures[resident] = {
            "turns": float((held["sender"] == resident).sum()),
            "begun_rate": float((begun["sender"] == resident).sum() / (frame["resident"] == resident).sum()),
            "begun_answered": _share(due.loc[due["sender"] == resident, "answered"]),
            "answer_rate": _share(due.loc[due["receiver"] == resident, "answered"]),
            "active": float((own != REST).mean()) if len(own) else np.nan,
        }
    return pd.DataFrame.from_dict(measures, orient="index")


def _share(flags: pd.Series[bool]) -> float:
    return float(flags.mean()) if len(flags) else np.nan
