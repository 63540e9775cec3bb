"""Logicality: actions that are inadmissible, undo each other, or are repeated."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import pandas as pd

from evaluation.measures.data_frames import WAIT, by_resident, rows
from evaluation.measures.indices import share
from irollan_env.actions import Action, Primitive

OUTSIDE = "outside"


def was_admissible(action: str, admissible: list[str]) -> bool:
    """Check whether an action was admissible when it was chosen.

    Args:
        action: As text.
        admissible: Admissible actions as text; the words of chats are ignored.
    """
    said = Action.parse(action)
    if isinstance(said, Action) and said.words:
        chats = (one for text in admissible if isinstance(one := Action.parse(text), Action) and one.words)
        return said.target in {one.target for one in chats}
    return action in admissible


def undoes(before: Any, after: Any) -> bool:
    """Check whether an action undoes the previous one.

    Args:
        before: Row of ``actions`` with an executed action.
        after: Row with the next executed action of the same resident.

    Returns:
        True for returning to the place one came from, putting an item back where one took it, taking back an item that
        one put there, and leaving a thing that one began to use.
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
        frame: Frame of ``actions``.

    Returns:
        One row per resident, one column per measure.
    """
    measures = {}
    for resident, lived in by_resident(frame).items():
        own = lived[lived["action"].notna()]
        tried = own[own["outcome"].isin(["executed", "inadmissible"])]
        in_vain = tried[tried["outcome"] == "inadmissible"]
        refused = [was_admissible(row.action, row.admissible) for row in rows(in_vain)]
        pairs = list(_consecutive(own))
        measures[resident] = {
            "precondition_failures": share(refused.count(False), len(tried)),
            "overtaken": share(refused.count(True), len(tried)),
            "undone": share(sum(undoes(a, b) for a, b in pairs), len(pairs)),
            "repeated": share(sum(a.action == b.action for a, b in pairs), len(pairs)),
        }
    return pd.DataFrame.from_dict(measures, orient="index")


def _consecutive(own: pd.DataFrame) -> Iterator[tuple[Any, Any]]:
    done = list(rows(own[(own["outcome"] == "executed") & (own["primitive"] != WAIT)]))
    return pairwise(done)


def _destination(move: Action, place: str) -> str | None:
    """Return the place that a move leads to; None if it leaves no place."""
    if move.primitive is Primitive.GO_TO:
        return move.target
    return OUTSIDE if move.target == place else None
