"""What a run calls its people, places and things, and which of them a text speaks of; nothing here is a list of six."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from evaluation.measures.talk.life import Life
from irollan_env.world.naming import kind, owner
from itcma_s.memory.mentions import mentioned
from itcma_s.wording import noun

_DOOR = "door to "
_MINE = re.compile(r"\b(?:my (?:own )?(?:house|home|place)|(?:go|going|went|head|heading|come|back|at|get) home)\b", re.IGNORECASE)
_YOURS = re.compile(r"\byour (?:own )?(?:house|home|place)\b", re.IGNORECASE)
_OUTSIDE = re.compile(r"\b(?:outside|out here|out there|outdoors|yard|go out|step out|goes out)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Names:
    """Names that occur in a run.

    Attributes:
        people: Designations of the residents.
        places: As records have them, "outside" among them.
        kinds: What sorts of things there are: "food", "book", "beverage".
        furniture: The sorts of furniture: "table", "bookshelf".
    """

    people: tuple[str, ...]
    places: tuple[str, ...]
    kinds: tuple[str, ...]
    furniture: tuple[str, ...]


def names_of(life: Life) -> Names:
    """The names in the records of a run."""
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
    """The people whom a text names, in the order of the residents."""
    return mentioned(text, names.people)


def places_in(text: str, names: Names, speaker: str, addressee: str | None = None) -> tuple[str, ...]:
    """The places that a text speaks of; "my house" is the speaker's, "your house" the addressee's."""
    found = [place for place in mentioned(text, [one for one in names.places if one != "outside"])]
    for pattern, whose in ((_MINE, speaker), (_YOURS, addressee)):
        if pattern.search(text):
            found += [place for place in names.places if whose is not None and owner(place) == whose]
    if _OUTSIDE.search(text):
        found.append("outside")
    return tuple(dict.fromkeys(found))


def kinds_in(text: str, kinds: Iterable[str]) -> tuple[str, ...]:
    """The sorts of things that a text speaks of by what people call them, in the singular or the plural."""
    lowered = text.lower()
    return tuple(one for one in kinds if re.search(rf"\b{re.escape(noun(one).lower())}(?:s|es)?\b", lowered) or _ends(one, lowered))


def _ends(sort: str, text: str) -> bool:
    """Whether a text has the last part of a compound: "steak" for "beefsteak", "shelves" for "bookshelf"."""
    for long, short in (("steak", "steak"), ("shelf", "shel(?:f|ves)"), ("burner", "stove|burner"), ("beverage", "drinks?")):
        if sort.endswith(long) and re.search(rf"\b(?:{short})\b", text):
            return True
    return False
