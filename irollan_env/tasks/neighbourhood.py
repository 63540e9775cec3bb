"""The part of a valley that a resident's tasks use: the places near its home, with their people and things."""

from __future__ import annotations

from functools import lru_cache

from irollan_env.map.tables import Tables

NEAR = 2
"""Doors from a resident's home to the places of its tasks: out of the house, and into any other of the same valley."""

SMALL = 16
"""Maps with at most this many places count as one neighbourhood."""


class Neighbourhood:
    """Lookup tables of the surroundings of a home; built once and immutable.

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
        self._kinds = {kind.name: kind for kind in tables.map.item_kinds}
        growing = {f for f, _ in tables.growing}
        treats = {f for f in range(len(tables.furniture)) if tables.adds[f]}
        self._standing = {
            tables.places[place]: [
                tables.furniture[f]
                for f in tables.furniture_in[place]
                if tables.receptacle[f] and not tables.closes[f] and f not in growing | treats and not tables.seat[f]
            ]
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

    def all_of(self, name: str) -> tuple[str, ...]:
        """Return the items of a kind; for an item's name, that item alone."""
        return self.items.get(name) or (name,)

    def becomes(self, kind: str) -> tuple[str, ...]:
        """Return the statuses that things of a kind get from being used."""
        return self._kinds[kind].adds

    def portable(self, kind: str) -> bool:
        """Return whether one resident can carry things of a kind, and they do not grow."""
        stores = {self.tables.furniture[f] for f, _ in self.tables.growing}
        on = {item.on for item in self.tables.map.items if item.kind == kind}
        return not self._kinds[kind].heavy and not on & stores

    def standing(self, place: str) -> list[str]:
        """Return the kinds of furniture in a place for leaving things on: open, and without effect on them."""
        return list(dict.fromkeys(self.kind_of_furniture[piece] for piece in self._standing[place]))

    def heavy(self, item: str) -> bool:
        """Return whether a thing takes two residents to carry."""
        return self._kinds[self.kind_of[item]].heavy

    def pieces(self, kind: str, place: str) -> list[str]:
        """Return the furniture of a kind in a place."""
        here = self.tables.furniture_in[self.tables.place_number[place]]
        return [name for f in here if self.kind_of_furniture[name := self.tables.furniture[f]] == kind]

    def stores(self) -> dict[str, tuple[str, int]]:
        """Return the stores here on which things grow: the kind of thing, and the steps one takes to regrow."""
        steps = {self.tables.furniture[f]: steps for f, steps in self.tables.growing}
        kinds = {item.on: item.kind for item in self.tables.map.items if item.on in steps and item.name in self.start}
        return {store: (kind, steps[store]) for store, kind in kinds.items()}

    def ground(self, place: str) -> str:
        """Return the ground that a place's door opens on to."""
        return self.tables.places[self.tables.way_out[self.tables.place_number[place]]]

    def home(self, resident: str) -> str:
        """Return a resident's home."""
        return self.tables.places[self.tables.home[self.tables.resident_number[resident]]]

    def first(self, kind: str, place: str) -> str:
        """Return the first receptacle of a kind in a place."""
        return next(piece for piece in self.receptacles[place] if self.kind_of_furniture[piece] == kind)

    def receptacle_kinds(self, place: str) -> tuple[str, ...]:
        """Return the kinds of receptacles in a place, each once."""
        return tuple(dict.fromkeys(self.kind_of_furniture[piece] for piece in self.receptacles[place]))


def neighbourhood_of(tables: Tables, resident: str) -> Neighbourhood:
    """Return the neighbourhood of a resident's home; residents with the same one share the object.

    Args:
        tables: The map.
        resident: Its name.
    """
    return _made(tables, _near(tables, tables.home[tables.resident_number[resident]]))


@lru_cache(maxsize=4)
def _whole_map(tables: Tables) -> tuple[dict[str, str], dict[str, str], dict[str, str], list[list[int]]]:
    """Return the tables that all neighbourhoods of a map share.

    Kinds of items, kinds of furniture and places of furniture, by name; and the items that start in each place.
    """
    starting: list[list[int]] = [[] for _ in tables.places]
    for item, furniture in enumerate(tables.item_start):
        if furniture >= 0:
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
    if len(tables.places) <= SMALL:
        return tuple(range(len(tables.places)))
    found = {home}
    for _ in range(NEAR):
        found |= {place for here in found for place in tables.doors[here]}
    return tuple(sorted(found))
