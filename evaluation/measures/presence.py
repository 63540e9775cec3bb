"""Whom a resident could turn to when it turned to somebody."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pandas as pd

from irollan_env.actions import SILENCE, Action


def within_reach(frame: pd.DataFrame) -> list[tuple[str, ...]]:
    """For each turn to another resident, those whom the sender could have turned to, the receiver included.

    Whoever was offered was there when the sender decided. Where all decide at once and then act one after the other,
    somebody may go before the sender comes to act; a turn to it fails then and is no turn. Nobody knows of those who
    went whether they were still there. So a turn to somebody who stayed could have gone to anyone who stayed; a turn
    to somebody who went later in the step is taken as if nobody else had been there. With either, the receiver is as
    likely as anyone else named here if all are equally likely to be chosen.

    Args:
        frame: Of ``actions``.

    Returns:
        Per row with a partner, in the order of the frame, the names in the order of all residents.
    """
    order = {str(name): number for number, name in enumerate(frame["resident"].cat.categories)}
    rows: list[Any] = list(frame.itertuples())
    offered = [_offered(row.admissible) & order.keys() for row in rows]
    company = [frozenset(names) for names in frame["company"]]
    # Somebody who is offered though it began the step elsewhere came before: residents take turns.
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
    """Those whom a resident was offered to chat with, by the actions that it was given to choose from."""
    return frozenset(action.target for action in map(Action, admissible) if action.words == SILENCE)


def _went(frame: pd.DataFrame) -> frozenset[tuple[Any, str]]:
    """Time and name of all who went to another place."""
    going = frame[(frame["primitive"] == "go to") & (frame["outcome"] == "executed")]
    return frozenset(zip(going["time"], going["resident"].astype(str), strict=True))
