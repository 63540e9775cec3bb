"""Wording for prompts: the purpose of things and places, and pronouns resolved to names."""

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
"""Prompt style: a page with examples, a scene in the form it was trained on, or instructions."""


@cache
def lexicon() -> dict[str, Any]:
    """Return the tables of wording.toml."""
    return tomllib.loads(files("itcma_s").joinpath("wording.toml").read_text(encoding="utf-8"))


@cache
def portable() -> frozenset[str]:
    """Return the kinds of portable things that are named without an owner: "food", "book", "10 dollar"."""
    return frozenset(lexicon()["hold"]) | frozenset(lexicon()["sort"])


def of_its_own(text: str, speaker: str | None, addressee: str | None) -> str:
    """Replace "my" by the speaker's name and "your" by the addressee's; None leaves the pronoun."""
    for pronoun, whose in (("[Mm]y", speaker), ("[Yy]our", addressee)):
        text = re.sub(rf"\b{pronoun}\b", f"{whose}'s", text) if whose else text
    return text


def meant(message: Message) -> str:
    """Return the text of a message with "my" and "your" replaced by names."""
    return of_its_own(message.text, message.sender, message.addressee)


def what_it_is_like(place: str) -> str:
    """Return the purpose of a place by its name; empty if the name does not say."""
    for word, meaning in lexicon()["place"].items():
        if word in place:
            return str(meaning)
    whose = owner(place)
    return f"where {whose} lives" if whose else ""


def last_heard(observation: Observation) -> str | None:
    """Return the last line said to the resident, with names for "my" and "your"; None without one."""
    heard = [meant(message) for message in observation.messages if message.addressee == observation.resident]
    return heard[-1] if heard else None


def lying_there(observation: Observation) -> dict[str, str]:
    """Return an item on each piece of furniture; on a sink or stove, the first that using it would change."""
    items = [percept for percept in observation.percepts if percept.kind == "item" and percept.on]
    return {
        str(item.on): item.name
        for item in reversed(items)
        if lexicon()["done"].get(kind(str(item.on))) not in item.status
    }


def is_gone(item: Percept) -> bool:
    """Return whether an item is used up: eaten or drunk."""
    return lexicon()["gone"].get(kind(item.name)) in item.status


@lru_cache(maxsize=4096)
def plain(text: str) -> str:
    """Rewrite a text for a page: everyday words for things and places, on one line, without quotation marks."""
    text = re.sub(r'[\s"“”]+', " ", text).strip()
    for name, called in NOUNS.items():
        if " " in name:
            text = re.sub(rf"\b(?:the |a )?{re.escape(name)}\b", f"the {called}", text)
    text = re.sub(r"(?<=\w)(['’]s?) Home\b", r"\1 house", text)
    text = re.sub(
        r"\b((?:the|a) |['’]s |s['’] )?([a-z]+ \d+)\b", lambda match: f"{match[1] or 'the '}{noun(match[2])}", text
    )
    return re.sub(r"\bwhose the\b", "whose", text)
