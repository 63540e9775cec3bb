"""Who turned to whom: what figure 8 counts, and every other measure of interaction with it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ltrha import read_action

Record: TypeAlias = Mapping[str, Any]

PAPER_ORDER = ("AY", "SG", "MD", "WL", "LL", "WM")


def in_order(names: Iterable[str]) -> tuple[str, ...]:
    """Names of residents: the paper's six in the paper's order, then all others by name."""
    known = {name: index for index, name in enumerate(PAPER_ORDER)}
    return tuple(sorted(names, key=lambda name: (known.get(name, len(known)), name)))


def residents(records: Iterable[Record]) -> tuple[str, ...]:
    """Everyone in the records: the paper's six in the paper's order, then all others by name."""
    return in_order({record["resident"] for record in records})


def partner(record: Record, everyone: Sequence[str]) -> str | None:
    """Whom an executed action turned to: the addressee of a chat, or who was handed something; None for nobody."""
    return addressed(record, everyone) if record.get("outcome") == "executed" else None


def addressed(record: Record, everyone: Sequence[str]) -> str | None:
    """Whom an action turned to that was executed, or filtered by LTRHA; None for nobody."""
    action = record.get("action")
    if record.get("outcome") not in ("executed", "filtered") or not action:
        return None
    try:
        _, other = read_action(action)
    except ValueError:
        return None
    return other if other in everyone and other != record["resident"] else None


def interaction_counts(records: Sequence[Record]) -> tuple[tuple[str, ...], NDArray[np.int64]]:
    """How often each resident turned to each other one (figure 8).

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
