"""Who addressed whom: the counts of figure 8, used by every measure of interaction."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ltrha import read_action

Record: TypeAlias = Mapping[str, Any]

PAPER_ORDER = ("AY", "SG", "MD", "WL", "LL", "WM")


def in_order(names: Iterable[str]) -> tuple[str, ...]:
    """Sort names of residents: the paper's six in its order, then the others by name."""
    known = {name: index for index, name in enumerate(PAPER_ORDER)}
    return tuple(sorted(names, key=lambda name: (known.get(name, len(known)), name)))


def residents(records: Iterable[Record]) -> tuple[str, ...]:
    """Return the names of all residents in some records: the paper's six first, then the others by name."""
    return in_order({record["resident"] for record in records})


def partner(record: Record, everyone: Sequence[str]) -> str | None:
    """Return whom an executed action addressed: in a chat, or to hand something over; None for nobody.

    Args:
        record: Of one resident and time step.
        everyone: Names of all residents.
    """
    return addressed(record, everyone) if record.get("outcome") == "executed" else None


def addressed(record: Record, everyone: Sequence[str]) -> str | None:
    """Return whom an executed or filtered action addressed; None for nobody.

    Args:
        record: Of one resident and time step.
        everyone: Names of all residents.
    """
    action = record.get("action")
    if record.get("outcome") not in ("executed", "filtered") or not action:
        return None
    try:
        _, other = read_action(action)
    except ValueError:
        return None
    return other if other in everyone and other != record["resident"] else None


def interaction_counts(records: Sequence[Record]) -> tuple[tuple[str, ...], NDArray[np.int64]]:
    """Count how often each resident addressed each other one (figure 8).

    An executed chat counts once for the one it is addressed to, and so does an item put into someone's hands.

    Args:
        records: Of one run.

    Returns:
        The residents, and counts of shape (n, n): rows initiate, columns receive.
    """
    names = residents(records)
    counts = np.zeros((len(names), len(names)), dtype=np.int64)
    for record in records:
        if (other := partner(record, names)) is not None:
            counts[names.index(record["resident"]), names.index(other)] += 1
    return names, counts
