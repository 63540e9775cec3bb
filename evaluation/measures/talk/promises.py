"""Whether promises and announced plans are kept."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from evaluation.measures.talk.announcements import Announcement, announcements
from evaluation.measures.talk.life import Life
from evaluation.measures.talk.names import Names
from irollan_env.naming import kind

Keeping = Literal["kept", "broken", "held back", "too late"]

KEEP_WITHIN = 5
"""Time steps within which a promise is kept."""


@dataclass(frozen=True, slots=True)
class Promise:
    """What was announced, and whether it came."""

    what: Announcement
    keeping: Keeping


def promises(life: Life, names: Names, within: int = KEEP_WITHIN) -> list[Promise]:
    """Every promise and announced plan that was said, in the order of time.

    Args:
        life: The run.
        names: Of the run.
        within: Time steps within which it must be kept.

    Returns:
        Held back is what was tried and filtered each time; too late is what the run ended before, not kept yet.
    """
    made = [one for line in life.lines if line.said for one in announcements(life, line, names)]
    return [Promise(one, _keeping(life, one, within)) for one in made]


def _keeping(life: Life, plan: Announcement, within: int) -> Keeping:
    rows = life.after(plan.line.time, plan.line.speaker, within)
    tries = [row for row in rows if _is_it(plan, row)]
    if any(row.outcome == "executed" for row in tries):
        return "kept"
    if plan.line.time + within > life.last:
        return "too late"
    on_the_way = [row for row in rows if plan.deed == "go" and _leaves_for(plan, row)]
    attempts = [*tries, *on_the_way]
    return "held back" if attempts and all(row.outcome == "filtered" for row in attempts) else "broken"


def _is_it(plan: Announcement, row: Any) -> bool:
    """Whether an action is what was announced."""
    if row.target is None:
        return False
    match plan.deed:
        case "go":
            leaves = row.primitive == "leave" and "outside" in plan.places and row.target == row.place
            return leaves or (row.primitive == "go to" and row.target in plan.places)
        case "hand":
            item = row.action.removeprefix("put ").partition(" in/on ")
            return row.primitive == "put" and kind(item[0]) in plan.kinds and item[2] in plan.people
        case "use":
            return row.primitive == "use" and kind(row.target) in plan.kinds
        case "talk":
            return row.primitive == "chat with" and row.target in plan.people


def _leaves_for(plan: Announcement, row: Any) -> bool:
    """Whether an action is the way out, where the place that was announced is not next door."""
    out = row.primitive == "leave" and row.target == row.place
    return row.place != "outside" and row.place not in plan.places and (out or row.action == "go to outside")
