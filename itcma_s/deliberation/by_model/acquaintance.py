"""What one knows of others and of places, a line each, brought up to date when a segment of life is over."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from copy import deepcopy
from dataclasses import asdict, dataclass, field
from typing import Any, Self

from irollan_env.world.naming import is_person, kind
from irollan_env.world.observation import Observation
from itcma_s.deliberation.plain_words import summary, yours
from itcma_s.memory.familiarity import Familiarity
from itcma_s.protention.protention import is_fixture
from itcma_s.wording import the

_LATEST = 3
OF_USE = ("stoveburner", "sinkbasin")
"""Furniture that a place is sought for."""


@dataclass(slots=True)
class Dealings:
    """What passed between a resident and somebody it knows.

    Attributes:
        met: The time step of the first meeting.
        talked: How often either spoke to the other.
        gave: What the other handed to the resident, the latest last.
        got: What the other had from the resident, the latest last.
    """

    met: int
    talked: int = 0
    gave: list[str] = field(default_factory=list)
    got: list[str] = field(default_factory=list)

    def told(self, person: str, me: str) -> list[str]:
        """What passed between the two: "AY gave you food 6"."""
        parts = []
        for things, form in ((self.gave, "{who} gave you {what}"), (self.got, "you gave {who} {what}")):
            if things:
                what = ", ".join(yours(thing, me) for thing in things[-_LATEST:])
                parts.append(form.format(who=person, what=what))
        return parts


@dataclass(slots=True)
class Acquaintance:
    """Everybody whom one knows and every place where one was, and how that is told.

    Attributes:
        people: Person -> what passed between them.
        told_people: Person -> the line that is told, as of the last time it was brought up to date.
        told_places: Place -> the line that is told.
        place: Where one was at the last step; None before the first.
    """

    people: dict[str, Dealings] = field(default_factory=dict)
    told_people: dict[str, str] = field(default_factory=dict)
    told_places: dict[str, str] = field(default_factory=dict)
    place: str | None = None

    def notice(self, observation: Observation, gave: tuple[str, str] | None, spoke_to: str | None) -> None:
        """Take in whom one meets, and what passed between one and them in the last step.

        Args:
            observation: What is perceived now.
            gave: A thing and whom the resident handed it to; None where it did not.
            spoke_to: Whom the resident spoke to; None where it did not.
        """
        now = observation.time
        speakers = [message.sender for message in observation.messages if message.addressee == observation.resident]
        for person in (*observation.company, *speakers):
            if person not in self.people:
                self.people[person] = Dealings(met=now)
        for person in (*speakers, *([spoke_to] if spoke_to in self.people else [])):
            dealings = self.people[str(person)]
            dealings.talked += 1
        for event in observation.events:
            if event.deed == "handed" and event.other == observation.resident and event.thing is not None:
                self.people.setdefault(event.actor, Dealings(met=now)).gave.append(event.thing)
        if gave is not None and gave[1] in self.people:
            self.people[gave[1]].got.append(gave[0])

    def givers(self) -> dict[str, str]:
        """Thing -> who handed it to one, the latest."""
        return {thing: person for person, dealings in self.people.items() for thing in dealings.gave}

    def strangers(self) -> frozenset[str]:
        """Those whom one knows by sight, and never spoke with."""
        return frozenset(person for person, dealings in self.people.items() if not dealings.talked)

    def refresh(self, observation: Observation, familiarity: Familiarity) -> None:
        """Bring what is told up to date where one has come to another place: of people, and of the place one left.

        In between it stays as it is, so that a request begins as the one before it.
        """
        left, self.place = self.place, observation.place
        if left == observation.place:
            return
        me = observation.resident
        self.told_people = {name: "; ".join(told) for name, one in self.people.items() if (told := one.told(name, me))}
        if left not in (None, "outside") and (line := _found(str(left), familiarity.seen, observation.holding, me)):
            self.told_places[str(left)] = line

    def get_state(self) -> dict[str, Any]:
        """JSON-ready state."""
        return {**asdict(self)}

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> Self:
        """What ``get_state`` gave."""
        known = deepcopy(dict(state))
        known["people"] = {person: Dealings(**dealings) for person, dealings in known["people"].items()}
        return cls(**known)


def _found(place: str, seen: Mapping[str, str], held: Collection[str], me: str) -> str:
    """What one has found in a place, things of a kind together; furniture only where it is sought for its use."""
    names = [name for name, where in seen.items() if where == place and not is_person(name) and name not in held]
    things = summary([name for name in names if not is_fixture(name)], me)
    tools = sorted({the(name) for name in names if kind(name) in OF_USE})
    tools = [tool.replace("the ", "a ", 1) for tool in tools]
    return ", ".join([*things, *tools])
