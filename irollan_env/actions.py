"""The six action primitives of section 5.1, and primitives of one's own, parsed once from their text.

The text of a primitive of one's own names its things in brackets: ``fish in [pond 1]``. It is read without knowing
the worlds that have it, so that records, saved states and processes elsewhere need no list of primitives.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from enum import StrEnum
from functools import lru_cache
from typing import Any, Self, cast

from irollan_env.hints import quote
from irollan_env.naming import is_numbered, is_thing

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
"""Placeholder for the words of a chat in the admissible actions; spoken as is, it is a silence."""

HERE = "here"
"""What a primitive of one's own names that is done where one is: ``dance [here]``."""

_LONGEST_KNOWN = 120
_WORDS = r"[a-z-]+(?: [a-z-]+)*"
_OWN = re.compile(rf"({_WORDS}) \[([^\[\]]+)\](?: ({_WORDS}) \[([^\[\]]+)\])?(?: ({_WORDS}))?")
_BRACKETED = re.compile(r"\[([^\[\]]+)\]")
_CHAT, _QUOTES = "chat with ", (('"', '"'), ("'", "'"), ("“", "”"), ("‘", "’"))


class Primitive(StrEnum):
    """The six primitives, with the paper's words for them."""

    GO_TO = "go to"
    USE = "use"
    LEAVE = "leave"
    TAKE = "take"
    PUT = "put"
    CHAT = "chat with"


RESERVED = frozenset(["wait", *(primitive.partition(" ")[0] for primitive in Primitive)])
"""First words that no primitive of one's own has."""


class Action(str):
    """One of the six primitives or a primitive of one's own: a string with its parts as read-only attributes.

    An action is equal to its text, hashes like it and is written to JSON like it. Time to build one grows linearly with
    the length of the text. Names are kept as they stand: whether there is such a thing is the world's to say.

    >>> action = Action('chat with LL: "Good morning."')
    >>> action.primitive, action.target, action.words
    (<Primitive.CHAT: 'chat with'>, 'LL', 'Good morning.')
    >>> action == 'chat with LL: "Good morning."'
    True
    >>> action = Action("show [book 1] to [LL]")
    >>> action.primitive, action.item, action.target, action.partner
    ('show to', 'book 1', 'LL', 'LL')
    >>> Action.parse("sing a song").reason
    "'sing a song' is none of the six actions: go to SOMEWHERE; ..."

    Args:
        text: The action as residents write it.

    Attributes:
        primitive: The primitive; of one's own its words, such as ``"show to"``.
        target: The place it goes to; what it uses; the place, furniture or person it leaves; the furniture it takes
            from; the furniture or person it puts into or hands to; the person it chats with, or furniture it writes on;
            the last name of a primitive of one's own.
        item: The item taken or put, or the first of two names of a primitive of one's own; None for other actions.
        words: A chat's words, without the quotes; empty for other primitives.
        partner: The person spoken to or handed something, who is whatever has no number, as all furniture has; the
            person that is the target of a primitive of one's own; None for other actions.

    Raises:
        ValueError: for a text that is no action, saying what was expected.
        TypeError: for anything but a string.
    """

    __slots__ = ("item", "partner", "primitive", "target", "words")
    __match_args__ = ("primitive", "target", "item")

    primitive: Primitive | str
    target: str
    item: str | None
    words: str
    partner: str | None

    def __new__(cls, text: str) -> Self:
        """Parse a text that must be an action."""
        parsed = cls.parse(text)
        if isinstance(parsed, Refusal):
            raise ValueError(parsed.reason)
        return cast(Self, parsed)

    @classmethod
    def parse(cls, text: str) -> Action | Refusal:
        """Parse an untrusted text.

        Returns:
            The action, or a refusal whose reason says what was expected.

        Raises:
            TypeError: for anything but a string.
        """
        if isinstance(text, (Action, Refusal)):
            return text
        if not isinstance(text, str):
            raise TypeError(f"an action must be a string or None, got {text!r} of type {type(text).__name__}")
        return _parse_known(text) if len(text) <= _LONGEST_KNOWN else _parse(text)

    @property
    def listed(self) -> Action:
        """The action in its form in the list of admissible actions: a chat has ``...`` in place of its words."""
        return self if self.primitive is not Primitive.CHAT else Action(f"{_CHAT}{self.target}: {SILENCE}")

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"an action cannot be changed, so {name} cannot be set; make another one")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"an action cannot be changed, so {name} cannot be deleted; make another one")

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self

    def __reduce__(self) -> tuple[type[Action], tuple[str]]:
        return Action, (str(self),)

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: Callable[[Any], Any]) -> dict[str, Any]:
        return {
            "type": "function-after",
            "function": {"type": "no-info", "function": cls},
            "schema": handler(str),
        }


