"""Shared tasks about meeting and passing on information, which no resident can solve alone."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar

from irollan_env.actions import Action, chat_with
from irollan_env.map.catalogue import WAIT
from irollan_env.naming import listed
from irollan_env.tasks.neighbourhood import Neighbourhood
from irollan_env.tasks.people import said
from irollan_env.tasks.planning import Leg, do, explore, go, meet
from irollan_env.tasks.task import LOST, SOLVED, Drawing, Moment, Progress, Task, check_named, mentions
from irollan_env.tasks.views import View
from irollan_env.world.requests import invitation


@dataclass(frozen=True, kw_only=True)
class Shared(Task):
    """A task that several residents share.

    Attributes:
        people: The residents that share it, in the order that matters to the task.
    """

    together: ClassVar[bool] = True
    people: tuple[str, ...]

    def check(self, near: Neighbourhood, resident: str) -> None:
        """Implement ``Task.check``."""
        for person in self.people:
            check_named(self.family, "resident", person, near.people)
        if len(set(self.people)) < max(2, len(self.people)) or resident not in self.people:
            raise ValueError(f"'people' of a {self.family!r} task must be two or more, each once, with {resident!r}")

    @classmethod
    @abstractmethod
    def draw_all(cls, drawing: Drawing) -> dict[str, Task]:
        """Draw the task of every resident of the neighbourhood.

        Raises:
            NothingToDraw: where the map lacks what it needs.
        """


@dataclass(frozen=True, kw_only=True)
class SitTogether(Shared):
    """Shared task of being seated in one place at the same time; only the first of the people knows where.

    Attributes:
        place: A place with chairs for all.
        told: The resident that has this task, which decides whether the goal states the place.
    """

    family: ClassVar[str] = "table"
    place: str
    told: str

    @property
    def own_words(self) -> str:
        """The goal: names the place for the first resident, and for the others the resident who knows it."""
        first, *others = self.people
        if self.told == first:
            return f"Sit down with {listed(others)} in {self.place}, all at the same time. Only you know where."
        rest = listed([person for person in self.people if person != self.told])
        return f"Sit down with {rest}, all at the same time, where {first} says."

    def words(self, progress: Progress, resident: str, person: str, time: int) -> str | None:
        """Return an invitation such as ``"Come to Elm Hall."`` if the resident knows the place; None otherwise."""
        return invitation(self.place) if resident == self.people[0] or _HEARD in progress else None

    def is_mark(self, mark: str, near: Neighbourhood) -> bool:
        """Return whether a mark says that the resident has heard the place, or whom it has told."""
        return super().is_mark(mark, near) or mark == _HEARD or mark.removeprefix(_TOLD) in self.people

    def advance(self, progress: Progress, moment: Moment) -> Progress:
        """Implement ``Task.advance``: solved when all are seated there."""
        world = moment.world
        if any(mentions(message.text, self.place) for message in moment.messages):
            progress = {_HEARD: moment.time, **progress}
        person = "" if moment.action is None else moment.action.target
        if said(moment.action, person, self.place):
            here = (p for p in self.people if world.place_of(p) == moment.place)
            progress = {**progress, **{f"{_TOLD}{p}": moment.time for p in (person, *here) if p in self.people}}
        seats = [world.seat_of(person) for person in self.people if world.place_of(person) == self.place]
        if len(seats) == len(self.people) and all(seat is not None for seat in seats):
            return {**progress, SOLVED: moment.time}
        return progress

    def leg(self, progress: Progress, view: View, start: Leg) -> Leg:
        """Implement ``Task.leg``: the first goes round and tells the others, who wait to hear it."""
        if view.resident == self.people[0] and not view.all_known:
            untold = [p for p in self.people[1:] if f"{_TOLD}{p}" not in progress]
            known = [p for p in untold if view.place_of(p) is not None]
            if untold and not known:
                return explore(view, start, people=True)
            leg = start
            for person in known:
                leg = meet(view, leg, person, chat_with(person, invitation(self.place)))
            return self._sit(view, leg) if len(known) == len(untold) else leg._replace(ends=True)
        return self._sit(view, start) if view.all_known or _HEARD in progress else do(start, WAIT, ends=True)

    def _sit(self, view: View, start: Leg) -> Leg:
        if view.place == self.place and (doing := view.doing(view.resident)) and doing.startswith("using the chair"):
            return do(start, WAIT, ends=True)
        leg = go(view, start, self.place)
        chairs = view.near.pieces("chair", self.place)
        taken = {doing.removeprefix("using the ") for p in self.people if (doing := view.doing(p))}
        free = [chair for chair in chairs if chair not in taken]
        mine = self.people.index(view.resident)
        return do(leg, f"use {free[mine % len(free)]}" if free else WAIT)

    @classmethod
    def draw_all(cls, drawing: Drawing) -> dict[str, Task]:
        """Draw a task for every resident of the neighbourhood, in a place with a chair for each."""
        near = drawing.near
        people = drawing.everybody()
        place = drawing.any([place for place in near.places if len(near.pieces("chair", place)) >= len(people)])
        return {person: cls(people=people, place=place, told=person) for person in people}


_HEARD, _TOLD, _HAS = "heard", "told ", "has "


@dataclass(frozen=True, kw_only=True)
class PassOn(Shared):
    """Shared task of passing a word along a chain of people; lost when it is told to anybody else.

    Attributes:
        word: The word, which only the first knows: ``"heron"``.
        told: The resident that has this task.
    """

    family: ClassVar[str] = "relay"
    word: str
    told: str

    @property
    def own_words(self) -> str:
        """The goal: states the word for the first resident, and its sender and receiver for the others."""
        place, people = self.people.index(self.told), self.people
        chain = f"It goes from {', then to '.join(people)}; whoever tells it to anybody else has lost it for all."
        if place == 0:
            return f"Tell {people[1]} that the word is {self.word}. {chain}"
        if place == len(people) - 1:
            return f"Hear a word from {people[-2]}. {chain}"
        return f"Hear a word from {people[place - 1]}, and pass it on to {people[place + 1]}. {chain}"

    def words(self, progress: Progress, resident: str, person: str, time: int) -> str | None:
        """Return a sentence such as ``"The word is heron."`` if the resident was told it; None otherwise."""
        return _the_word(self.word) if self._has(progress, resident) else None

    def _betrays(self, progress: Progress, teller: str, action: Action | None) -> bool:
        """Return whether a resident with the word tells it to someone who neither has it nor comes next."""
        if not (self._has(progress, teller) and action is not None and mentions(action.words, self.word)):
            return False
        after = self.people[self.people.index(teller) + 1 :][:1]
        return action.target not in after and not self._has(progress, action.target)

    def _has(self, progress: Progress, person: str) -> bool:
        return person == self.people[0] or f"{_HAS}{person}" in progress

    def is_mark(self, mark: str, near: Neighbourhood) -> bool:
        """Return whether a mark says who was told the word."""
        return super().is_mark(mark, near) or mark.removeprefix(_HAS) in self.people

    def advance(self, progress: Progress, moment: Moment) -> Progress:
        """Implement ``Task.advance``: solved when the word reaches the last, lost when a wrong person is told."""
        if any(self._betrays(progress, person, moment.acts.get(person)) for person in self.people):
            return {**progress, LOST: moment.time}
        for teller, hearer in reversed(list(zip(self.people, self.people[1:], strict=False))):
            if self._has(progress, teller) and said(moment.acts.get(teller), hearer, self.word):
                progress = {f"{_HAS}{hearer}": moment.time, **progress}
        return {**progress, SOLVED: moment.time} if f"{_HAS}{self.people[-1]}" in progress else progress

    def leg(self, progress: Progress, view: View, start: Leg) -> Leg:
        """Implement ``Task.leg``: the resident with the word goes and tells the next; the others wait."""
        number = self.people.index(view.resident)
        after = self.people[number + 1 : number + 2]
        if not after or f"{_HAS}{after[0]}" in progress or not self._has(progress, view.resident):
            return do(start, WAIT, ends=True)
        return meet(view, start, after[0], chat_with(after[0], _the_word(self.word)))

    @classmethod
    def draw_all(cls, drawing: Drawing) -> dict[str, Task]:
        """Draw a task for every resident of the neighbourhood; the word is the name of a place."""
        people = drawing.everybody()
        word = drawing.any(drawing.near.places).split(" ")[0].lower()
        return {person: cls(people=people, word=word, told=person) for person in people}


def _the_word(word: str) -> str:
    return f"The word is {word}."
