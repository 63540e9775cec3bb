"""The part of a valley that a resident's tasks are about: the places near its home, and what and who belongs there."""

from __future__ import annotations

from functools import lru_cache

from irollan_env.map.tables import Tables

NEAR = 2
"""Doors from a resident's home to the places of its tasks: out of the house, and into any other of the same valley."""


class Neighbourhood:
    """What tasks look up of the surroundings of a home; built once, and never changed.

    Attributes:
        tables: The map.
        places: The places near the home that have furniture, in the map's order.
        people: The residents whose homes these are.
        kinds: Kinds of items that there are here at the start, in the map's order.
        items: For each of these kinds, the items that lie here at the start.
        kind_of: For each item of the whole map, its kind.
        start: For each item here, the place in which it lies at the start.
        place_of: For each piece of furniture of the whole map, its place.
        kind_of_furniture: For each piece of furniture of the whole map, its kind.
        receptacles: For each place, the furniture that things can be put in or on.
        treating: For each status, the furniture here whose use gives it to what lies on it.
    """

    def __init__(self, tables: Tables, places: tuple[int, ...]) -> None:
        near = frozenset(places)
        self.tables = tables
        self.places = tuple(tables.places[place] for place in places if tables.furniture_in[place])
        self.people = tuple(name for name, home in zip(tables.residents, tables.home, strict=True) if home in near)
        self.kind_of, self.kind_of_furniture, self.place_of, starting = _whole_map(tables)
        here = {
            tables.items[item]: place
            for item, place in sorted((item, tables.places[place]) for place in places for item in starting[place])
        }
        self.start = here
        self.kinds = tuple(kind.name for kind in tables.map.item_kinds if kind.name in map(self.kind_of.get, here))
        self.items = {kind: tuple(item for item in here if self.kind_of[item] == kind) for kind in self.kinds}
        self.receptacles = {
            tables.places[place]: tuple(tables.furniture[f] for f in tables.furniture_in[place] if tables.receptacle[f])
            for place in places
        }
        self.treating = {
            status: tuple(
                tables.furniture[f]
                for place in places
                for f in tables.furniture_in[place]
                if tables.receptacle[f] and tables.adds[f] & bit
            )
            for status, bit in tables.status_bit.items()
        }

    def home(self, resident: str) -> str:
        """Where a resident lives."""
        return self.tables.places[self.tables.home[self.tables.resident_number[resident]]]

    def first(self, kind: str, place: str) -> str:
        """The first piece of furniture of a kind in a place."""
        return next(piece for piece in self.receptacles[place] if self.kind_of_furniture[piece] == kind)

    def receptacle_kinds(self, place: str) -> tuple[str, ...]:
        """The kinds of furniture in a place that things can be put in or on, each once."""
        return tuple(dict.fromkeys(self.kind_of_furniture[piece] for piece in self.receptacles[place]))


def neighbourhood_of(tables: Tables, resident: str) -> Neighbourhood:
    """What is near a resident's home; the same object for all to whom the same is near."""
    return _made(tables, _near(tables, tables.home[tables.resident_number[resident]]))


@lru_cache(maxsize=4)
def _whole_map(tables: Tables) -> tuple[dict[str, str], dict[str, str], dict[str, str], list[list[int]]]:
    """What the neighbourhoods of a map share.

    Kinds of items, kinds of furniture and places of furniture, by name; and the items that start in each place.
    """
    starting: list[list[int]] = [[] for _ in tables.places]
    for item, furniture in enumerate(tables.item_start):
        starting[tables.place_of_furniture[furniture]].append(item)
    place_of = zip(tables.furniture, tables.place_of_furniture, strict=True)
    return (
        {item.name: item.kind for item in tables.map.items},
        {piece.name: piece.kind for piece in tables.map.furniture},
        {name: tables.places[place] for name, place in place_of},
        starting,
    )


@lru_cache(maxsize=1024)
def _made(tables: Tables, places: tuple[int, ...]) -> Neighbourhood:
    return Neighbourhood(tables, places)


@lru_cache(maxsize=16384)
def _near(tables: Tables, home: int) -> tuple[int, ...]:
    found = {home}
    for _ in range(NEAR):
        found |= {place for here in found for place in tables.doors[here]}
    return tuple(sorted(found))
