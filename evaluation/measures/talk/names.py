"""People, places and kinds of things of a run, and recognition of them in texts."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, lru_cache

from evaluation.measures.talk.life import Life
from irollan_env.english import noun
from irollan_env.naming import kind, owner
from itcma_s.memory.mentions import mentioned

_DOOR = "door to "
_MINE = re.compile(
    r"\b(?:my (?:own )?(?:house|home|place)|(?:go|going|went|head|heading|come|back|at|get) home)\b", re.IGNORECASE
)
_YOURS = re.compile(r"\byour (?:own )?(?:house|home|place)\b", re.IGNORECASE)
_OUTSIDE = re.compile(r"\b(?:outside|out here|out there|outdoors|yard|go out|step out|goes out)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Names:
    """Names that occur in a run.

    Attributes:
        people: Designations of the residents.
        places: As records have them, "outside" among them.
        kinds: Kinds of items: "food", "book", "beverage".
        furniture: Kinds of furniture: "table", "bookshelf".
    """

    people: tuple[str, ...]
    places: tuple[str, ...]
    kinds: tuple[str, ...]
    furniture: tuple[str, ...]


def names_of(life: Life) -> Names:
    """Collect the names in the records of a run."""
    places = {row.place for row in life.moments.values()}
    items: set[str] = set()
    furniture: set[str] = set()
    for row in life.moments.values():
        for percept in row.percepts:
            name = percept["name"]
            if percept["kind"] == "door":
                places.add(name.removeprefix(_DOOR))
            elif percept["kind"] == "item":
                items.add(kind(name))
            elif percept["kind"] == "furniture":
                furniture.add(kind(name))
    return Names(life.residents, tuple(sorted(places)), tuple(sorted(items)), tuple(sorted(furniture)))


def people_in(text: str, names: Names) -> tuple[str, ...]:
    """Find the residents whom a text names.

    Args:
        text: Any text.
        names: Names that occur in the run.

    Returns:
        The residents, in their order.
    """
    return _mentioned(text, names.people, names.people)


def places_in(text: str, names: Names, speaker: str, addressee: str | None = None) -> tuple[str, ...]:
    """Find the places that a text mentions.

    Args:
        text: Any text.
        names: Names that occur in the run.
        speaker: Whose house "my house" is.
        addressee: Whose house "your house" is; nobody's if None.

    Returns:
        The places, each once.
    """
    found = [one for one in _mentioned(text, names.places) if one != "outside"]
    for pattern, whose in ((_MINE, speaker), (_YOURS, addressee)):
        if pattern.search(text):
            found += [place for place in names.places if whose is not None and owner(place) == whose]
    if _OUTSIDE.search(text):
        found.append("outside")
    return tuple(dict.fromkeys(found))


# Rules read the same clause for several reasons.
_mentioned = lru_cache(maxsize=2**14)(mentioned)


def kinds_in(text: str, kinds: Iterable[str]) -> tuple[str, ...]:
    """Find the kinds of things that a text mentions.

    Args:
        text: Any text.
        kinds: Kinds of things.

    Returns:
        Those mentioned, in the singular or the plural, in the order of `kinds`.
    """
    return tuple(one for one in kinds if _kind(one).search(text))


_SHORT = {"steak": "steak", "shelf": "shelf|shelves", "burner": "stove|burner", "beverage": "drink", "coin": "coin"}
"""Pattern of short names by the ending of a kind."""


@cache
def _kind(sort: str) -> re.Pattern[str]:
    called = [re.escape(noun(sort)), *(short for ending, short in _SHORT.items() if sort.endswith(ending))]
    return re.compile(rf"\b(?:{'|'.join(called)})(?:s|es)?\b", re.IGNORECASE)
