"""Tasks of news that somebody is to hear and to acknowledge."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np

from irollan_env.map.catalogue import WAIT
from irollan_env.tasks.neighbourhood import Neighbourhood, neighbourhood_of
from irollan_env.tasks.people import answered, check_other, said
from irollan_env.tasks.planning import Leg, go, obtain
from irollan_env.tasks.task import SOLVED, Combination, Progress, Task, check_known
from irollan_env.world.observation import Observation
from irollan_env.world.primitives import Action, chat_with
from irollan_env.world.world import World

_TOLD = "told"
_LAST_TOLD = "last told"
_SEEN = "seen in "

FRESH = 10
"""Time steps for which what was seen is news."""


@dataclass(frozen=True, kw_only=True)
class Tell(Task):
    """Find out where something is, tell somebody while it is news, and be answered.

    The resident sees the item when it is where the item lies, or holds it. Words tell of it when they name the item,
    and the place in which it was seen last, at most ``FRESH`` steps before. They are acknowledged when the person, in
    a later step, says words to the resident that name the item.

    Attributes:
        person: Who is to hear it: ``"WM"``.
        item: ``"toy 2"``.
    """

    family: ClassVar[str] = "tell"
    person: str
    item: str

    @property
    def goal(self) -> str:
        """Such as ``"See where the toy 2 is, tell WM within 10 steps, and have WM acknowledge it."``."""
        person = self.person
        return f"See where the {self.item} is, tell {person} within {FRESH} steps, and have {person} acknowledge it."

    def words(self, progress: Progress, time: int) -> str | None:
        """Such as ``"I saw the toy 2 in WL's Home."``; nothing when it was not seen of late."""
        place = _seen_in(progress, time)
        return None if place is None else self._news(place)

    def is_mark(self, mark: str, near: Neighbourhood) -> bool:
        """When it was told first and last, where and when it was seen, and when the task was solved."""
        return mark in (_TOLD, _LAST_TOLD, SOLVED) or (
            mark.startswith(_SEEN) and mark.removeprefix(_SEEN) in near.tables.place_number
        )

    def check(self, near: Neighbourhood, resident: str) -> None:
        """As ``Task.check``."""
        check_other(self.family, self.person, near, resident)
        check_known(self.family, "item", self.item, tuple(near.start))

    def advance(self, progress: Progress, world: World, observation: Observation, action: Action | None) -> Progress:
        """As ``Task.advance``: solved when what was told is acknowledged."""
        if _TOLD in progress and answered(observation, self.person, self.item, progress[_TOLD]):
            return {**progress, SOLVED: observation.time}
        now = observation.time - 1
        place = _seen_in(progress, now)
        if place is not None and said(action, self.person, self.item, place):
            progress = {_TOLD: now, **progress, _LAST_TOLD: now}
        if self._sees(world, observation.resident):
            kept = {mark: time for mark, time in progress.items() if not mark.startswith(_SEEN)}
            progress = {**kept, f"{_SEEN}{observation.place}": observation.time}
        return progress

    def _sees(self, world: World, resident: str) -> bool:
        where = world.where_is(self.item)
        place_of = neighbourhood_of(world.map.tables, resident).place_of
        return where == resident or place_of.get(where) == world.place_of(resident)

    def plan(self, progress: Progress, world: World, resident: str) -> tuple[str, ...]:
        """As ``Task.plan``: see the item, go to the person, tell it, and wait for an answer."""
        near, leg = neighbourhood_of(world.map.tables, resident), Leg((), world.place_of(resident))
        place, place_of_person = _seen_in(progress, world.time), world.place_of(self.person)
        if leg.place == place_of_person and progress.get(_LAST_TOLD, -1) == world.time - 1 >= 0:
            return (WAIT,)
        if place is None:
            # Where it lies, one need not take it: to be there is to see it.
            seen = obtain(near, world, resident, self.item)
            place, leg = seen.place, Leg(seen.actions[:-1] or (WAIT,), seen.place)
        return go(near, leg, place_of_person, chat_with(self.person, self._news(place)), WAIT).actions

    def _news(self, place: str) -> str:
        return f"I saw the {self.item} in {place}."

    @classmethod
    def combinations(cls, near: Neighbourhood) -> list[Combination]:
        """People and the kinds of what they are told of."""
        return [(person, kind) for person in near.people for kind in near.kinds]

    @classmethod
    def draw(
        cls, near: Neighbourhood, resident: str, combination: Combination, generator: np.random.Generator
    ) -> Self | None:
        """As ``Task.draw``: the item is drawn among those that lie in neither's home."""
        person, kind = combination
        homes = (near.home(resident), near.home(person))
        items = [item for item in near.items[kind] if near.start[item] not in homes]
        if person == resident or not items:
            return None
        return cls(person=person, item=items[int(generator.integers(len(items)))])


def _seen_in(progress: Progress, now: int) -> str | None:
    seen = (mark for mark, time in progress.items() if mark.startswith(_SEEN) and now - time < FRESH)
    return next((mark.removeprefix(_SEEN) for mark in seen), None)
