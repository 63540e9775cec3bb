"""The six primitives as objects, and their text (section 5.1): reading it and writing it."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from functools import lru_cache

from irollan_env.hints import quote

LONGEST_CHAT = 2000
"""Characters that can be said in one step."""

FORMS = (
    "go to SOMEWHERE",
    "use SOMETHING",
    "leave SOMEWHERE/SOMEONE",
    "take SOMETHING from SOMEWHERE",
    "put SOMETHING in/on SOMEWHERE",
    "chat with SOMEONE: CHAT CONTENT",
)
"""The primitives with the paper's words."""

SILENCE = "..."
"""What stands for the words in the chats of the admissible actions; said as it is, it is a silence."""

_LONGEST_KNOWN = 120
_CHAT, _QUOTES = "chat with ", (('"', '"'), ("'", "'"), ("“", "”"), ("‘", "’"))


@dataclass(frozen=True, slots=True)
class GoTo:
    """Through a door to another place."""

    place: str


@dataclass(frozen=True, slots=True)
class Use:
    """Furniture in the same place, or an item in one's hands."""

    thing: str


@dataclass(frozen=True, slots=True)
class Leave:
    """The place one is in, the furniture one uses, or the person one talks with."""

    target: str


@dataclass(frozen=True, slots=True)
class Take:
    """An item from furniture in the same place."""

    item: str
    source: str


@dataclass(frozen=True, slots=True)
class Put:
    """An item from one's hands in or on furniture, or into the hands of a person."""

    item: str
    target: str


@dataclass(frozen=True, slots=True)
class Chat:
    """Words to a person in the same place, which all others there overhear."""

    person: str
    text: str


Action = GoTo | Use | Leave | Take | Put | Chat


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a text is no action."""

    reason: str


def parse(text: str) -> Action | Refusal:
    """Read one of the six primitives; time grows linearly with the length of the text.

    Args:
        text: Any string at all. Names are kept as they stand: whether there is such a thing is the world's to say.

    Returns:
        The action, or a refusal whose reason says what was expected. Quotes around what is said are not part of it.

    Raises:
        TypeError: for anything but a string.
    """
    if not isinstance(text, str):
        raise TypeError(f"an action must be a string or None, got {text!r} of type {type(text).__name__}")
    return _parse_known(text) if len(text) <= _LONGEST_KNOWN else _parse(text)


def _parse(text: str) -> Action | Refusal:
    verb, _, rest = text.partition(" ")
    if verb == "go" and rest.startswith("to "):
        return GoTo(rest[3:])
    if verb == "use" and rest:
        return Use(rest)
    if verb == "leave" and rest:
        return Leave(rest)
    if verb == "take":
        item, separator, source = rest.partition(" from ")
        return Take(item, source) if separator else Refusal("Say where to take it from: take SOMETHING from SOMEWHERE.")
    if verb == "put":
        item, separator, target = rest.partition(" in/on ")
        return Put(item, target) if separator else Refusal("Say where to put it: put SOMETHING in/on SOMEWHERE.")
    if text.startswith(_CHAT):
        return _parse_chat(text)
    return Refusal(f"{quote(text)} is none of the six actions: {'; '.join(FORMS)}.")


def _parse_chat(text: str) -> Chat | Refusal:
    person, separator, words = text[len(_CHAT) :].partition(":")
    if not separator:
        return Refusal("Say what you want to say: chat with SOMEONE: CHAT CONTENT.")
    words = words.strip()
    for opening, closing in _QUOTES:
        if len(words) >= 2 and words[0] == opening and words[-1] == closing:
            words = words[1:-1].strip()
            break
    if not words:
        return Refusal("There are no words after the colon: chat with SOMEONE: CHAT CONTENT.")
    if len(words) > LONGEST_CHAT:
        return Refusal(f"These are {len(words)} characters; at most {LONGEST_CHAT} can be said in one step.")
    if not words.isprintable():
        for character in words:
            if character not in "\n\t" and unicodedata.category(character) in ("Cc", "Cs"):
                return Refusal(f"The words contain the unprintable character U+{ord(character):04X}.")
    return Chat(person, words)


# Most actions are taken again and again; long texts are not worth remembering.
_parse_known = lru_cache(maxsize=2**16)(_parse)


def write(action: Action) -> str:
    """The text of an action: ``parse(write(action)) == action`` for every action that ``parse`` gives."""
    match action:
        case GoTo(place):
            return f"go to {place}"
        case Use(thing):
            return f"use {thing}"
        case Leave(target):
            return f"leave {target}"
        case Take(item, source):
            return f"take {item} from {source}"
        case Put(item, target):
            return f"put {item} in/on {target}"
        case Chat(person, text):
            return f'chat with {person}: "{text}"'


def chat_with(person: str, text: str) -> str:
    """The action that says ``text`` to ``person``."""
    return write(Chat(person, text))


def is_chat(action: str) -> bool:
    """Whether an action's text is a chat."""
    return action.startswith(_CHAT)
