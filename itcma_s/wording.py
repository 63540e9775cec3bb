"""What things and places of the valley are for, and what words mean to whom, for prompts."""

from __future__ import annotations

import re
import tomllib
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any, Literal

from irollan_env.english import NOUNS, noun
from irollan_env.naming import kind, owner
from irollan_env.world.observation import Message, Observation, Percept

Style = Literal["page", "scene", "instruct"]
"""How a model is asked to write: by a page with examples, by the page of scenes it was trained on, by instruction."""


@cache
def lexicon() -> dict[str, Any]:
    """The tables of wording.toml."""
    return tomllib.loads(files("itcma_s").joinpath("wording.toml").read_text(encoding="utf-8"))


@cache
def portable() -> frozenset[str]:
    """The sorts of things that people carry about and call by no owner: "food", "book", "10 dollar"."""
    return frozenset(lexicon()["hold"]) | frozenset(lexicon()["sort"])


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
