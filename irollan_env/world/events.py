"""Events: actions that residents see others perform, and their description in a sentence."""

from __future__ import annotations

from collections.abc import Callable, Container
from dataclasses import dataclass, fields
from typing import Any, Literal, TypeAlias, get_args

from irollan_env.actions import Action, Primitive
from irollan_env.english import conjugate, phrase
from irollan_env.naming import is_numbered

Deed = Literal["came", "left", "took", "put", "handed", "used", "did", "held back"]
DEEDS: tuple[str, ...] = get_args(Deed)


Happened: TypeAlias = tuple[int, str, Deed, str | None, str | None, str]
"""The fields of an event, in their order: most of what happens is never read, and a tuple is the quickest to make."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Event:
    """An action of one resident that others saw.

    Attributes:
        time: The time step in which it happened.
        actor: The resident that acted.
        deed: ``"came"``, ``"left"``, ``"took"``, ``"put"``, ``"handed"``, ``"used"``, ``"did"``: a primitive of
            one's own, or ``"held back"``: what the social framework did not let it do.
        thing: The item or furniture it was done with; None for coming, leaving, being filtered, and what one did.
        other: The place that somebody came from or left for, the furniture that something was taken from or put in or
            on, who was handed it, to whom the filtered resident wanted to speak, or with whom one did something; None
            otherwise.
        text: What became of things (``"The beefsteak is now hot."``), what one did (``"hug [AY]"``), or the action that
            was filtered, of a chat without its words (``"chat with AY: ..."``); empty otherwise, and where it was
            filtered before it decided.

    Raises:
        ValueError: for an unknown deed.
    """

    time: int
    actor: str
    deed: Deed
    thing: str | None = None
    other: str | None = None
    text: str = ""

    def __post_init__(self) -> None:
        if self.deed not in DEEDS:
            raise ValueError(f"the deed of an event must be one of {DEEDS}, got {self.deed!r}")

    def describe(self, me: str, places: Container[str]) -> str:
        """Describe the event in one sentence: ``"LL hands you food 6."``.

        Args:
            me: Who is "you" in it; nobody if empty.
            places: Names of the places around (``Observation.places``), or of all.
        """
        mine = self.actor == me
        who, s, other = ("You" if mine else self.actor), ("" if mine else "s"), _you(self.other, me)
        match self.deed:
            case "came":
                return f"{who} come{s} {'in ' if self.other == 'outside' else ''}from {self.other}."
            case "left":
                return f"{who} go{'' if mine else 'es'} {_to(self.other)}."
            case "took":
                return f"{who} take{s} {self.thing} from {other}."
            case "put":
                return f"{who} put{s} {self.thing} in/on {other}."
            case "handed":
                return f"{who} hand{s} {f'you {self.thing}' if other == 'you' else f'{self.thing} to {other}'}."
            case "used":
                return f"{who} use{s} {self.thing}{_became(self.text)}."
            case "did":
                did = _wanted(self.text, me, places)
                return f"{who} {did if mine else conjugate(did, 'present')}."
            case "held back":
                return f"{who} wanted to {_wanted(self.text, me, places)}, and {'were' if mine else 'was'} held back."


def event_of(time: int, actor: str, deed: Deed, thing: str | None, other: str | None, text: str) -> Event:
    """Build an ``Event`` without checks, in a third of the time."""
    event = object.__new__(Event)
    _set_time(event, time)
    _set_actor(event, actor)
    _set_deed(event, deed)
    _set_thing(event, thing)
    _set_other(event, other)
    _set_text(event, text)
    return event


_set: list[Callable[[Event, Any], None]] = [getattr(Event, field.name).__set__ for field in fields(Event)]
_set_time, _set_actor, _set_deed, _set_thing, _set_other, _set_text = _set


def _you(name: str | None, me: str) -> str | None:
    return "you" if name == me else name


def _to(place: str | None) -> str:
    """Return a destination phrase: ``"outside"`` without, other places with "to"."""
    return "outside" if place == "outside" else f"to {place}"


def _became(text: str) -> str:
    """Join result sentences to a clause: ``": the food 1 is now hot and the food 2 is now hot"``."""
    return f": {text[0].lower()}{text[1:].removesuffix('.').replace('. The ', ' and the ')}" if text else ""


def _wanted(text: str, me: str, places: Container[str]) -> str:
    if not text:
        return "do something"
    match Action.parse(text):
        case Action(Primitive.CHAT, target, partner=None):
            return f"write on {target}"
        case Action(Primitive.CHAT, person):
            return f"say something to {_you(person, me)}"
        case Action(Primitive.GO_TO, place):
            return f"go {_to(place)}"
        case Action(Primitive.PUT, target, item) if target == me:
            return f"hand you {item}"
        case Action(Primitive.PUT, target, item, partner=partner) if partner is not None:
            return f"hand {item} to {target}"
        case Action(Primitive.LEAVE, target) if not is_numbered(target) and target not in places:
            return f"stop talking with {_you(target, me)}"
        case Action(primitive) as action if not isinstance(primitive, Primitive):
            return phrase(action, name=lambda name: str(_you(name, me)))
        case _:
            return text
