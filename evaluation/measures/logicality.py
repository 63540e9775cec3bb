"""Logicality: actions that cannot be done, that undo each other, or that are done over and over."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd

from evaluation.measures.data_frames import WAIT, everyone, rows
from irollan_env.actions import Action, Primitive

OUTSIDE = "outside"


def was_admissible(action: str, admissible: list[str]) -> bool:
    """Whether an action was among those that would have succeeded alone; in a chat the words do not matter."""
    said = Action.parse(action)
    if isinstance(said, Action) and said.words:
        return said.target in {one.target for text in admissible if (one := Action(text)).words}
    return action in admissible


def undoes(before: Any, after: Any) -> bool:
    """Whether an action takes back the one before it.

    Args:
        before: Row of ``actions`` with an action that was carried out.
        after: Row with the next action that the same resident carried out.

    Returns:
        True for going back to where one came from, for putting back what one took from there, for taking back what one
        put there, and for leaving what one began to use.
    """
    first, second = Action(before.action), Action(after.action)
    match first.primitive, second.primitive:
        case (Primitive.GO_TO | Primitive.LEAVE, Primitive.GO_TO | Primitive.LEAVE):
            return bool(before.place != after.place and before.place == _destination(second, after.place))
        case (Primitive.TAKE, Primitive.PUT) | (Primitive.PUT, Primitive.TAKE):
            return (first.item, first.target) == (second.item, second.target)
        case (Primitive.USE, Primitive.LEAVE):
            return first.target == second.target
    return False


def logicality(frame: pd.DataFrame) -> pd.DataFrame:
    """Measures of logicality; see docs/measures.md.

    Args:
        frame: Of ``actions``.

    Returns:
        One row per resident, one column per measure.
    """
    measures = {}
    for resident in everyone(frame):
        own = frame[(frame["resident"] == resident) & frame["action"].notna()]
        tried = own[own["outcome"].isin(["executed", "inadmissible"])]
        in_vain = tried[tried["outcome"] == "inadmissible"]
        refused = [was_admissible(row.action, row.admissible) for row in rows(in_vain)]
        pairs = list(_consecutive(own))
        measures[resident] = {
            "precondition_failures": _share(refused.count(False), len(tried)),
            "overtaken": _share(refused.count(True), len(tried)),
            "undone": _share(sum(undoes(a, b) for a, b in pairs), len(pairs)),
            "repeated": _share(sum(a.action == b.action for a, b in pairs), len(pairs)),
        }
    return pd.DataFrame.from_dict(measures, orient="index")


def _consecutive(own: pd.DataFrame) -> Iterator[tuple[Any, Any]]:
    done = list(rows(own[(own["outcome"] == "executed") & (own["primitive"] != WAIT)]))
    return pairwise(done)


def _destination(move: Action, place: str) -> str | None:
    """Where a move leads; None if it leaves no place."""
    if move.primitive is Primitive.GO_TO:
        return move.target
    return OUTSIDE if move.target == place else None


def _share(part: int, whole: int) -> float:
    return part / whole if whole else np.nan
