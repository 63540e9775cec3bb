"""Tasks with several parts: in any order, in a given order, or within a time limit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from irollan_env.tasks.deliver import Deliver
from irollan_env.tasks.fetch import CleanAndPlace, CookAndPlace, Fetch, HeatAndPlace
from irollan_env.tasks.meal import Eat
from irollan_env.tasks.neighbourhood import Neighbourhood
from irollan_env.tasks.planning import Leg, length
from irollan_env.tasks.task import LOST, SOLVED, Drawing, Moment, NothingToDraw, Own, Progress, Task
from irollan_env.tasks.views import View

PARTS: Mapping[str, type[Own]] = {
    kind.family: kind for kind in (Fetch, CleanAndPlace, HeatAndPlace, CookAndPlace, Deliver, Eat)
}
"""Families of the parts of errands."""

_COUNT = {1: 2, 2: 3, 3: 5}


@dataclass(frozen=True, kw_only=True)
class Errands(Own):
    """Task of several parts, each of which counts once it is done.

    Attributes:
        parts: The tasks to do.
        within: Time steps after which it is too late; 0 for never.
    """

    family: ClassVar[str] = "errands"
    ordered: ClassVar[bool] = False
    timed: ClassVar[bool] = False
    parts: tuple[Task, ...]
    within: int = 0

    @property
    def own_words(self) -> str:
        """The goal: the goals of the parts, one after the other."""
        order = "in this order" if self.ordered else "in any order"
        by = f" You have {self.within} steps." if self.within else ""
        return f"Do all of this, {order}: {' '.join(part.goal for part in self.parts)}{by}"

    def is_mark(self, mark: str, near: Neighbourhood) -> bool:
        """Return whether a mark says which part is done."""
        return super().is_mark(mark, near) or mark in [_mark(n) for n in range(len(self.parts))]

    def check(self, near: Neighbourhood, resident: str) -> None:
        """Implement ``Task.check``."""
        if not self.parts:
            raise ValueError(f"a {self.family!r} task needs at least one part")
        for part in self.parts:
            part.check(near, resident)

    def advance(self, progress: Progress, moment: Moment) -> Progress:
        """Implement ``Task.advance``: solved when all parts are, lost when time is up."""
        for number in self._open(progress)[: 1 if self.ordered else None]:
            if SOLVED in self.parts[number].advance({}, moment):
                progress = {**progress, _mark(number): moment.time}
                break
        if not self._open(progress):
            return {**progress, SOLVED: moment.time}
        return {**progress, LOST: moment.time} if self.within and moment.time >= self.within else progress

    def _open(self, progress: Progress) -> list[int]:
        return [number for number in range(len(self.parts)) if _mark(number) not in progress]

    def leg(self, progress: Progress, view: View, start: Leg) -> Leg:
        """Implement ``Task.leg``: parts in any order are planned nearest first, complete plans before searches."""
        leg, left = start, self._open(progress)
        while left and not leg.ends:
            ways = [(self.parts[number].leg({}, view, leg), number) for number in (left[:1] if self.ordered else left)]
            leg, done = min(ways, key=lambda way: (way[0].ends, length(way[0])))
            left.remove(done)
        return leg

    def to_json(self) -> dict[str, Any]:
        """Implement ``Task.to_json``, with the parts as tasks."""
        data: dict[str, Any] = {"family": self.family, "parts": [part.to_json() for part in self.parts]}
        return {**data, "within": self.within, "wording": self.wording}

    @classmethod
    def field_value(cls, name: str, kind: str, value: Any) -> Any:
        """Implement ``Task.field_value``."""
        if name != "parts":
            return super().field_value(name, kind, value)
        if not isinstance(value, (list, tuple)):
            raise ValueError(f"'parts' of a {cls.family!r} task must be a list of tasks, got {value!r}")
        return tuple(_part(cls.family, part) for part in value)

    @classmethod
    def draw(cls, drawing: Drawing) -> Self:
        """Draw a task for a resident: parts about different kinds of things."""
        count, parts, kinds = _COUNT[drawing.level], list[Task](), set[str]()
        for _ in range(20 * count):
            part = PARTS[drawing.any(list(PARTS))].draw(drawing)
            kind = str(getattr(part, "kind", ""))
            if kind not in kinds:
                kinds.add(kind)
                parts.append(part)
            if len(parts) == count:
                return cls(parts=tuple(parts), within=_TIME[drawing.level] if cls.timed else 0)
        raise NothingToDraw


_TIME = {1: 60, 2: 110, 3: 180}


def _mark(number: int) -> str:
    return f"part {number}"


def _part(family: str, data: Any) -> Task:
    if isinstance(data, Mapping) and data.get("family") in PARTS:
        return PARTS[data["family"]].from_fields({key: value for key, value in data.items() if key != "family"})
    raise ValueError(f"a part of a {family!r} task must be a task of one of {sorted(PARTS)}, got {data!r}")


@dataclass(frozen=True, kw_only=True)
class InOrder(Errands):
    """Task of several parts in a fixed order; a part done before its turn does not count."""

    family: ClassVar[str] = "order"
    ordered: ClassVar[bool] = True


@dataclass(frozen=True, kw_only=True)
class InTime(Errands):
    """Task of several parts in any order, within a time limit."""

    family: ClassVar[str] = "rush"
    timed: ClassVar[bool] = True
