"""Tasks of handing things to people: to a given person, at a given place, or to the thing's owner."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Self

from irollan_env.actions import Primitive
from irollan_env.map.catalogue import WAIT
from irollan_env.naming import some
from irollan_env.tasks.neighbourhood import Neighbourhood, neighbourhood_of
from irollan_env.tasks.people import ASKED, ask_around, check_other, latest
from irollan_env.tasks.planning import Leg, do, explore, go, meet, obtain
from irollan_env.tasks.task import LOST, SOLVED, Drawing, Moment, Own, Progress, check_named
from irollan_env.tasks.views import View
from irollan_env.world.requests import asked_who_lost, lost_by, named_owner, who_lost


@dataclass(frozen=True, kw_only=True)
class Deliver(Own):
    """Task of handing an item of a kind to a given person.

    Attributes:
        kind: The kind of the item: ``"book"``.
        person: The receiver: ``"WM"``.
    """

    family: ClassVar[str] = "deliver"
    kind: str
    person: str

    @property
    def own_words(self) -> str:
        """The goal, such as ``"Bring a book to WM."``."""
        return f"Bring {some(self.kind)} to {self.person}."

    def check(self, near: Neighbourhood, resident: str) -> None:
        """Implement ``Task.check``."""
        check_named(self.family, "kind of item", self.kind, near.kinds)
        check_other(self.family, self.person, near, resident)

    def advance(self, progress: Progress, moment: Moment) -> Progress:
        """Implement ``Task.advance``: solved when the resident hands it over."""
        action, kind_of = moment.action, neighbourhood_of(moment.world.map.tables, moment.resident).kind_of
        if action is None or action.primitive is not Primitive.PUT or action.target != self.person:
            return progress
        return {**progress, SOLVED: moment.time} if kind_of[str(action.item)] == self.kind else progress

    def leg(self, progress: Progress, view: View, start: Leg) -> Leg:
        """Implement ``Task.leg``."""
        leg, item = obtain(view, start, view.near.items[self.kind])
        return meet(view, leg, self.person, f"put {item} in/on {self.person}")

    @classmethod
    def draw(cls, drawing: Drawing) -> Self:
        """Draw a task for a resident."""
        return cls(kind=drawing.any(drawing.kinds()), person=drawing.any(drawing.others))


@dataclass(frozen=True, kw_only=True)
class Await(Deliver):
    """Task of handing an item of a kind to a person in a place to which that person comes unasked.

    Attributes:
        place: The place: ``"Elm House"``.
    """

    family: ClassVar[str] = "await"
    place: str

    @property
    def own_words(self) -> str:
        """The goal, such as ``"When WM comes to Elm House, hand WM a book there."``."""
        return f"When {self.person} comes to {self.place}, hand {self.person} {some(self.kind)} there."

    def check(self, near: Neighbourhood, resident: str) -> None:
        """Implement ``Task.check``."""
        super().check(near, resident)
        check_named(self.family, "place", self.place, near.places)

    def advance(self, progress: Progress, moment: Moment) -> Progress:
        """Implement ``Task.advance``: solved when the resident hands it over there."""
        return super().advance(progress, moment) if moment.place == self.place else progress

    def leg(self, progress: Progress, view: View, start: Leg) -> Leg:
        """Implement ``Task.leg``: get the thing, go there, and wait for the person."""
        leg, item = obtain(view, start, view.near.items[self.kind])
        leg = go(view, leg, self.place)
        here = view.place_of(self.person) == self.place
        return do(leg, f"put {item} in/on {self.person}" if here else WAIT, ends=not here)

    @classmethod
    def draw(cls, drawing: Drawing) -> Self:
        """Draw a task for a resident: the place is the home of the person."""
        near, person = drawing.near, drawing.any(drawing.others)
        return cls(kind=drawing.any(drawing.kinds()), person=person, place=near.home(person))


@dataclass(frozen=True, kw_only=True)
class ReturnLost(Own):
    """Task of handing a lost thing to its owner, whom another resident knows; lost when anybody else gets it.

    Attributes:
        item: ``"lens 2"``.
        person: The owner, whom the goal does not state.
        knower: The resident that knows the owner, and has to be asked.
    """

    family: ClassVar[str] = "return"
    item: str
    person: str
    knower: str

    @property
    def own_words(self) -> str:
        """The goal: ``"Give the lens 2 back to the one who lost it. Somebody here knows who that is; ask."``."""
        return f"Give the {self.item} back to the one who lost it. Somebody here knows who that is; ask."

    @property
    def facts(self) -> Mapping[str, tuple[str, str]]:
        """The owner's name, known to the resident who has to be asked."""
        return {self.knower: (self.item, lost_by(self.item, self.person))}

    def words(self, progress: Progress, resident: str, person: str, time: int) -> str:
        """Return the question to ask, such as ``"Who lost the lens 2?"``."""
        return who_lost(self.item)

    def is_mark(self, mark: str, near: Neighbourhood) -> bool:
        """Return whether a mark says who was asked and when, or who is said to have lost the thing."""
        return super().is_mark(mark, near) or re.sub(r"^(asked|owner) ", "", mark) in near.people

    def check(self, near: Neighbourhood, resident: str) -> None:
        """Implement ``Task.check``."""
        check_named(self.family, "item", self.item, tuple(near.start))
        check_other(self.family, self.person, near, resident)
        check_other(self.family, self.knower, near, resident)

    def advance(self, progress: Progress, moment: Moment) -> Progress:
        """Implement ``Task.advance``: solved when the owner gets the thing, lost when somebody else does."""
        action = moment.action
        for message in moment.messages:
            if (owner := named_owner(message.text, self.item, moment.world.residents)) is not None:
                progress = {**progress, f"owner {owner}": moment.time}
        if action is None:
            return progress
        if asked_who_lost(action.words) == self.item:
            progress = {**progress, f"{ASKED}{action.target}": moment.time}
        put = action.primitive is Primitive.PUT and action.item == self.item
        if put and action.target in moment.world.residents:
            return {**progress, SOLVED if action.target == self.person else LOST: moment.time}
        return progress

    def leg(self, progress: Progress, view: View, start: Leg) -> Leg:
        """Implement ``Task.leg``: ask residents who are present, get the thing, and ask on until the owner is known."""
        owner = self.person if view.all_known else latest(progress, "owner ")
        words, people = who_lost(self.item), view.near.people
        if owner is None and (asking := ask_around(progress, view, start, words, people)) is not None:
            return asking
        leg, item = obtain(view, start, (self.item,))
        if owner is None:
            return explore(view, leg, people=True)
        return meet(view, leg, owner, f"put {item} in/on {owner}")

    @classmethod
    def draw(cls, drawing: Drawing) -> Self:
        """Draw a task for a resident."""
        person, knower = drawing.some(drawing.others, 2)
        return cls(item=drawing.any(drawing.items()), person=person, knower=knower)
