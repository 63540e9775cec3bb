"""Parsing and formatting of names: owner and kind of a thing, possessives, articles and lists."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cache

POSSESSIVE = r"(?:['’]s|(?<=s)['’])"
"""Regular expression of the end of a possessive: "Anna's", "James'"."""

OWNER = rf"(?:(?![a-z\d])[\w.’'-]+ )*?(?![a-z\d])[\w.’'-]+?{POSSESSIVE}"
"""Regular expression of a person in the possessive, whose name begins no word with a small letter: "Dr. Li's"."""

_HIDDEN = "\N{ONE DOT LEADER}"
_NAME = re.compile(rf"(?:(?P<owner>\w.*?){POSSESSIVE} )?(?P<kind>.+?)(?: \d+)?")


@cache
def owner(name: str) -> str | None:
    """Return the owner in the name of a thing: "SG" for "SG's clothes 1", "James" for "James' Home"; else None."""
    match = _NAME.fullmatch(name)
    return match["owner"] if match else None


@cache
def kind(name: str) -> str:
    """Return the kind of a thing: "clothes" for "SG's clothes 1", "book" for "book 3", "10 dollar" for itself."""
    match = _NAME.fullmatch(name)
    return match["kind"] if match else name


def is_numbered(name: str) -> bool:
    """Return whether a name ends in a number, as that of all furniture does: "table 13"."""
    return " " in name and name.rpartition(" ")[2].isdecimal()


def is_thing(name: str) -> bool:
    """Return whether a name is an item's or that of furniture, and neither a person's nor a place's.

    Names of things end in a number, or begin with a small letter or a digit: "table 13", "beefsteak", "10 dollar".
    Those of people do neither; maps whose names break this are refused. Names of places may look like either.
    """
    return is_numbered(name) or name[:1].islower() or name[:1].isdecimal()


@cache
def whole_name(name: str) -> str:
    """Return a regular expression for a name as a whole word: "LL" is not in "LLM"; "李雷" is in "你好李雷"."""
    before, after = (r"(?<!\w)", r"(?!\w)")
    return f"{before if _spaced(name[0]) else ''}{re.escape(name)}{after if _spaced(name[-1]) else ''}"


def mask_marks(text: str, names: Iterable[str]) -> str:
    """Hide full stops in names, so that a text can be split into sentences: "Dr. Li" is one; ``unmask`` shows them."""
    for name in names:
        if "." in name and name in text:
            text = text.replace(name, name.replace(".", _HIDDEN))
    return text


def unmask(text: str) -> str:
    """Return a text or sentence with the full stops that ``mask_marks`` has hidden."""
    return text.replace(_HIDDEN, ".")


def _spaced(character: str) -> bool:
    """Return whether a character is of a script that separates words by spaces."""
    return not character.isalpha() or character.lower() != character.upper()


_UNCOUNTED = frozenset({"food", "clothes", "money"})


def some(kind_name: str) -> str:
    """Return a kind of thing with its article: ``"a book"``, ``"some food"``."""
    if kind_name in _UNCOUNTED:
        return f"some {kind_name}"
    return f"an {kind_name}" if kind_name[:1].lower() in "aeiou" else f"a {kind_name}"


def many(kind_name: str, number: int) -> str:
    """Return so many things of a kind: ``"60 coins"``, ``"20 pieces of food"``."""
    if number == 1:
        return f"1 {kind_name}"
    if kind_name in _UNCOUNTED:
        return f"{number} pieces of {kind_name}"
    if kind_name.endswith("y") and kind_name[-2:-1] not in (*"aeiou",):
        return f"{number} {kind_name[:-1]}ies"
    return f"{number} {kind_name}{'es' if kind_name.endswith(('s', 'x', 'ch', 'sh')) else 's'}"


def listed(names: Sequence[str]) -> str:
    """Join names as in a sentence: ``"AY, LL and WM"``."""
    return " and ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else "".join(names)
