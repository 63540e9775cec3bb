"""Observations, percepts and messages, and their JSON form."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, fields
from operator import attrgetter
from types import MappingProxyType
from typing import Any, Literal, NamedTuple, get_args

from irollan_env.actions import Action
from irollan_env.world.events import Event

PerceptKind = Literal["person", "door", "furniture", "item"]
_NONE: Mapping[str, Any] = MappingProxyType({})
_MOODS = ((0.65, "lively"), (0.35, "friendly"), (0.05, "calm"), (-0.05, "flat"))
OutcomeKind = Literal["executed", "filtered", "inadmissible", "failed"]
PERCEPT_KINDS: tuple[str, ...] = get_args(PerceptKind)


@dataclass(frozen=True, kw_only=True, slots=True)
class Percept:
    """One object of the phenomenal field, in spherical coordinates around the observer.

    Attributes:
        name: As it stands in the sentence, without article: ``"table 13"``, ``"SG's clothes 1"``, ``"LL"``,
            ``"door to outside"``.
        kind: person, door, furniture or item.
        theta: Polar angle in radians, [0, pi]; pi / 2 is the height of the eyes.
        phi: Azimuth in radians, [0, 2 pi); 0 is straight ahead.
        gamma: Distance in metres, >= 0; what is held is at 0.
        on: The furniture that an item lies on; None for anything else and for what is held.
        held: True for an item in the observer's hands.
        status: For example ``("clean", "damp")`` or ``("hot",)``.
        doing: A person's visible activity; None for nothing.
        count: How many things alike it stands for; JSON leaves out a 1.

    Raises:
        ValueError: for an empty name, an unknown kind, or a coordinate outside its range.
    """

    name: str
    kind: PerceptKind
    theta: float
    phi: float
    gamma: float
    on: str | None = None
    held: bool = False
    status: tuple[str, ...] = ()
    doing: str | None = None
    count: int = 1

    def __post_init__(self) -> None:
        if not self.name:
            raise ValueError("a percept needs a name, got an empty string")
        if self.kind not in PERCEPT_KINDS:
            raise ValueError(f"kind of {self.name!r} must be one of {PERCEPT_KINDS}, got {self.kind!r}")
        for label, value, low, high in (
            ("theta", self.theta, 0.0, math.pi),
            ("phi", self.phi, 0.0, 2 * math.pi),
            ("gamma", self.gamma, 0.0, math.inf),
        ):
            if not (math.isfinite(value) and low <= value <= high):
                raise ValueError(f"{label} of {self.name!r} must lie in [{low:.4g}, {high:.4g}], got {value!r}")


@dataclass(frozen=True, kw_only=True, slots=True)
class Message:
    """A message that a resident heard: addressed to it, or overheard in the same place.

    Attributes:
        time: The time step in which they were said.
        sender: The speaker.
        addressee: The resident addressed; anyone else who received the message overheard it.
        text: The words; untrusted text.
    """

    time: int
    sender: str
    addressee: str
    text: str


def mood(topic: float) -> str:
    """Describe a topic in [-1, 1] in one word, from "tense" to "lively"."""
    return next((word for least, word in _MOODS if topic >= least), "tense")


class ObservationTuple(NamedTuple):
    """An observation as a plain tuple, several times quicker to create; used by the environments.

    The fields are those of ``Observation``.
    """

    time: int
    place: str
    sentence: str
    percepts: tuple[Percept, ...]
    messages: tuple[Message, ...]
    events: tuple[Event, ...]
    admissible: tuple[Action, ...]
    doing: str | None
    outcome: OutcomeKind | None
    result: str
    goal: str | None = None
    needs: Mapping[str, float] = _NONE
    variables: Mapping[str, float] = _NONE
    notices: Mapping[str, tuple[str, ...]] = _NONE
    answers: Mapping[str, tuple[str, ...]] = _NONE

    def of(self, resident: str) -> Observation:
        """Convert to an ``Observation``, in half the time of its constructor."""
        observation = object.__new__(Observation)
        _set_resident(observation, resident)
        for set_field, value in zip(_set_shared, self, strict=True):
            set_field(observation, value)
        for set_field in _set_ltrha:
            set_field(observation, None)
        return observation


@dataclass(frozen=True, kw_only=True, slots=True)
class Observation:
    """A resident's observation in one time step, with the same JSON everywhere (events.jsonl, HTTP, info).

    Attributes:
        time: Time step, from 0.
        resident: The observer.
        place: The area the resident is in, or ``"outside"``.
        sentence: The natural-language description in the paper's format (section 5.1, appendix A).
        percepts: The objects in the sentence, with positions, in the sentence's order; held items come last.
        messages: Messages heard since the last observation, in order; the resident's own are not included.
            Where residents take turns within a step, words of this very step are among them.
        events: What the others did here since the last observation, in order; what they said is in ``messages``. Of
            what was done before the resident came, or after it left, it sees nothing.
        admissible: Every action that would succeed if it were taken now. A chat is listed once a person as
            ``"chat with LL: ..."``; the dots stand for what one wants to say. Empty for a resident that LTRHA filters
            before it decides.
        doing: The resident's own activity; None for nothing.
        outcome: The outcome of the resident's previous action; None in the first step.
        result: The world's answer to the previous action, such as ``"You take the book 1 from the bookshelf 1."`` or
            ``"Nothing happens. ..."`` with the reason; empty in the first step.
        goal: A goal set from outside, as a task does; None when the resident forms its own.
        resources: The resident's resources S_i under LTRHA; None without it.
        topic: The topic of the resident's locale, in [-1, 1], under LTRHA; None without it.
        habitus: The resident's disposition to each admissible action under LTRHA; None without it.
        needs: What the resident feels of its body in [0, 1], as the map's mechanics have it: ``{"hunger": 0.4}``; 0 is
            no need.
        variables: Further numbers that the resident can perceive, by name.
        notices: The sentences with which each mechanic ends `sentence`, by the mechanic's name. JSON leaves out needs,
            variables, notices and answers where they are empty.
        answers: Furniture to which only certain words can be said, with these words, such as a ballot box.

    Raises:
        ValueError: for an admissible action that is none of the six primitives.
    """

    time: int
    resident: str
    place: str
    sentence: str
    percepts: tuple[Percept, ...]
    messages: tuple[Message, ...] = ()
    events: tuple[Event, ...] = ()
    admissible: tuple[Action, ...]
    doing: str | None = None
    outcome: OutcomeKind | None = None
    result: str = ""
    goal: str | None = None
    resources: float | None = None
    topic: float | None = None
    habitus: Mapping[str, float] | None = None
    needs: Mapping[str, float] = field(default_factory=dict)
    variables: Mapping[str, float] = field(default_factory=dict)
    notices: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    answers: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if any(type(action) is not Action for action in self.admissible):
            object.__setattr__(self, "admissible", tuple(map(Action, self.admissible)))

    @property
    def company(self) -> tuple[str, ...]:
        """Names of the other people in the same place."""
        return tuple([percept.name for percept in self.percepts if percept.kind == "person"])

    @property
    def places(self) -> tuple[str, ...]:
        """Names of the place here, and of those that doors and roads seen from here lead to."""
        doors = (percept.name for percept in self.percepts if percept.kind == "door")
        return (self.place, *(name.partition(" to ")[2] for name in doors))

    @property
    def speakers(self) -> tuple[str, ...]:
        """Names of those who spoke to the resident itself since the last observation, each once."""
        return tuple(dict.fromkeys(m.sender for m in self.messages if m.addressee == self.resident))

    @property
    def holding(self) -> tuple[str, ...]:
        """Names of the items in the resident's hands."""
        return tuple([percept.name for percept in self.percepts if percept.held])

    def to_json(self) -> dict[str, Any]:
        """Convert to a JSON-ready dictionary, from which ``from_json`` rebuilds an equal observation."""
        more = {key: dict(value) for key in _OPTIONAL if (value := getattr(self, key))}
        return {
            **dict(zip(_OBSERVATION_KEYS, _observation_values(self), strict=True)),
            "percepts": tuple(map(_percept_to_json, self.percepts)),
            "messages": tuple(asdict(message) for message in self.messages),
            "events": tuple(asdict(event) for event in self.events),
            "habitus": None if self.habitus is None else dict(self.habitus),
            **more,
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Observation:
        """Build an observation from what ``to_json`` wrote, after any JSON round trip.

        Raises:
            ValueError: for a key that is missing or unknown, a percept out of range, or an unknown deed.
        """
        known = {one.name for one in fields(cls)}
        if unknown := sorted(set(data) - known):
            raise ValueError(f"unknown key {unknown[0]!r} in an observation; the keys are {sorted(known)}")
        try:
            values = dict(data)
            values["percepts"] = tuple(Percept(**{**p, "status": tuple(p["status"])}) for p in data["percepts"])
            values["messages"] = tuple(Message(**m) for m in data["messages"])
            values["events"] = tuple(Event(**e) for e in data["events"])
            values["admissible"] = tuple(map(Action, data["admissible"]))
            for key in ("notices", "answers"):
                values[key] = {name: tuple(said) for name, said in data.get(key, {}).items()}
            return cls(**values)
        except (KeyError, TypeError) as error:
            raise ValueError(f"not an observation: {error}") from error


_set: dict[str, Callable[[Observation, Any], None]] = {
    f.name: getattr(Observation, f.name).__set__ for f in fields(Observation)
}
_set_resident = _set["resident"]
_set_shared = tuple(_set[name] for name in ObservationTuple._fields)
_set_ltrha = tuple(_set[name] for name in ("resources", "topic", "habitus"))

# Ten times as fast as dataclasses.asdict, which copies every value in depth; none of these can change.
_OPTIONAL = ("needs", "variables", "notices", "answers")
_OBSERVATION_KEYS = tuple(f.name for f in fields(Observation) if f.name not in _OPTIONAL)
_PERCEPT_KEYS = tuple(f.name for f in fields(Percept) if f.name != "count")
_observation_values = attrgetter(*_OBSERVATION_KEYS)
_percept_values = attrgetter(*_PERCEPT_KEYS)


def _percept_to_json(percept: Percept) -> dict[str, Any]:
    found = dict(zip(_PERCEPT_KEYS, _percept_values(percept), strict=True))
    return found if percept.count == 1 else {**found, "count": percept.count}
