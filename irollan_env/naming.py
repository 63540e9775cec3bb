"""Parsing and formatting of names: owner and kind of a thing, person names, articles and lists."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

_NAME = re.compile(r"(?:(?P<owner>\w+)'s? )?(?P<kind>.+?)(?: \d+)?")


@cache
def owner(name: str) -> str | None:
    """Return the owner in the name of a thing: "SG" for "SG's clothes 1"; None for "book 3"."""
    match = _NAME.fullmatch(name)
    return match["owner"] if match else None


@cache
def kind(name: str) -> str:
    """Return the kind of a thing: "clothes" for "SG's clothes 1", "book" for "book 3", "10 dollar" for itself."""
    match = _NAME.fullmatch(name)
    return match["kind"] if match else name


@cache
def is_person(name: str) -> bool:
    """Return whether a name is a person's: two letters (section 5.1), or three on maps with many people."""
    return re.fullmatch(r"[A-Z]{2,3}", name) is not None


_UNCOUNTED = frozenset({"food", "clothes", "money"})


def some(kind_name: str) -> str:
    """Return a kind of thing with its article: ``"a book"``, ``"some food"``."""
    if kind_name in _UNCOUNTED:
        return f"some {kind_name}"
    return f"an {kind_name}" if kind_name[:1].lower() in "aeiou" else f"a {kind_name}"


def listed(names: Sequence[str]) -> str:
    """Join names as in a sentence: ``"AY, LL and WM"``."""
    return " and ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else "".join(names)
