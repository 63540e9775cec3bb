"""Tasks of bringing people together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

from irollan_env.actions import chat_with
from irollan_env.tasks.neighbourhood import Neighbourhood
from irollan_env.tasks.people import check_other, said
from irollan_env.tasks.planning import Leg, go, meet
from irollan_env.tasks.task import SOLVED, Drawing, Moment, NothingToDraw, Own, Progress, check_named
from irollan_env.tasks.views import View
from irollan_env.world.requests import PATIENCE, invitation

_FRESH = 25
"""Time steps after which an expert repeats an invitation that was not followed."""


@dataclass(frozen=True, kw_only=True)
class Gather(Own):
    """Task of bringing two people together in a place, and being there with them.

    Both have to be invited, with words that name the place, within the ``PATIENCE`` steps before: people who
    happen to meet there do not count.

    Attributes:
        people: The two people to bring together: ``("MD", "WL")``.
        place: The meeting place: ``"Public Canteen"``.
    """

    family: ClassVar[str] = "gather"
    people: tuple[str, ...]
    place: str

    @property
    def own_words(self) -> str:
        """The goal, such as ``"Bring MD and WL together in Public Canteen, and be there with them."``."""
        return f"Bring {' and '.join(self.people)} together in {self.place}, and be there with them."

    def words(self, progress: Progress, resident: str, person: str, time: int) -> str:
        """Return an invitation such as ``"Come to Public Canteen."``."""
        return invitation(self.place)

    def is_mark(self, mark: str, near: Neighbourhood) -> bool:
        """Return whether a mark says when one of the two was last invited, or when the task was solved."""
        return super().is_mark(mark, near) or mark in self.people

    def check(self, near: Neighbourhood, resident: str) -> None:
        """Implement ``Task.check``."""
        if len(set(self.people)) != 2 or len(self.people) != 2:
            raise ValueError(f"'people' of a 'gather' task must be two different residents, got {self.people!r}")
        for person in self.people:
            check_other(self.family, person, near, resident)
        check_named(self.family, "place", self.place, near.places)

    def advance(self, progress: Progress, moment: Moment) -> Progress:
        """Implement ``Task.advance``: solved when both were invited, and all three are there."""
        for person in self.people:
            if said(moment.action, person, self.place):
                progress = {**progress, person: moment.time - 1}
        since = [moment.time - progress.get(person, -PATIENCE) for person in self.people]
        invited = max(since) < PATIENCE
        if invited and {moment.resident, *self.people}.issubset(moment.world.people_in(self.place)):
            return {**progress, SOLVED: moment.time}
        return progress

    def leg(self, progress: Progress, view: View, start: Leg) -> Leg:
        """Implement ``Task.leg``: invite those who are not on the way, then go there and wait."""
        leg = start
        for person in sorted(self.people, key=lambda name: view.place_of(name) != view.place):
            if not self._comes(progress, view, person):
                leg = meet(view, leg, person, chat_with(person, invitation(self.place)))
        return go(view, leg, self.place)

    def _comes(self, progress: Progress, view: View, person: str) -> bool:
        if person not in progress:
            return False
        return view.place_of(person) == self.place or view.time - progress[person] < _FRESH

    @classmethod
    def draw(cls, drawing: Drawing) -> Self:
        """Draw two people who live on one ground, and a place there that is home to none of the three."""
        near = drawing.near
        one, other = drawing.some(drawing.others, 2)
        homes = [near.home(person) for person in (one, other, drawing.resident)]
        if near.ground(homes[0]) != near.ground(homes[1]):
            raise NothingToDraw
        places = [place for place in near.places if place not in homes and near.ground(place) == near.ground(homes[0])]
        return cls(people=(one, other), place=drawing.any(places))
