"""How a text speaks of names: by the name itself, as a person, or by what people call it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache, lru_cache

from irollan_env.english import noun
from irollan_env.naming import is_person, owner

_DWELLINGS = frozenset({"house", "home", "place", "kitchen", "room", "door"})
_DWELLING = "|".join(sorted(_DWELLINGS))
_HOMEWARD = "(?:at|is|was|go|goes|going|gone|went|come|comes|came)"
_ARTICLES = frozenset({"a", "an", "the", "s"})
_NOT, _BY_NAME, _AS_PERSON, _AS_CALLED = range(4)


def mentioned(text: str, names: Iterable[str]) -> tuple[str, ...]:
    """Those of the names that a text speaks of, by their own words or by what people call them."""
    reading = _reading(text)
    spoken = [(name, way) for name in names if (way := reading[name])]
    if not spoken:
        return ()
    exact = [name for name, way in spoken if way == _BY_NAME]
    kinds = {noun(name) for name in exact}
    others = [name for name, way in spoken if way == _AS_PERSON or (way == _AS_CALLED and noun(name) not in kinds)]
    return tuple(dict.fromkeys((*exact, *others)))


def speaks_of(text: str, names: Iterable[str]) -> bool:
    """Whether a text speaks of any of the names."""
    return any(map(_reading(text).__getitem__, names))


class _Reading(dict[str, int]):
    """A text, and in which way it speaks of a name: a goal is read for every action of every step it holds."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self._text = text
        self._lowered = text.lower()
        self._words = set(re.findall(r"[a-z]+", self._lowered))

    def __missing__(self, name: str) -> int:
        way = self[name] = self._find(name)
        return way

    def _find(self, name: str) -> int:
        """How the text speaks of a name: not at all, by the name itself, or by every word of what people call it.

        "SG's clothes" speaks of clothes, "SG" of a person; words may have one "s" more or less.
        """
        if is_person(name):
            spoken = name in self._text and _as_person(name).search(self._text) is not None
            return _AS_PERSON if spoken else _NOT
        lowered = name.lower()
        if lowered in self._lowered and re.search(rf"(?<!\w){re.escape(lowered)}(?!\w)", self._lowered) is not None:
            return _BY_NAME
        return _AS_CALLED if _called(name, self._words, self._lowered) else _NOT


# What a thousand residents want, hear and say.
_reading = lru_cache(maxsize=2**14)(_Reading)


@cache
def _as_person(name: str) -> re.Pattern[str]:
    return re.compile(rf"\b{re.escape(name)}\b(?!'s)")


@cache
def _as_house(whose: str) -> re.Pattern[str]:
    """As in "LL's house", "LL's old kitchen" or "LL went home"; "LL's book in my house" speaks of another."""
    return re.compile(rf"\b{re.escape(whose)}(?:'s (?:\w+ )?(?:{_DWELLING})\b| .*\b{_HOMEWARD} home\b)")


def _called(name: str, words: set[str], text: str) -> bool:
    first, forms = _parts(name)
    if first:
        return first in words and not words.isdisjoint(_DWELLINGS) and _as_house(first).search(text) is not None
    for form in forms:
        if form.isdisjoint(words):
            return False
    return bool(forms)


@cache
def _parts(name: str) -> tuple[str, tuple[frozenset[str], ...]]:
    """Of somebody's house, whose it is; and each word of what people call a thing, with and without "s"."""
    parts = [part for part in re.findall(r"[a-z]+", noun(name).lower()) if part not in _ARTICLES]
    if owner(name) and parts[-1:] == ["house"]:
        return parts[0], ()
    return "", tuple(frozenset({part, f"{part}s", part.removesuffix("s")}) for part in parts)
