"""A resident's knowledge of places, people and things, from its own observations, and where it last saw them."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Mapping
from copy import deepcopy
from dataclasses import dataclass, field, replace
from typing import Any

from irollan_env.actions import Action, Primitive
from irollan_env.english import possessive
from irollan_env.naming import OWNER, is_thing, kind, mask_marks, owner, unmask, whole_name
from irollan_env.world.observation import Observation
from itcma_s.memory.mentions import mentioned
from itcma_s.wording import meant

# Chance of finding something in a place, by the time since the last visit; what was seen there is forgotten by then.
_FIND_OUTSIDE, _FIND_NEW, _FIND_SEEN, _FORGOTTEN = 0.5, 0.8, 0.2, 25.0
# Nearness by the number of doors between: here, one door away, two doors away.
_BY_DOORS = (1.0, 0.6, 0.3)
_ANOTHER_PERSON_MAY_HAVE_LEFT = 0.8
ACQUAINTED = 2
"""Exchanges of words from which on somebody is no stranger any more."""
_ASKS_OR_DENIES = re.compile(r"\?|\bnot\b|n't\b|\bnever\b")
# A sentence about where somebody should or might be is no sighting.
_SUPPOSES = re.compile(
    r"\blook(?:ed|ing)? for\b|\b(?:hopes?|if|wish|would|could|should|might|let's|please|thank|thanks|bring)\b",
    re.IGNORECASE,
)
_SIGN = re.compile(r"price of (?P<kind>.+) on .+")
_SENTENCE = re.compile(r"[^.!?;]+")
# "to the canteen", and neither "to tell you" nor what is said after it.
_GOES = re.compile(
    r"\bI(?:'m| am|'ll| will| shall) (?:go|going|come|coming)(?: back| over| now| along| straight| with \w+)*"
    rf" (?P<where>home\b|outside\b|(?:in)?to (?:the|{OWNER}) .+?)"
    rf"(?= to (?!the\b|{OWNER})| and\b| with\b|[.,;:!]|$)"
)


@dataclass(slots=True)
class Familiarity:
    """Known places, people and things of one resident; empty at first.

    Attributes:
        places: Known places -> time of the last visit; None for a place known by its door only.
        people: Known people -> how often words were exchanged with them (said and answered).
        seen: People and things -> the place where they were seen last.
        missed: People -> places searched in vain since the person was last seen.
        bound: People who are here -> the place that they said they are going to.
        lying: Things -> the kind of furniture on which they were last seen.
        eases: Need -> what eases it (a kind of thing or furniture, or a place) -> by how much, in [0, 1].
        needs: Need -> its level at the last step.
        grows: Kind of thing -> the places where it grows.
        prices: Kind of thing -> the places where it is sold -> what it costs there, as far as is known.
        money: The kind of thing that is money, empty for none; not part of the state, nor are the next two.
        chests: Furniture that keeps wages of the resident's -> its place.
        work: Kind of thing whose use earns it money -> the places where there is one.
        residents: Names of all who live here, whom the resident knows by name; not part of the state.
    """

    places: dict[str, int | None] = field(default_factory=dict)
    people: dict[str, int] = field(default_factory=dict)
    seen: dict[str, str] = field(default_factory=dict)
    missed: dict[str, list[str]] = field(default_factory=dict)
    bound: dict[str, str] = field(default_factory=dict)
    lying: dict[str, str] = field(default_factory=dict)
    eases: dict[str, dict[str, float]] = field(default_factory=dict)
    needs: dict[str, float] = field(default_factory=dict)
    grows: dict[str, tuple[str, ...]] = field(default_factory=dict)
    prices: dict[str, dict[str, float]] = field(default_factory=dict)
    money: str = field(default="", kw_only=True, repr=False, compare=False)
    chests: Mapping[str, str] = field(default_factory=dict, kw_only=True, repr=False, compare=False)
    work: Mapping[str, tuple[str, ...]] = field(default_factory=dict, kw_only=True, repr=False, compare=False)
    residents: frozenset[str] = field(default=frozenset(), kw_only=True, repr=False, compare=False)
    _spoken: dict[str, tuple[str, ...]] = field(default_factory=dict, init=False, repr=False, compare=False)
    _homes: dict[str, str] = field(default_factory=dict, init=False, repr=False, compare=False)
    _read: int = field(default=0, init=False, repr=False, compare=False)  # number of places in `_homes`

    def learn(self, observation: Observation) -> dict[str, tuple[str, ...]]:
        """Learn from an observation, and return what is new in it.

        Returns:
            The new names by sort: place, person, thing.
        """
        self._spoken.clear()
        new: dict[str, list[str]] = {"place": [], "person": [], "thing": []}
        if self.places.get(observation.place) is None:
            new["place"].append(observation.place)
        self.places[observation.place] = observation.time
        for percept in observation.percepts:
            if percept.kind == "door":
                self.places.setdefault(percept.name.removeprefix("door to "), None)
            elif percept.kind == "person" and percept.name not in self.people:
                new["person"].append(percept.name)
                self.people[percept.name] = 0
            elif percept.kind == "item" and percept.name not in self.seen:
                new["thing"].append(percept.name)
        # Who was here when I looked last and is not now has gone somewhere else.
        gone = [name for name, place in self.seen.items() if place == observation.place]
        for name in gone:
            del self.seen[name]
        for percept in observation.percepts:
            if percept.kind != "door":
                self.seen[percept.name] = observation.place
                if percept.kind == "item" and percept.on:
                    self.lying[percept.name] = kind(percept.on)
                self.missed.pop(percept.name, None)
        for name, value in observation.variables.items() if self.money else ():
            if (sign := _SIGN.fullmatch(name)) is not None:
                self.prices.setdefault(sign["kind"], {})[observation.place] = value
        company = observation.company
        for message in observation.messages:
            self._hear_of(message.sender, meant(message), {observation.resident, message.sender, *company})
        for person, place in list(self.bound.items()):
            if (person in company) == (place == observation.place):
                del self.bound[person]
                if person not in company:
                    self._believe(person, place)
        for event in observation.events:
            # Everybody who leaves a house goes outside, where nobody stays; who enters one is in it.
            if event.deed == "left" and event.other not in (None, "outside") and event.actor not in company:
                self._believe(event.actor, str(event.other))
        # Somebody never met is looked for at home, which its name tells, and may be missed there, too.
        hosts = [str(host) for host in map(owner, self.places) if host in self.residents]
        for person in dict.fromkeys([*self.people, *(host for host in hosts if host != observation.resident)]):
            places = self.missed.setdefault(person, []) if person not in company else []
            if observation.place not in places:
                places.append(observation.place)
        return {sort: tuple(names) for sort, names in new.items()}

    def feel(self, observation: Observation, last_action: Action | None) -> dict[str, float]:
        """Learn what eases needs; return by how much each need has risen since the last step, below 0 if it fell."""
        changes = {need: level - self.needs.get(need, level) for need, level in observation.needs.items()}
        self.needs = dict(observation.needs)
        seat = (observation.doing or "").removeprefix("using the ")
        cause = ""
        if last_action is not None and observation.outcome == "executed":
            cause = kind(last_action.target) if last_action.primitive is Primitive.USE else observation.place
        if f"leave {seat}" in observation.admissible:
            cause = kind(seat)
        for need, change in changes.items():
            if change < 0 and cause:
                self.eases.setdefault(need, {}).setdefault(cause, round(-change, 6))
        return changes

    def _hear_of(self, sender: str, text: str, but: Container[str]) -> None:
        """Learn a person's whereabouts from a line of speech, if it states one absent person and one place.

        Questions and denials state nothing. A speaker who announces going somewhere is believed to be there once it is
        out of sight.
        """
        if _ASKS_OR_DENIES.search(text):
            return
        if going := _GOES.search(text):
            if (place := self._told_of(sender, going["where"])) is not None:
                self.bound[sender] = place
            return
        for part in _SENTENCE.findall(mask_marks(_without_addressees(text, self.people), self.people)):
            sentence = unmask(part)
            people = [name for name in mentioned(sentence, self.people, self.people) if name not in but]
            if len(people) != 1 or _SUPPOSES.search(sentence):
                continue
            if (place := self._told_of(people[0], sentence)) is not None:
                self._believe(people[0], place)

    def _told_of(self, person: str, text: str) -> str | None:
        """Return the place that a text about a person mentions; None if it mentions none or several."""
        spoken = [(place, owner(place)) for place in mentioned(text, self.places)]
        places = [place for place, whose in spoken if whose is None or possessive(text, whose, "") != text]
        if not places and re.search(rf"^home$|{whole_name(person)}.*\bhome\b", text):
            places = [place for place in self.places if owner(place) == person]
        return places[0] if len(places) == 1 else None

    def _believe(self, person: str, place: str) -> None:
        self.seen[person] = place
        self.missed.pop(person, None)

    def spoken_of(self, text: str) -> tuple[str, ...]:
        """Return the known places, people and things that a text mentions; cached until the next ``learn``.

        This includes people never met whose name is part of the name of a known house.
        """
        if text not in self._spoken:
            known = dict.fromkeys([*self.places, *self.people, *self.missed, *self.seen])
            people = {name for name in known if self.is_person(name)}
            self._spoken[text] = mentioned(text, known, people)
        return self._spoken[text]

    def is_person(self, name: str) -> bool:
        """Return whether a name is that of somebody who lives here, or was met or missed here."""
        if name in self.residents or name in self.people or name in self.missed:
            return True
        return name in self.seen and not is_thing(name)

    def people_by_place(self) -> dict[str, tuple[str, ...]]:
        """Return the people last seen in each place."""
        found: dict[str, list[str]] = {}
        for name, place in self.seen.items():
            if name in self.people:
                found.setdefault(place, []).append(name)
        return {place: tuple(names) for place, names in found.items()}

    def chance_to_find(self, place: str, time: int) -> float:
        """Return the chance of finding something in a place, in [0, 1]: low after a visit, recovering with time."""
        if place == "outside":
            return _FIND_OUTSIDE
        if (visit := self.places.get(place)) is None:
            return _FIND_NEW
        return _FIND_SEEN + (_FIND_NEW - _FIND_SEEN) * min(1.0, (time - visit) / _FORGOTTEN)

    def knows(self, sort: str) -> bool:
        """Return whether a thing of this kind was seen."""
        return any(kind(name) == sort for name in self.seen)

    def out_of_place(self, name: str) -> bool:
        """Return whether a thing lies on a kind of furniture where no other known thing of its kind lies."""
        where, sort = self.lying.get(name), kind(name)
        return not any(on == where and other != name and kind(other) == sort for other, on in self.lying.items())

    def nearness(self, name: str, place: str, company: Iterable[str]) -> float:
        """Return how near a place or a person is to somebody in `place`, in [0, 1]; 0 for things."""
        if name in self.places:
            return _BY_DOORS[_doors(place, name)]
        if self.is_person(name):
            if name in company:
                return 1.0
            where = self.whereabouts(name)
            if where is None:
                # It may be anywhere, but less likely where one has looked already; outside leads everywhere.
                return 0.5 if place == "outside" else 0.2 if place in self.missed.get(name, ()) else 0.6
            return _ANOTHER_PERSON_MAY_HAVE_LEFT * _BY_DOORS[_doors(place, where)]
        return 0.0

    def whereabouts(self, person: str) -> str | None:
        """Return where a person is believed to be or to go: as it announced, as last seen, or at its home."""
        if bound := self.bound.get(person):
            return bound
        if seen := self.seen.get(person):
            return seen
        home = self._home(person)
        return home if home not in self.missed.get(person, ()) else None

    def _home(self, person: str) -> str | None:
        """Return the first known place whose name says that it belongs to a person."""
        if len(self.places) != self._read:
            self._homes = {whose: place for place in reversed(self.places) if (whose := owner(place)) is not None}
            self._read = len(self.places)
        return self._homes.get(person)

    def get_state(self) -> dict[str, Any]:
        """Return the state as JSON-ready data."""
        saved = (*_SAVED, *(name for name in _OF_NEEDS if getattr(self, name)))
        return {name: deepcopy(getattr(self, name)) for name in saved}

    @classmethod
    def from_state(cls, state: Mapping[str, Any], like: Familiarity | None = None) -> Familiarity:
        """Return the object with a state from ``get_state``, and what is not part of the state as in another one."""
        saved: dict[str, Any] = {name: dict(state[name]) for name in _SAVED}
        saved |= {name: dict(state.get(name, {})) for name in _OF_NEEDS}
        return replace(cls() if like is None else like, **deepcopy(saved))


def belongings(observation: Observation) -> frozenset[str]:
    """Return the things here that a resident considers its own: by their name, or lying in its own house."""
    me, at_home = observation.resident, owner(observation.place) == observation.resident
    things = (percept for percept in observation.percepts if percept.kind == "item")
    return frozenset(
        thing.name for thing in things if owner(thing.name) == me or (at_home and thing.on and not owner(thing.name))
    )


def says_where_it_goes(text: str) -> bool:
    """Return whether a line announces where its speaker is going: "I am going to the canteen"."""
    return _GOES.search(text) is not None and _ASKS_OR_DENIES.search(text) is None


def _without_addressees(text: str, people: Iterable[str]) -> str:
    """Remove the names by which a line calls somebody: "Yes, WL, ..." is said to WL, and not of WL."""
    if not (named := [re.escape(name) for name in people if name in text]):
        return text
    who = f"(?:{'|'.join(sorted(named, key=len, reverse=True))})"
    return re.sub(rf"(?:^|(?<=[.!?;] )){who}, |, {who}(?=[,.!?;]|$)", "", text)


_SAVED = ("places", "people", "seen", "missed", "bound", "lying")
_OF_NEEDS = ("eases", "needs", "grows", "prices")


def _doors(here: str, there: str) -> int:
    if here == there:
        return 0
    return 1 if "outside" in (here, there) else 2
