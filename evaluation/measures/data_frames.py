"""The records of a run as pandas frames: what everybody did, and who turned to whom."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pandas as pd

from evaluation.measures.presence import within_reach
from evaluation.records.interactions import Record, addressed, in_order, partner
from irollan_env.actions import Action, Primitive, Refusal

WAIT = "wait"
KEYS = (
    "time",
    "resident",
    "place",
    "percepts",
    "messages",
    "goal",
    "admissible",
    "thought",
    "action",
    "outcome",
    "pleasure",
    "arousal",
    "dominance",
    "driver",
    "resources",
    "topic",
)
COLUMNS = (*KEYS, "primitive", "target", "words", "partner", "addressed", "company")
_NUMBERS = ("pleasure", "arousal", "dominance", "driver", "resources", "topic")
_TURN_COLUMNS = ("time", "place", "sender", "receiver", "words", "present")


def actions(records: Sequence[Record]) -> pd.DataFrame:
    """One row per resident and time step, in the order of time.

    Args:
        records: Of one run, as events.jsonl has them.

    Returns:
        The columns of the records that measures need (see docs/architecture.md), and beside them:
        ``primitive``: the first words of the action, "wait" for none, missing where it is none of the six;
        ``target``: the place, person or thing that it is about;
        ``words``: what is said;
        ``partner``: the resident that an executed action turned to;
        ``addressed``: the one that an action turned to which was executed, or held back by LTRHA;
        ``company``: a tuple of the other residents in the same place.

    Raises:
        ValueError: if there is no record, a record lacks a key, or one resident has two in one time step.
    """
    if not records:
        raise ValueError("measures need at least one record, got none; has the run taken a step?")
    seen: set[tuple[Any, Any]] = set()
    here: dict[tuple[Any, Any], list[str]] = {}
    for record in records:
        if missing := [key for key in KEYS if key not in record]:
            raise ValueError(
                f"the record of {record.get('resident')} at time step {record.get('time')} lacks {missing[0]!r}; "
                f"measures need {', '.join(KEYS)}"
            )
        moment = (record["time"], record["resident"])
        if moment in seen:
            raise ValueError(f"there are two records of {moment[1]} at time step {moment[0]}; there must be one")
        seen.add(moment)
        here.setdefault((record["time"], record["place"]), []).append(str(record["resident"]))
    everyone = in_order({str(record["resident"]) for record in records})
    table = []
    for record in records:
        primitive, target, words = _read(record["action"])
        company = here[record["time"], record["place"]]
        table.append(
            {
                **{key: record[key] for key in KEYS},
                "primitive": primitive,
                "target": target,
                "words": words,
                "partner": partner(record, everyone),
                "addressed": addressed(record, everyone),
                "company": tuple(name for name in company if name != record["resident"]),
            }
        )
    # Texts stay Python's own, so that a missing one is None for every version of pandas.
    frame = pd.DataFrame(table, columns=list(COLUMNS), dtype=object)
    frame = frame.astype({"time": "int64"} | dict.fromkeys(_NUMBERS, "float64"))
    frame["resident"] = pd.Categorical(frame["resident"], categories=everyone)
    return frame.sort_values(["time", "resident"], kind="stable", ignore_index=True)


def everyone(frame: pd.DataFrame) -> tuple[str, ...]:
    """The residents of a frame of ``actions``, the paper's six in its order."""
    return tuple(frame["resident"].cat.categories)


def rows(frame: pd.DataFrame) -> Iterator[Any]:
    """The rows of a frame as named tuples; ``Index`` is their label."""
    return iter(frame.itertuples())


def turns(frame: pd.DataFrame) -> pd.DataFrame:
    """Each time a resident turned to another one: a chat that was carried out, or a thing put into someone's hands.

    Args:
        frame: Of ``actions``.

    Returns:
        Columns time, place, sender, receiver, words (missing where something was handed over) and present, a tuple of
        all that the sender could have turned to (see ``within_reach``); in the order of time.
    """
    held = frame[frame["partner"].notna()]
    listed = [
        (row.time, row.place, str(row.resident), row.partner, row.words, present)
        for row, present in zip(rows(held), within_reach(frame), strict=True)
    ]
    return pd.DataFrame(listed, columns=list(_TURN_COLUMNS), dtype=object).astype({"time": "int64"})


def _read(action: str | None) -> tuple[str | None, str | None, str | None]:
    """Primitive, target and words of an action."""
    if action is None:
        return WAIT, None, None
    parsed = Action.parse(action)
    if isinstance(parsed, Refusal):
        return None, None, None
    handled = parsed.item if parsed.primitive in (Primitive.TAKE, Primitive.PUT) else parsed.target
    return parsed.primitive.value, handled, parsed.words or None
