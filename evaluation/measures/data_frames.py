"""Conversion of a run's records to a pandas frame of actions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Protocol, TypeAlias

import pandas as pd

from evaluation.records.interactions import Record, addressed, in_order, partner
from evaluation.records.recorded_run import read_run
from irollan_env.actions import Action, Primitive, Refusal
from irollan_env.world.state import AWAY_PLACE

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
MORE = {"result": "", "needs": {}, "variables": {}}
"""Columns of what records may lack, with the values that they have then."""
COLUMNS = (*KEYS, *MORE, "primitive", "target", "words", "partner", "addressed", "company")
_NUMBERS = ("pleasure", "arousal", "dominance", "driver", "resources", "topic")


class HasRecords(Protocol):
    """A run whose records are in memory."""

    @property
    def records(self) -> Sequence[Record]:
        """One record per resident and time step, as in events.jsonl."""


RunLike: TypeAlias = str | Path | HasRecords | Sequence[Record] | pd.DataFrame
"""A run: its directory, an object with its records, the records themselves, or the frame that `actions` returns."""


def records_of(run: str | Path | HasRecords | Sequence[Record]) -> Sequence[Record]:
    """Return the records of the whole time steps of a run.

    Raises:
        ValueError: if a directory is given that is no run, is damaged, or has no whole time step.
    """
    if isinstance(run, str | Path):
        return read_run(run).records
    return run.records if hasattr(run, "records") else run


def actions(run: RunLike) -> pd.DataFrame:
    """Return the actions of a run, one row per resident and time step, in order of time.

    Args:
        run: Its directory, an object with its records, its records, or a frame that this function returned.

    Returns:
        The columns of the records that measures need, and in addition
        ``primitive``: the words of the action, "wait" for none, missing if it is neither of the six nor of the world;
        ``target``: the place, person or thing acted on;
        ``words``: what is said;
        ``partner``: the resident that an executed action turns to;
        ``addressed``: the resident that an executed or filtered action turns to;
        ``company``: a tuple of the other residents in the same place.

    Raises:
        ValueError: if there is no record, a record lacks a key, or a resident has two records at one time step.
    """
    if isinstance(run, pd.DataFrame):
        return run
    records = records_of(run)
    if not records:
        raise ValueError("measures need at least one record, got none; has the run taken a step?")
    # Those who are away do nothing and have no company.
    records = [record for record in records if record.get("place") != AWAY_PLACE]
    seen: set[tuple[Any, Any]] = set()
    here: dict[tuple[Any, Any], list[str]] = {}
    for record in records:
        if missing := [key for key in KEYS if key not in record]:
            raise ValueError(
                f"the record of {record.get('resident')} at time step {record.get('time')} lacks {missing[0]!r}; "
                f"measures need {', '.join(KEYS)}"
            )
        at = (record["time"], record["resident"])
        if at in seen:
            raise ValueError(f"there are two records of {at[1]} at time step {at[0]}; there must be one")
        seen.add(at)
        here.setdefault((record["time"], record["place"]), []).append(str(record["resident"]))
    everyone = in_order({str(record["resident"]) for record in records})
    table = []
    for record in records:
        primitive, target, words = _read(record["action"], record["admissible"])
        company = here[record["time"], record["place"]]
        table.append(
            {
                **{key: record[key] for key in KEYS},
                **{key: record.get(key, without) for key, without in MORE.items()},
                "primitive": primitive,
                "target": target,
                "words": words,
                "partner": partner(record, everyone),
                "addressed": addressed(record, everyone),
                "company": tuple(name for name in company if name != record["resident"]),
            }
        )
    # With Python's own strings, a missing text is None in every version of pandas.
    frame = pd.DataFrame(table, columns=list(COLUMNS), dtype=object)
    frame = frame.astype({"time": "int64"} | dict.fromkeys(_NUMBERS, "float64"))
    frame["resident"] = pd.Categorical(frame["resident"], categories=everyone)
    return frame.sort_values(["time", "resident"], kind="stable", ignore_index=True)


def everyone(frame: pd.DataFrame) -> tuple[str, ...]:
    """Return the residents of a frame of ``actions``: the paper's six in its order, then all others by name."""
    return tuple(frame["resident"].cat.categories)


def by_resident(frame: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Return the rows of each resident, residents in the order of ``everyone``."""
    groups = frame.groupby("resident", observed=False, sort=True)
    return {str(name): own for name, own in groups}


def rows(frame: pd.DataFrame) -> Iterator[Any]:
    """Yield the rows of a frame as named tuples."""
    return iter(frame.itertuples())


def _read(action: str | None, admissible: Sequence[str]) -> tuple[str | None, str | None, str | None]:
    """Parse primitive, target and words of an action."""
    if action is None:
        return WAIT, None, None
    parsed = Action.parse(action)
    if isinstance(parsed, Refusal) or not (isinstance(parsed.primitive, Primitive) or action in admissible):
        return None, None, None
    handled = parsed.item if parsed.primitive in (Primitive.TAKE, Primitive.PUT) else parsed.target
    return str(parsed.primitive), handled, parsed.words or None
