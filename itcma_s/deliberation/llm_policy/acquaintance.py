"""What a resident knows of people, places and who has what."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from copy import deepcopy
from dataclasses import asdict, dataclass, field
from typing import Any, Self

from irollan_env.english import the
from irollan_env.naming import is_numbered, is_thing, kind
from irollan_env.world.observation import Observation
from itcma_s.deliberation.plain_words import called, joined, summary
from itcma_s.memory.familiarity import Familiarity
from itcma_s.protention.protention import is_fixture
from itcma_s.wording import is_gone

_LATEST = 3
OF_USE = ("stoveburner", "sinkbasin")
"""Kinds of furniture that people go to a place for."""


@dataclass(slots=True)
class Dealings:
    """What passed between a resident and somebody it knows.

    Attributes:
        met: The time step of the first meeting.
        talked: How often either spoke to the other.
        last: The time step in which either spoke to the other last; -1 before.
        gave: What the other handed to the resident, the latest last.
        got: What the other had from the resident, the latest last.
    """

    met: int
    talked: int = 0
    last: int = -1
    gave: list[str] = field(default_factory=list)
    got: list[str] = field(default_factory=list)

    def describe(self, me: str) -> list[str]:
        """Describe the exchanges with the person: "gave you food 6"."""
        parts = []
        for things, form in ((self.gave, "gave you {what}"), (self.got, "had {what} from you")):
            if things:
                what = joined([called(thing, me) for thing in dict.fromkeys(things[-_LATEST:])])
                parts.append(form.format(what=what))
        return parts


@dataclass(slots=True)
class Acquaintance:
    """The people a resident knows, the places it visited, and where things are.

    Attributes:
        people: Person -> what passed between them.
        origins: Held thing -> who handed it over; without those that the resident owned before or took.
        holders: Thing -> the person last seen with it.
        laid: Thing that lies somewhere -> who put it there, if the resident saw or did that.
        spent: Things known to be eaten or drunk.
        sighted: Person -> the place and the time step of the last sighting.
        told_places: Place -> its line in prompts.
        place: The resident's place in the last step; None before the first.
    """

    people: dict[str, Dealings] = field(default_factory=dict)
    origins: dict[str, str] = field(default_factory=dict)
    holders: dict[str, str] = field(default_factory=dict)
    laid: dict[str, str] = field(default_factory=dict)
    spent: list[str] = field(default_factory=list)
    sighted: dict[str, tuple[str, int]] = field(default_factory=dict)
    told_places: dict[str, str] = field(default_factory=dict)
    place: str | None = None

    def notice(
        self, observation: Observation, gave: tuple[str, str] | None, spoke_to: str | None, laid: str | None = None
    ) -> None:
        """Update acquaintances from the people met and the exchanges of the last step.

        Args:
            observation: The current observation.
            gave: A thing and whom the resident handed it to; None where it did not.
            spoke_to: Whom the resident spoke to; None where it did not.
            laid: A thing that the resident put somewhere; None where it did not.
        """
        now = observation.time
        heard = [message.sender for message in observation.messages if message.addressee == observation.resident]
        # Furniture that announces a vote is nobody.
        speakers = [name for name in heard if not is_numbered(name)]
        for person in (*observation.company, *speakers):
            if person not in self.people:
                self.people[person] = Dealings(met=now)
        for person in (*speakers, *([spoke_to] if spoke_to in self.people else [])):
            dealings = self.people[str(person)]
            dealings.talked += 1
            dealings.last = now
        for event in observation.events:
            if event.deed == "handed" and event.other == observation.resident and event.thing is not None:
                self.people.setdefault(event.actor, Dealings(met=now)).gave.append(event.thing)
        if gave is not None and gave[1] in self.people:
            self.people[gave[1]].got.append(gave[0])
        self.sighted |= dict.fromkeys(observation.company, (observation.place, now))
        self._see_who_holds(observation, gave)
        self._see_what_became(observation, laid)

    def _see_what_became(self, observation: Observation, laid: str | None) -> None:
        """Update who put down which thing, and what is eaten or drunk."""
        if laid is not None:
            self.laid[laid] = observation.resident
        spent = {percept.name for percept in observation.percepts if percept.kind == "item" and is_gone(percept)}
        for event in observation.events:
            if event.thing is None:
                continue
            if event.deed == "put":
                self.laid[event.thing] = event.actor
            elif event.deed in ("took", "handed"):
                self.laid.pop(event.thing, None)
            elif event.deed == "used" and is_spent(event.text):
                spent.add(event.thing)
        self.laid = {thing: who for thing, who in self.laid.items() if thing not in observation.holding}
        self.spent = list(dict.fromkeys([*self.spent, *sorted(spent)]))

    def _see_who_holds(self, observation: Observation, gave: tuple[str, str] | None) -> None:
        """Update which person holds which thing, from observed exchanges."""
        if gave is not None:
            self.holders[gave[0]] = gave[1]
        for event in observation.events:
            if event.thing is None or is_fixture(event.thing):
                continue
            if event.deed in ("took", "used"):
                self.holders[event.thing] = event.actor
            elif event.deed == "handed":
                self.holders[event.thing] = str(event.other)
            elif event.deed == "put":
                self.holders.pop(event.thing, None)
            if event.deed == "used" and is_spent(event.text):
                self.holders.pop(event.thing, None)
        for percept in observation.percepts:
            if percept.kind == "item":
                self.holders.pop(percept.name, None)
        mine = [event for event in observation.events if event.other == observation.resident]
        handed = {event.thing: event.actor for event in mine if event.deed == "handed"}
        held = observation.holding
        given_away = {thing for dealings in self.people.values() for thing in dealings.got}
        for thing in held:
            giver = handed.get(thing, "")
            if thing not in self.origins:
                self.origins[thing] = "" if thing in given_away else giver
        self.origins = {thing: giver for thing, giver in self.origins.items() if thing in held}

    def held_by(self, person: str) -> tuple[str, ...]:
        """Return the things that a person was seen to get and not to give away since."""
        return tuple(thing for thing, holder in self.holders.items() if holder == person)

    def strangers(self) -> frozenset[str]:
        """Return the people known by sight without any conversation."""
        return frozenset(person for person, dealings in self.people.items() if not dealings.talked)

    def describe_people(self, me: str, described: Mapping[str, str]) -> dict[str, str]:
        """Return a line for each person about whom something is known, in the order of meeting."""
        told = {}
        for person, dealings in self.people.items():
            thought = described.get(person, "").rstrip(".")
            parts = [*([thought.removeprefix(f"{person} ")] if thought else []), *dealings.describe(me)]
            if not parts and dealings.talked:
                parts = ["has talked with you"]
            if parts:
                colon = ":" if thought and not thought.startswith(f"{person} ") else ""
                told[person] = f"{person}{colon} {'; '.join(parts)}"
        return told

    def refresh(self, observation: Observation, familiarity: Familiarity) -> None:
        """Update the line of the place that the resident has just left.

        Otherwise lines stay the same, so that consecutive requests have the same beginning.
        """
        left, self.place = self.place, observation.place
        if left == observation.place:
            return
        me = observation.resident
        gone = {*observation.holding, *self.spent}
        if left not in (None, "outside") and (line := _found(str(left), familiarity.seen, gone, me)):
            self.told_places[str(left)] = line

    def get_state(self) -> dict[str, Any]:
        """Return the state as JSON-ready data."""
        return {**asdict(self)}

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> Self:
        """Return the object with a state from ``get_state``."""
        known = deepcopy(dict(state))
        known["people"] = {person: Dealings(**dealings) for person, dealings in known["people"].items()}
        known["sighted"] = {person: (place, time) for person, (place, time) in known["sighted"].items()}
        return cls(**known)


def is_spent(text: str) -> bool:
    """Return whether an event's text says that a thing was eaten or drunk."""
    return text.endswith((" is now eaten.", " is now drunk."))


def _found(place: str, seen: Mapping[str, str], but: Collection[str], me: str) -> str:
    """List the things last seen in a place, grouped by kind; of furniture only useful kinds."""
    names = [name for name, where in seen.items() if where == place and is_thing(name) and name not in but]
    things = summary([name for name in names if not is_fixture(name)], me)
    tools = sorted({the(name) for name in names if kind(name) in OF_USE})
    tools = [tool.replace("the ", "a ", 1) for tool in tools]
    return ", ".join([*things, *tools])
