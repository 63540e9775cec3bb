"""Tasks of people who are to meet."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np

from irollan_env.map.catalogue import WAIT
from irollan_env.tasks.neighbourhood import Neighbourhood, neighbourhood_of
from irollan_env.tasks.people import check_other, said
from irollan_env.tasks.planning import Leg, go
from irollan_env.tasks.task import SOLVED, Combination, Progress, Task, check_known
from irollan_env.world.observation import Observation
from irollan_env.world.primitives import Action, chat_with
from irollan_env.world.requests import INVITATION_STEPS, invitation
from irollan_env.world.world import World

_FRESH = 6
"""Time steps after which an expert no longer counts on an invitation of which nothing came."""

_NEIGHBOURS = 5
"""How far apart in the map's order two may be who are to meet; keeps the pairs of large valleys few."""


@dataclass(frozen=True, kw_only=True)
class Gather(Task):
    """Bring two people together in a place, and be there with them.

    Both have to be invited, with words that name the place, within the ``INVITATION_STEPS`` steps before: people who
    happen to meet there do not count.

    Attributes:
        people: Who is to meet: ``("MD", "WL")``.
        place: Where: ``"Public Canteen"``.
    """

    family: ClassVar[str] = "gather"
    people: tuple[str, ...]
    place: str

    @property
    def goal(self) -> str:
        """Such as ``"Bring MD and WL together in Public Canteen, and be there with them."``."""
        return f"Bring {' and '.join(self.people)} together in {self.place}, and be there with them."

    def words(self, progress: Progress, time: int) -> str:
        """Such as ``"Come to Public Canteen."``."""
        return invitation(self.place)

    def is_mark(self, mark: str, near: Neighbourhood) -> bool:
        """When each of the two was last invited, and when the task was solved."""
        return mark in (*self.people, SOLVED)

    def check(self, near: Neighbourhood, resident: str) -> None:
        """As ``Task.check``."""
        if len(set(self.people)) != 2 or len(self.people) != 2:
            raise ValueError(f"'people' of a 'gather' task must be two different residents, got {self.people!r}")
        for person in self.people:
            check_other(self.family, person, near, resident)
        check_known(self.family, "place", self.place, near.places)

    def advance(self, progress: Progress, world: World, observation: Observation, action: Action | None) -> Progress:
        """As ``Task.advance``: solved when both were invited, and all three are there."""
        for person in self.people:
            if said(action, person, self.place):
                progress = {**progress, person: observation.time - 1}
        invited = all(
            observation.time - progress.get(person, -INVITATION_STEPS) < INVITATION_STEPS for person in self.people
        )
        if invited and {observation.resident, *self.people}.issubset(world.people_in(self.place)):
            return {**progress, SOLVED: observation.time}
        return progress

    def plan(self, progress: Progress, world: World, resident: str) -> tuple[str, ...]:
        """As ``Task.plan``: invite whoever is not on the way, then go there and wait."""
        near, leg = neighbourhood_of(world.map.tables, resident), Leg((), world.place_of(resident))
        for person in sorted(self.people, key=lambda name: world.place_of(name) != leg.place):
            if not self._comes(progress, world, person):
                leg = go(near, leg, world.place_of(person), chat_with(person, invitation(self.place)))
        return go(near, leg, self.place).actions or (WAIT,)

    def _comes(self, progress: Progress, world: World, person: str) -> bool:
        if person not in progress:
            return False
        return world.place_of(person) == self.place or world.time - progress[person] < _FRESH

    @classmethod
    def combinations(cls, near: Neighbourhood) -> list[Combination]:
        """Pairs of people and places that are no home of theirs."""
        people = near.people
        return [
            (one, other, place)
            for number, one in enumerate(people)
            for other in people[number + 1 : number + 1 + _NEIGHBOURS]
            for place in near.places
            if place not in (near.home(one), near.home(other))
        ]

    @classmethod
    def draw(
        cls, near: Neighbourhood, resident: str, combination: Combination, generator: np.random.Generator
    ) -> Self | None:
        """As ``Task.draw``: it is two others who meet, and not where the resident is at the start."""
        one, other, place = combination
        if resident in (one, other) or place == near.home(resident):
            return None
        return cls(people=(one, other), place=place)
