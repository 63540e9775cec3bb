"""Names and actions of the valley in plain English, for prompts and for measuring what an action means."""

from __future__ import annotations

import re
import tomllib
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any, Literal

from irollan_env.naming import is_person, kind, owner
from irollan_env.world.nouns import NOUNS
from irollan_env.world.observation import Message, Observation, Percept
from irollan_env.world.primitives import Chat, GoTo, Leave, Put, Refusal, Take, Use, parse

Style = Literal["page", "scene", "instruct"]
"""How a model is asked to write: by a page with examples, by the page of scenes it was trained on, by instruction."""


@cache
def lexicon() -> dict[str, Any]:
    """The tables of wording.toml."""
    return tomllib.loads(files("itcma_s").joinpath("wording.toml").read_text(encoding="utf-8"))


@cache
def noun(name: str) -> str:
    """What people call it, without number or article: "book", "SG's clothes", "gold coin", "LL's house", "canteen"."""
    if name in NOUNS:
        return NOUNS[name]
    base, whose = kind(name), owner(name)
    called = NOUNS.get(base, base)
    called = "house" if called == "Home" else called
    return f"{whose}'s {called}" if whose else called


@cache
def portable() -> frozenset[str]:
    """The sorts of things that people carry about and call by no owner: "food", "book", "10 dollar"."""
    return frozenset(lexicon()["hold"]) | frozenset(lexicon()["sort"])


def phrase(action: str) -> str:
    """An action as one would say what one does: "give SG's clothes 1 to SG", "eat food 2", "talk with LL".

    Raises:
        ValueError: if the text is none of the six primitives.
    """
    match parse(action):
        case Chat(person, _):
            return f"talk with {person}"
        case Put(item, target):
            return f"give {item} to {target}" if is_person(target) else f"put {item} on {target}"
        case Use(thing):
            return str(lexicon()["use"].get(kind(thing), {"verb": "use {it}"})["verb"]).format(it=thing)
        case GoTo("outside"):
            return "go out"
        case GoTo(place):
            return f"go to {place}"
        case Leave(target):
            return f"leave {target}"
        case Take(item, source):
            return f"take {item} from {source}"
        case Refusal(reason):
            raise ValueError(reason)


_THIRD = {"go": "goes", "talk": "talks", "give": "gives", "put": "puts", "take": "takes", "leave": "leaves",
          "rest": "rests", "sit": "sits", "wash": "washes", "cook": "cooks", "eat": "eats", "drink": "drinks",
          "read": "reads", "play": "plays", "wear": "wears", "use": "uses"}  # fmt: skip


def told(action: str) -> str:
    """An action as a story tells it of somebody, with plain nouns: "takes the gold coin from the box"."""
    match parse(action):
        case Chat(person, _):
            return f"talks with {person}"
        case Put(item, target):
            return f"gives {the(item)} to {target}" if is_person(target) else f"puts {the(item)} on {the(target)}"
        case Use(thing):
            verb = str(lexicon()["use"].get(kind(thing), {"verb": "use {it}"})["verb"]).format(it=the(thing))
            first, _, rest = verb.partition(" ")
            return f"{_THIRD[first]} {rest}"
        case GoTo("outside"):
            return "goes out"
        case GoTo(place):
            return f"goes to {the(place)}"
        case Leave(target):
            return f"leaves {the(target)}"
        case Take(item, source):
            return f"takes {the(item)} from {the(source)}"
        case Refusal(reason):
            raise ValueError(reason)


def the(name: str, me: str = "", you: str = "") -> str:
    """A noun with its article: "the book", "SG's clothes", "LL", "outside", "Woodhaven", "my clothes"."""
    whose = owner(name)
    if me and whose == me:
        return of_my_own(noun(name), me)
    if you and whose == you:
        return _called(noun(name), you, "your")
    called = noun(name)
    if is_person(name) or name == "outside" or whose or called[:1].isupper():
        return called
    return f"the {called}"


def within(place: str, me: str = "", you: str = "") -> str:
    """Where somebody is: "outside", "in the canteen", "in LL's house", "in my house", "in your house"."""
    return "outside" if place == "outside" else f"in {the(place, me, you)}"


def to(place: str, me: str = "", you: str = "") -> str:
    """Where somebody goes: "outside", "to the canteen", "to LL's house", "to my house", "to your house"."""
    return "outside" if place == "outside" else f"to {the(place, me, you)}"


def of_my_own(text: str, me: str) -> str:
    """A text as `me` says it: "SG's house" as "my house"."""
    return _called(text, me, "my")


def _called(text: str, whose: str, pronoun: str) -> str:
    return re.sub(rf"\b{re.escape(whose)}'s\b", pronoun, text)


def of_its_own(text: str, speaker: str | None, addressee: str | None) -> str:
    """What words mean to others: "my house" is the speaker's, "your house" the addressee's; None leaves it as it is."""
    for pronoun, whose in (("[Mm]y", speaker), ("[Yy]our", addressee)):
        text = re.sub(rf"\b{pronoun}\b", f"{whose}'s", text) if whose else text
    return text


def meant(message: Message) -> str:
    """What a line means to anybody: nothing in it is "mine" or "yours"."""
    return of_its_own(message.text, message.sender, message.addressee)


def what_it_is_like(place: str) -> str:
    """What a place is for, as far as its name says; empty when it says nothing."""
    for word, meaning in lexicon()["place"].items():
        if word in place:
            return str(meaning)
    whose = owner(place)
    return f"where {whose} lives" if whose else ""


def last_heard(observation: Observation) -> str | None:
    """What was said to the resident last, as it is meant; None when nothing was."""
    heard = [meant(message) for message in observation.messages if message.addressee == observation.resident]
    return heard[-1] if heard else None


def lying_there(observation: Observation) -> dict[str, str]:
    """Furniture -> what lies on it: the first that using it would change, on a sink or a stove."""
    items = [percept for percept in observation.percepts if percept.kind == "item" and percept.on]
    return {
        str(item.on): item.name
        for item in reversed(items)
        if lexicon()["done"].get(kind(str(item.on))) not in item.status
    }


def is_gone(item: Percept) -> bool:
    """Whether an item is eaten or drunk, and of no more use."""
    return lexicon()["gone"].get(kind(item.name)) in item.status


@lru_cache(maxsize=4096)
def plain(text: str) -> str:
    """A text in the words of a page: things and places as people call them, on one line, without quotation marks."""
    text = re.sub(r'[\s"“”]+', " ", text).strip()
    for name, called in NOUNS.items():
        if " " in name:
            text = re.sub(rf"\b(?:the |a )?{re.escape(name)}\b", f"the {called}", text)
    text = re.sub(r"\b([A-Z]{2})'s Home\b", r"\1's house", text)
    text = re.sub(r"\b((?:the|a) |'s )?([a-z]+ \d+)\b", lambda match: f"{match[1] or 'the '}{noun(match[2])}", text)
    return re.sub(r"\bwhose the\b", "whose", text)
