"""Tasks of things that are brought to a place, as they are, clean or hot: ALFWorld's pick, clean and heat families."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np

from irollan_env.tasks.neighbourhood import Neighbourhood, neighbourhood_of
from irollan_env.tasks.planning import Leg, go, obtain, obtain_treated, shortest
from irollan_env.tasks.task import SOLVED, Combination, Progress, Task, check_known
from irollan_env.tasks.wording import some
from irollan_env.world.observation import Observation
from irollan_env.world.primitives import Action, Put
from irollan_env.world.world import World


@dataclass(frozen=True, kw_only=True)
class Fetch(Task):
    """Bring something of a kind to a place where there is nothing of that kind at the start.

    Attributes:
        kind: Of the item: ``"book"``.
        furniture: The kind of furniture on which it is put: ``"table"``.
        place: Where that furniture stands.
        verb: What the goal calls it.
        status: What the item must be when it is put there; None for anything.
        senseless: Kinds of items with which nobody would do this.
    """

    family: ClassVar[str] = "fetch"
    verb: ClassVar[str] = "Fetch"
    status: ClassVar[str | None] = None
    senseless: ClassVar[frozenset[str]] = frozenset()
    kind: str
    furniture: str
    place: str

    @property
    def goal(self) -> str:
        """Such as ``"Fetch a book and put it in/on a table in AY's Home."``."""
        return f"{self.verb} {some(self.kind)} and put it in/on {some(self.furniture)} in {self.place}."

    def check(self, near: Neighbourhood, resident: str) -> None:
        """As ``Task.check``."""
        check_known(self.family, "kind of item", self.kind, near.kinds)
        check_known(self.family, "place", self.place, near.places)
        check_known(self.family, f"furniture in {self.place!r}", self.furniture, near.receptacle_kinds(self.place))
        if self.status is not None and not near.treating.get(self.status):
            raise ValueError(f"a {self.family!r} task needs furniture that makes things {self.status}; there is none")

    def advance(self, progress: Progress, world: World, observation: Observation, action: Action | None) -> Progress:
        """As ``Task.advance``: solved when the resident puts such an item there."""
        if not isinstance(action, Put) or observation.place != self.place:
            return progress
        near = neighbourhood_of(world.map.tables, observation.resident)
        fits = (near.kind_of[action.item], near.kind_of_furniture.get(action.target)) == (self.kind, self.furniture)
        treated = self.status is None or self.status in world.status_of(action.item)
        return {**progress, SOLVED: observation.time} if fits and treated else progress

    def plan(self, progress: Progress, world: World, resident: str) -> tuple[str, ...]:
        """As ``Task.plan``, with the item and the furniture that make it shortest."""
        near = neighbourhood_of(world.map.tables, resident)
        target = near.first(self.furniture, self.place)
        return shortest(
            go(near, leg, self.place, f"put {item} in/on {target}")
            for item in near.items[self.kind]
            for leg in self._ways_to(near, world, resident, item)
        )

    def _ways_to(self, near: Neighbourhood, world: World, resident: str, item: str) -> Iterator[Leg]:
        if self.status is None:
            yield obtain(near, world, resident, item)
        else:
            yield from obtain_treated(near, world, resident, item, self.status)

    @classmethod
    def combinations(cls, near: Neighbourhood) -> list[Combination]:
        """Kinds and places: for a fetch, those where nothing of the kind lies at the start."""
        if cls.status is not None and not near.treating.get(cls.status):
            return []
        return [
            (kind, place)
            for kind in near.kinds
            if kind not in cls.senseless
            for place in near.places
            if cls._furniture(near, place)
            and (cls.status is not None or all(near.start[item] != place for item in near.items[kind]))
        ]

    @classmethod
    def draw(
        cls, near: Neighbourhood, resident: str, combination: Combination, generator: np.random.Generator
    ) -> Self | None:
        """As ``Task.draw``: the kind of furniture is drawn."""
        kind, place = combination
        furniture = cls._furniture(near, place)
        return cls(kind=kind, place=place, furniture=furniture[int(generator.integers(len(furniture)))])

    @classmethod
    def _furniture(cls, near: Neighbourhood, place: str) -> list[str]:
        """Kinds of furniture to put things on, but for those that only treat them."""
        treats = {near.kind_of_furniture[piece] for pieces in near.treating.values() for piece in pieces}
        return [kind for kind in near.receptacle_kinds(place) if kind not in treats]


@dataclass(frozen=True, kw_only=True)
class CleanAndPlace(Fetch):
    """Bring something to a place after it was cleaned, as a sinkbasin does."""

    family: ClassVar[str] = "clean"
    verb: ClassVar[str] = "Clean"
    status: ClassVar[str | None] = "clean"
    senseless: ClassVar[frozenset[str]] = frozenset({"book", "money"})


@dataclass(frozen=True, kw_only=True)
class HeatAndPlace(Fetch):
    """Bring something to a place while it is hot, as a stoveburner makes it."""

    family: ClassVar[str] = "heat"
    verb: ClassVar[str] = "Heat"
    status: ClassVar[str | None] = "hot"
    senseless: ClassVar[frozenset[str]] = frozenset({"toy", "book", "clothes", "money"})