class Refusal(str):
    """A text that cannot be parsed as an action.

    Attributes:
        reason: A full sentence that says what was expected.
    """

    __slots__ = ("reason",)
    __match_args__ = ("reason",)

    reason: str

    def __new__(cls, text: str, reason: str) -> Self:
        """Store the text and the reason why it is not an action."""
        refusal = super().__new__(cls, text)
        refusal.reason = reason
        return refusal

    def __reduce__(self) -> tuple[type[Refusal], tuple[str, str]]:
        return Refusal, (str(self), self.reason)


def chat_with(person: str, text: str) -> Action:
    """Return the action of saying something to a person.

    Args:
        person: The listener.
        text: The words, without quotes around them; at most ``LONGEST_CHAT`` characters, and not empty.

    Raises:
        ValueError: for words that are too long, empty or unprintable.
    """
    return Action(f'{_CHAT}{person}: "{text}"')


def _parse(text: str) -> Action | Refusal:
    verb, _, rest = text.partition(" ")
    if verb == "go" and rest.startswith("to "):
        return _make(text, Primitive.GO_TO, rest[3:])
    if verb == "use" and rest:
        return _make(text, Primitive.USE, rest)
    if verb == "leave" and rest:
        return _make(text, Primitive.LEAVE, rest)
    if verb == "take":
        item, separator, source = rest.partition(" from ")
        if not separator:
            return Refusal(text, "Say where to take it from: take SOMETHING from SOMEWHERE.")
        return _make(text, Primitive.TAKE, source, item)
    if verb == "put":
        item, separator, target = rest.partition(" in/on ")
        if not separator:
            return Refusal(text, "Say where to put it: put SOMETHING in/on SOMEWHERE.")
        return _make(text, Primitive.PUT, target, item, partner=None if is_numbered(target) else target)
    if text.startswith(_CHAT):
        return _parse_chat(text)
    if (own := _OWN.fullmatch(text)) is not None and verb not in RESERVED:
        first, last = own[2], own[4] or own[2]
        words = " ".join(filter(None, (own[1], own[3], own[5])))
        return _make(text, words, last, first if own[4] else None, partner=None if is_thing(last) else last)
    return Refusal(text, none_of_the_six(text))


def none_of_the_six(text: str) -> str:
    """Return the sentence that refuses a text that is no action."""
    return f"{quote(text)} is none of the six actions: {'; '.join(FORMS)}."


def with_names(action: str, name: Callable[[str], str]) -> str:
    """Return the text of a primitive of one's own with other names, and without brackets."""
    return _BRACKETED.sub(lambda match: HERE if match[1] == HERE else name(match[1]), action)


def _parse_chat(text: str) -> Action | Refusal:
    person, separator, words = text[len(_CHAT) :].partition(":")
    if not separator:
        return Refusal(text, "Say what you want to say: chat with SOMEONE: CHAT CONTENT.")
    words = words.strip()
    for opening, closing in _QUOTES:
        if len(words) >= 2 and words[0] == opening and words[-1] == closing:
            words = words[1:-1].strip()
            break
    if not words:
        return Refusal(text, "There are no words after the colon: chat with SOMEONE: CHAT CONTENT.")
    if len(words) > LONGEST_CHAT:
        return Refusal(text, f"These are {len(words)} characters; at most {LONGEST_CHAT} can be said in one step.")
    if not words.isprintable():
        for character in words:
            if character not in "\n\t" and unicodedata.category(character) in ("Cc", "Cs"):
                return Refusal(text, f"The words contain the unprintable character U+{ord(character):04X}.")
    return _make(text, Primitive.CHAT, person, words=words, partner=None if is_numbered(person) else person)


# Most actions recur, so parsing is cached; long texts are not worth caching.
_parse_known = lru_cache(maxsize=2**16)(_parse)


def _make(
    text: str,
    primitive: Primitive | str,
    target: str,
    item: str | None = None,
    words: str = "",
    partner: str | None = None,
) -> Action:
    action = str.__new__(Action, text)
    _set_primitive(action, primitive)
    _set_target(action, target)
    _set_item(action, item)
    _set_words(action, words)
    _set_partner(action, partner)
    return action


# The slots' descriptors, which set attributes in spite of ``__setattr__``.
_set: list[Callable[[Action, Any], None]] = [
    getattr(Action, name).__set__ for name in ("primitive", "target", "item", "words", "partner")
]
_set_primitive, _set_target, _set_item, _set_words, _set_partner = _set
