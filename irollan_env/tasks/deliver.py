"""Tasks of things that are brought to people, wherever they are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np

from irollan_env.tasks.neighbourhood import Neighbourhood, neighbourhood_of
from irollan_env.tasks.people import check_other
from irollan_env.tasks.planning import go, obtain, shortest
from irollan_env.tasks.task import SOLVED, Combination, Progress, Task, check_known
from irollan_env.tasks.wording import some
from irollan_env.world.observation import Observation
from irollan_env.world.primitives import Action, Put
from irollan_env.world.world import World


@dataclass(frozen=True, kw_only=True)
class Deliver(Task):
    """Hand something of a kind to somebody.

    Attributes:
        kind: Of the item: ``"book"``.
        person: Who gets it: ``"WM"``.
    """

    family: ClassVar[str] = "deliver"
    kind: str
    person: str

    @property
    def goal(self) -> str:
        """Such as ``"Bring a book to WM."``."""
        return f"Bring {some(self.kind)} to {self.person}."

    def check(self, near: Neighbourhood, resident: str) -> None:
        """As ``Task.check``."""
        check_known(self.family, "kind of item", self.kind, near.kinds)
        check_other(self.family, self.person, near, resident)

    def advance(self, progress: Progress, world: World, observation: Observation, action: Action | None) -> Progress:
        """As ``Task.advance``: solved when the resident hands it over."""
        kind_of = neighbourhood_of(world.map.tables, observation.resident).kind_of
        if isinstance(action, Put) and action.target == self.person and kind_of[action.item] == self.kind:
            return {**progress, SOLVED: observation.time}
        return progress

    def plan(self, progress: Progress, world: World, resident: str) -> tuple[str, ...]:
        """As ``Task.plan``, with the item that makes it shortest."""
        near, place = neighbourhood_of(world.map.tables, resident), world.place_of(self.person)
        return shortest(
            go(near, obtain(near, world, resident, item), place, f"put {item} in/on {self.person}")
            for item in near.items[self.kind]
        )

    @classmethod
    def combinations(cls, near: Neighbourhood) -> list[Combination]:
        """Kinds and people."""
        return [(kind, person) for kind in near.kinds for person in near.people]

    @classmethod
    def draw(
        cls, near: Neighbourhood, resident: str, combination: Combination, generator: np.random.Generator
    ) -> Self | None:
        """As ``Task.draw``: nobody brings something to itself."""
        kind, person = combination
        return None if person == resident else cls(kind=kind, person=person)
