"""Tasks of things that are not where they usually are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np

from irollan_env.tasks.neighbourhood import Neighbourhood, neighbourhood_of
from irollan_env.tasks.planning import go, obtain
from irollan_env.tasks.task import SOLVED, Combination, Progress, Task, check_known
from irollan_env.tasks.wording import some
from irollan_env.world.observation import Observation
from irollan_env.world.primitives import Action, Put
from irollan_env.world.world import World


@dataclass(frozen=True, kw_only=True)
class Find(Task):
    """Find an item that lies somewhere else than the map says, and bring it to a place.

    Attributes:
        item: ``"1 gold coin"``.
        furniture: The kind of furniture on which it is to be put: ``"table"``.
        place: Where that furniture stands.
        hidden_on: The furniture on which the item lies at the start. The goal does not tell.
    """

    family: ClassVar[str] = "find"
    item: str
    furniture: str
    place: str
    hidden_on: str

    @property
    def goal(self) -> str:
        """Such as ``"Find the 1 gold coin and put it in/on a table in AY's Home."``."""
        return f"Find the {self.item} and put it in/on {some(self.furniture)} in {self.place}."

    def check(self, near: Neighbourhood, resident: str) -> None:
        """As ``Task.check``."""
        check_known(self.family, "item", self.item, tuple(near.start))
        check_known(self.family, "place", self.place, near.places)
        check_known(self.family, f"furniture in {self.place!r}", self.furniture, near.receptacle_kinds(self.place))
        check_known(self.family, "furniture", self.hidden_on, [f for fs in near.receptacles.values() for f in fs])

    @property
    def moved(self) -> Mapping[str, str]:
        """The item, to where it is hidden."""
        return {self.item: self.hidden_on}

    def advance(self, progress: Progress, world: World, observation: Observation, action: Action | None) -> Progress:
        """As ``Task.advance``: solved when the resident puts it there."""
        if isinstance(action, Put) and action.item == self.item and observation.place == self.place:
            kinds = neighbourhood_of(world.map.tables, observation.resident).kind_of_furniture
            if kinds.get(action.target) == self.furniture:
                return {**progress, SOLVED: observation.time}
        return progress

    def plan(self, progress: Progress, world: World, resident: str) -> tuple[str, ...]:
        """As ``Task.plan``."""
        near = neighbourhood_of(world.map.tables, resident)
        leg = obtain(near, world, resident, self.item)
        return go(near, leg, self.place, f"put {self.item} in/on {near.first(self.furniture, self.place)}").actions

    @classmethod
    def combinations(cls, near: Neighbourhood) -> list[Combination]:
        """Kinds and places where something of the kind could be that does not belong there."""
        return [
            (kind, place)
            for kind in near.kinds
            for place in near.places
            if near.receptacles[place] and any(near.start[item] != place for item in near.items[kind])
        ]

    @classmethod
    def draw(
        cls, near: Neighbourhood, resident: str, combination: Combination, generator: np.random.Generator
    ) -> Self | None:
        """As ``Task.draw``: it is to be brought to the resident's home, where it is neither hidden nor belongs."""
        kind, place = combination
        home = near.home(resident)
        items = [item for item in near.items[kind] if near.start[item] not in (place, home)]
        wanted = near.receptacle_kinds(home)
        if place == home or not items or not wanted:
            return None
        hiding = near.receptacles[place]
        return cls(
            item=items[int(generator.integers(len(items)))],
            furniture=wanted[int(generator.integers(len(wanted)))],
            place=home,
            hidden_on=hiding[int(generator.integers(len(hiding)))],
        )
