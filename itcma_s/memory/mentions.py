"""Finding the names that a text mentions: literally, as a person, or by their everyday word."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Iterable, Sequence
from functools import cache, lru_cache

from irollan_env.english import noun
from irollan_env.naming import POSSESSIVE, owner, whole_name

_DWELLINGS = frozenset({"house", "home", "place", "kitchen", "room", "door"})
_DWELLING = "|".join(sorted(_DWELLINGS))
_HOMEWARD = "(?:at|is|was|go|goes|going|gone|went|come|comes|came)"
_ARTICLES = frozenset({"a", "an", "the", "s"})
_WORD = re.compile(r"[^\W\d_]+")
_UNSPACED = "\u0e00"
"""The first script, Thai, that is written without spaces; those before it have them."""
_NOT, _BY_NAME, _AS_PERSON, _AS_CALLED = range(4)


def mentioned(text: str, names: Iterable[str], people: Container[str] = ()) -> tuple[str, ...]:
    """Return the names that a text mentions, literally or by their everyday word.

    Args:
        text: The text.
        names: The names of people, places and things.
        people: Those of people, which stand as they are, and not in the possessive.
    """
    reading = _reading(text)
    spoken = [(name, way) for name in names if (way := reading.way(name, people))]
    if not spoken:
        return ()
    persons = [name for name, way in spoken if way == _AS_PERSON]
    if len(persons) > 1 and (parts := _only_in_others(text, persons)):
        spoken = [(name, way) for name, way in spoken if name not in parts]
    exact = [name for name, way in spoken if way == _BY_NAME]
    kinds = {noun(name) for name in exact}
    others = [name for name, way in spoken if way == _AS_PERSON or (way == _AS_CALLED and noun(name) not in kinds)]
    return tuple(dict.fromkeys((*exact, *others)))


def _only_in_others(text: str, persons: Sequence[str]) -> set[str]:
    """Return the people whose names stand in a text only as a part of somebody else's: "Li" in "Dr. Li"."""
    found = set()
    for name in persons:
        rest = text
        for other in persons:
            rest = rest.replace(other, "") if name in other and name != other else rest
        if rest != text and _as_person(name).search(rest) is None:
            found.add(name)
    return found


def speaks_of(text: str, names: Iterable[str], people: Container[str] = ()) -> bool:
    """Return whether a text mentions any of the names, some of which are people's."""
    reading = _reading(text)
    return any(reading.way(name, people) for name in names)


class NameIndex:
    """Names by the words in them, to search many texts for the few of many names that each can mention.

    Args:
        names: The names of people, places and things, in order.
        people: Those of people.
    """

    def __init__(self, names: Iterable[str], people: Iterable[str] = ()) -> None:
        self._people = frozenset(people)
        self._objects: dict[str, tuple[str, ...]] = {}
        self._order = {name: number for number, name in enumerate(names)}
        self._by_word: dict[str, list[str]] = {}
        self._others: list[str] = []
        for name in self._order:
            whose, forms = _parts(name)
            literal, house = _first_word(name.lower()), _first_word(whose)
            if not literal or (whose and not house):
                self._others.append(name)
                continue
            for word in {literal, *([house] if house else []), *(forms[0] if forms else ())}:
                self._by_word.setdefault(word, []).append(name)

    def objects(self, text: str) -> tuple[str, ...]:
        """Return what a text mentions, each once: by name, or by the common word where that fits several names."""
        if (found := self._objects.get(text)) is None:
            spoken = mentioned(text, self.near(text), self._people)
            kinds = Counter(noun(name) for name in spoken)
            found = tuple(dict.fromkeys(name if kinds[noun(name)] == 1 else noun(name) for name in spoken))
            self._objects[text] = found
        return found

    def near(self, text: str) -> list[str]:
        """Return the names that a text may mention, in order: all that ``mentioned`` finds, and few others."""
        words = set(_WORD.findall(text.lower()))
        found = {name for word in words for name in self._by_word.get(word, ())}
        return sorted(found.union(self._others), key=self._order.__getitem__)


def _first_word(text: str) -> str:
    """Return the first word; empty where there is none, or one of a script that may stand without spaces."""
    found = _WORD.search(text)
    return found[0] if found is not None and max(found[0]) < _UNSPACED else ""


class _Reading(dict[str, int]):
    """Caches how one text mentions each name; a goal is matched against every action of every step."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self._text = text
        self._lowered = text.lower()
        self._words = set(_WORD.findall(self._lowered))
        self._people: dict[str, int] = {}

    def __missing__(self, name: str) -> int:
        way = self[name] = self._find(name)
        return way

    def way(self, name: str, people: Container[str]) -> int:
        """Return how the text mentions a name, which is a person's if it is among the people."""
        if name not in people:
            return self[name]
        if (way := self._people.get(name)) is None:
            spoken = name in self._text and _as_person(name).search(self._text) is not None
            way = self._people[name] = _AS_PERSON if spoken else _NOT
        return way

    def _find(self, name: str) -> int:
        """Return how the text mentions a thing or a place: not at all, literally, or by every everyday word for it.

        "SG's clothes" mentions clothes; words may have one "s" more or less.
        """
        lowered = name.lower()
        if lowered in self._lowered and re.search(rf"(?<!\w){re.escape(lowered)}(?!\w)", self._lowered) is not None:
            return _BY_NAME
        return _AS_CALLED if _called(name, self._words, self._lowered) else _NOT


# Enough for the goals and utterances of a thousand residents.
_reading = lru_cache(maxsize=2**14)(_Reading)


@cache
def _as_person(name: str) -> re.Pattern[str]:
    return re.compile(rf"{whole_name(name)}(?!['’]s)")


@cache
def _as_house(whose: str) -> re.Pattern[str]:
    """Compile the pattern for somebody's house: "LL's house", "LL went home", but not "LL's book in my house"."""
    at_its_own = rf"{POSSESSIVE} (?:\w+ )?(?:{_DWELLING})\b"
    return re.compile(rf"(?<!\w){re.escape(whose)}(?:{at_its_own}| .*\b{_HOMEWARD} home\b)")


def _called(name: str, words: set[str], text: str) -> bool:
    first, forms = _parts(name)
    if first:
        return first in text and not words.isdisjoint(_DWELLINGS) and _as_house(first).search(text) is not None
    for form in forms:
        if form.isdisjoint(words):
            return False
    return bool(forms)


@cache
def _parts(name: str) -> tuple[str, tuple[frozenset[str], ...]]:
    """Return the owner if the name is a house, and otherwise each everyday word for it, with and without "s"."""
    parts = [part for part in _WORD.findall(noun(name).lower()) if part not in _ARTICLES]
    if (whose := owner(name)) and parts[-1:] == ["house"]:
        return whose.lower(), ()
    return "", tuple(frozenset({part, f"{part}s", part.removesuffix("s")}) for part in parts)
