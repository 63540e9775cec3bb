"""What was so at a time step, as far as the records of a run show it up to then."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from evaluation.measures.talk.life import Life
from irollan_env.naming import kind, owner


class Evidence:
    """Where people are, what they hold, where things were last seen, and what was done, step by step."""

    def __init__(self, life: Life) -> None:
        """Read a run."""
        self._life = life

    def place_of(self, time: int, person: str) -> str | None:
        """Where somebody is; None where the records have no such moment."""
        row = self._life.moments.get((time, person))
        return None if row is None else str(row.place)

    def holds(self, time: int, person: str) -> set[str]:
        """The things in somebody's hands."""
        row = self._life.moments.get((time, person))
        return set() if row is None else {one["name"] for one in row.percepts if one.get("held")}

    def ever_held(self, time: int, person: str) -> set[str]:
        """The things that somebody had in its hands at any step so far."""
        return set().union(*(self.holds(at, person) for at in range(time + 1)))

    def lying_in(self, time: int, place: str) -> dict[str, str | None] | None:
        """Item -> the furniture it lies on, as last seen in a place; None where nobody was there so far."""
        for at in range(time, -1, -1):
            rows = [row for (when, _), row in self._at(at) if row.place == place]
            if rows:
                return {
                    one["name"]: one.get("on")
                    for row in rows
                    for one in row.percepts
                    if one["kind"] == "item" and not one.get("held")
                }
        return None

    def home_of(self, person: str) -> str | None:
        """The place that is somebody's home by its name."""
        homes = {str(row.place) for row in self._life.moments.values() if owner(str(row.place)) == person}
        return min(homes, default=None)

    def owned(self, time: int, person: str, sort: str) -> set[str] | None:
        """Things of a sort that somebody holds or that lie in its home; None where its home was never seen."""
        home = self.home_of(person)
        lying = None if home is None else self.lying_in(time, home)
        held = {one for one in self.holds(time, person) if kind(one) == sort}
        if lying is None:
            return held or None
        return held | {one for one in lying if kind(one) == sort}

    def deeds(self, time: int, person: str) -> Iterable[Any]:
        """What somebody carried out before a step, the latest first."""
        rows = (self._life.moments.get((at, person)) for at in range(time - 1, -1, -1))
        return [row for row in rows if row is not None and row.outcome == "executed" and row.action]

    def _at(self, time: int) -> list[tuple[tuple[int, str], Any]]:
        moments = self._life.moments
        return [((time, who), moments[time, who]) for who in self._life.residents if (time, who) in moments]
