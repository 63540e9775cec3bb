"""Tasks of bringing things to a place, as they are, clean, hot or both: ALFWorld's pick, clean and heat."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

from irollan_env.actions import Primitive
from irollan_env.naming import some
from irollan_env.tasks.neighbourhood import Neighbourhood, neighbourhood_of
from irollan_env.tasks.planning import Leg, obtain, put
from irollan_env.tasks.task import SOLVED, Drawing, Moment, Own, Progress, check_named
from irollan_env.tasks.views import View


@dataclass(frozen=True, kw_only=True)
class Fetch(Own):
    """Task of bringing an item of a kind to a place.

    Attributes:
        kind: The kind of the item: ``"book"``; or one item's name, ``"book 2"``, when only that item counts.
        furniture: The kind of furniture on which it is put: ``"table"``.
        place: The place of that furniture.
        verb: The verb in the goal.
        statuses: The statuses that the item must have when it is put there, in the order of making them.
    """

    family: ClassVar[str] = "fetch"
    verb: ClassVar[str] = "Fetch"
    statuses: ClassVar[tuple[str, ...]] = ()
    kind: str
    furniture: str
    place: str

    @property
    def own_words(self) -> str:
        """The goal, such as ``"Fetch a book and put it in/on a table in AY's Home."``."""
        return f"{self.verb} {self.wanted} and put it in/on {some(self.furniture)} in {self.place}."

    @property
    def wanted(self) -> str:
        """The item as the goal names it: ``"a book"``, or ``"the book 2"``."""
        return f"the {self.kind}" if self.kind[-1].isdigit() else some(self.kind)

    def check(self, near: Neighbourhood, resident: str) -> None:
        """Implement ``Task.check``."""
        check_named(self.family, "kind of item", self.kind, (*near.kinds, *near.start))
        check_named(self.family, "place", self.place, near.places)
        check_named(self.family, f"furniture in {self.place!r}", self.furniture, near.receptacle_kinds(self.place))
        for status in self.statuses:
            if not near.treating.get(status):
                raise ValueError(f"a {self.family!r} task needs furniture that makes things {status}; there is none")

    def advance(self, progress: Progress, moment: Moment) -> Progress:
        """Implement ``Task.advance``: solved when the resident puts such an item there."""
        action, world = moment.action, moment.world
        if action is None or action.primitive is not Primitive.PUT or moment.place != self.place:
            return progress
        item = str(action.item)
        near = neighbourhood_of(world.map.tables, moment.resident)
        fits = self.kind in (item, near.kind_of[item])
        there = near.kind_of_furniture.get(action.target) == self.furniture
        treated = set(self.statuses) <= set(world.status_of(item))
        return {**progress, SOLVED: moment.time} if fits and there and treated else progress

    def leg(self, progress: Progress, view: View, start: Leg) -> Leg:
        """Implement ``Task.leg``."""
        leg, item = obtain(view, start, view.near.all_of(self.kind), self.statuses)
        return put(view, leg, item, self.furniture, self.place) if item else leg

    @classmethod
    def draw(cls, drawing: Drawing) -> Self:
        """Draw a task for a resident: the place is one where no item of the kind lies.

        Raises:
            NothingToDraw: where there is no such place or item.
        """
        near = drawing.near
        kind = drawing.any([kind for kind in drawing.kinds() if cls.sensible(near, kind)])
        taken = {near.start[item] for item in near.items[kind]}
        places = [place for place in near.places if place not in taken and near.standing(place)]
        place = drawing.any(places)
        return cls(kind=kind, place=place, furniture=drawing.any(near.standing(place)))

    @classmethod
    def sensible(cls, near: Neighbourhood, kind: str) -> bool:
        """Return whether the task makes sense with things of a kind."""
        edible = "eaten" in near.becomes(kind)
        return edible if "hot" in cls.statuses else not (cls.statuses and edible)


@dataclass(frozen=True, kw_only=True)
class Find(Fetch):
    """Task of finding a given item, wherever it is, and bringing it home."""

    family: ClassVar[str] = "find"
    verb: ClassVar[str] = "Find"

    @classmethod
    def draw(cls, drawing: Drawing) -> Self:
        """Draw a task for a resident: the item lies outside its home, to which it is to be brought."""
        near, home = drawing.near, drawing.near.home(drawing.resident)
        items = [item for item in drawing.items() if near.start[item] != home]
        return cls(kind=drawing.any(items), place=home, furniture=drawing.any(near.standing(home)))


@dataclass(frozen=True, kw_only=True)
class CleanAndPlace(Fetch):
    """Task of bringing an item to a place after cleaning it, for example in a sinkbasin."""

    family: ClassVar[str] = "clean"
    verb: ClassVar[str] = "Clean"
    statuses: ClassVar[tuple[str, ...]] = ("clean",)


@dataclass(frozen=True, kw_only=True)
class HeatAndPlace(Fetch):
    """Task of bringing an item to a place while it is hot, for example from a stoveburner."""

    family: ClassVar[str] = "heat"
    verb: ClassVar[str] = "Heat"
    statuses: ClassVar[tuple[str, ...]] = ("hot",)


@dataclass(frozen=True, kw_only=True)
class CookAndPlace(Fetch):
    """Task of bringing an item to a place after washing and then heating it: two tools, in this order."""

    family: ClassVar[str] = "cook"
    verb: ClassVar[str] = "Wash and then heat"
    statuses: ClassVar[tuple[str, ...]] = ("clean", "hot")
