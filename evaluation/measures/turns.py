"""Turns of residents to each other, with possible receivers and answers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from evaluation.measures.data_frames import RunLike, actions, rows
from irollan_env.actions import SILENCE, Action


def within_reach(frame: pd.DataFrame) -> list[tuple[str, ...]]:
    """Return for each turn the residents whom the sender could have turned to, the receiver included.

    The residents in an agent's admissible chats were present when it decided. Under simultaneous scheduling
    one of them may leave before the agent acts, and records do not say whether that came first. Therefore a turn to
    somebody who stayed could have gone to anyone who stayed, and a turn to somebody who left in the same step counts as
    if nobody else had been present. All residents returned are equally likely if receivers are drawn at random.

    Args:
        frame: Frame of ``actions``.

    Returns:
        Per row with a partner, in the order of the frame, names in the order of all residents.
    """
    order = {str(name): number for number, name in enumerate(frame["resident"].cat.categories)}
    rows: list[Any] = list(frame.itertuples())
    offered = [_offered(row.admissible) & order.keys() for row in rows]
    company = [frozenset(names) for names in frame["company"]]
    # An offered resident that began the step elsewhere arrived within it, which implies sequential scheduling.
    in_turn = any(names - here for names, here in zip(offered, company, strict=True))
    went: frozenset[tuple[Any, str]] = frozenset() if in_turn else _went(frame)
    found = []
    for row, names, here in zip(rows, offered, company, strict=True):
        if row.partner is None:
            continue
        gone = {name for name in names or here if (row.time, name) in went}
        there = {row.partner} if row.partner in gone else {row.partner, *(names or here)} - gone
        found.append(tuple(sorted(there, key=order.__getitem__)))
    return found


def _offered(admissible: Iterable[str]) -> frozenset[str]:
    """Return the residents whom an agent could chat with, by its admissible actions."""
    chats = (Action.parse(action) for action in admissible if action.startswith("chat with "))
    return frozenset(chat.target for chat in chats if isinstance(chat, Action) and chat.words == SILENCE)


def _went(frame: pd.DataFrame) -> frozenset[tuple[Any, str]]:
    """Return (time, name) of every move to another place."""
    going = frame[(frame["primitive"] == "go to") & (frame["outcome"] == "executed")]
    return frozenset(zip(going["time"], going["resident"].astype(str), strict=True))


WINDOW = 2
"""Time steps within which a turn back counts as an answer: one to hear, and one more in case of filtering."""


def answered(
    times: NDArray[np.int64], senders: NDArray[Any], receivers: NDArray[Any], window: int = WINDOW
) -> NDArray[np.bool_]:
    """Return for each turn whether its receiver turned back to the sender within the window.

    Args:
        times: Shape (m,), ascending.
        senders: Shape (m,).
        receivers: Shape (..., m); leading axes are samples of a null model.
        window: Time steps, at least 1.

    Returns:
        Shape (..., m).

    Raises:
        ValueError: for a window below 1.
    """
    if window < 1:
        raise ValueError(f"the window must be at least 1 time step, got {window}")
    flags = np.zeros(receivers.shape, dtype=np.bool_)
    ends = np.searchsorted(times, times + window, side="right")
    starts = np.searchsorted(times, times, side="right")
    for turn, (start, end) in enumerate(zip(starts, ends, strict=True)):
        if start == end:
            continue
        later = slice(start, end)
        back = (senders[later] == receivers[..., turn, np.newaxis]) & (receivers[..., later] == senders[turn])
        flags[..., turn] = back.any(axis=-1)
    return flags


def turns(run: RunLike) -> pd.DataFrame:
    """Find the turns of a run: each executed chat with another resident, and each item handed to another.

    Args:
        run: As for ``actions``.

    Returns:
        Columns time, place, sender, receiver, words (missing where an item was handed over) and present, a tuple of all
        residents whom the sender could have turned to (see ``within_reach``); in order of time.
    """
    frame = actions(run)
    held = frame[frame["partner"].notna()]
    listed = [
        (row.time, row.place, str(row.resident), row.partner, row.words, present)
        for row, present in zip(rows(held), within_reach(frame), strict=True)
    ]
    return pd.DataFrame(
        listed, columns=["time", "place", "sender", "receiver", "words", "present"], dtype=object
    ).astype({"time": "int64"})


def conversation_turns(frame: pd.DataFrame, window: int = WINDOW) -> pd.DataFrame:
    """Find the turns of a run with their role in a conversation: initiated, an answer, answered.

    Args:
        frame: Frame of ``actions``.
        window: Time steps within which a turn answers another, at least 1.

    Returns:
        The columns of ``turns``; ``initiated``: neither of the two turned to the other within the window before;
        ``answer``: the other turned to the sender within the window before; ``answered``: the receiver turned back
        within the window after.
    """
    held = turns(frame)
    times = held["time"].to_numpy(dtype=np.int64)
    senders, receivers = held["sender"].to_numpy(dtype=object), held["receiver"].to_numpy(dtype=object)
    held["answered"] = answered(times, senders, receivers, window)
    # With time reversed, answers are the turns that are answered.
    held["answer"] = answered(-times[::-1], senders[::-1], receivers[::-1], window)[::-1]
    continued = []
    last: dict[tuple[str, str], int] = {}
    for time, sender, receiver in zip(times, senders, receivers, strict=True):
        continued.append((sender, receiver) in last and time - last[sender, receiver] <= window)
        last[sender, receiver] = time
    held["initiated"] = ~held["answer"] & ~np.array(continued, dtype=np.bool_)
    return held
