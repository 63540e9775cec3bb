"""Maps made from a seed: a valley of any number of homes, or many towns joined by roads."""

from __future__ import annotations

import math
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import product
from pathlib import Path
from string import ascii_uppercase
from typing import Any

import numpy as np

from irollan_env.map.records import Area, Furniture, Ground, Inhabitant, Item, Rectangle, Road
from irollan_env.map.toml_file import read_kinds
from irollan_env.map.valley_map import ValleyMap
from irollan_env.random_streams import make_generator

MOST_RESIDENTS = 10_000
RESIDENTS_PER_TOWN = 33
"""As in Project Sid's towns (section 8.4 of its paper)."""

_KINDS = Path(__file__).parent / "data" / "towns.toml"
_HOME, _HALL = (8.0, 10.0), (16.0, 10.0)  # width and depth of a house, metres
_GAP, _LANE, _STREET, _COUNTRY = 2.0, 6.0, 14.0, 60.0  # between houses, at their end, between rows, between towns
_DEPTH = 2 * _HOME[1] + _STREET


def generate_valley(homes: int, *, seed: int | np.random.Generator = 0) -> ValleyMap:
    """A valley like the paper's with as many homes as wanted: one resident each, a canteen and a reading room.

    Everyone outside sees the doors of all homes, so an observation grows with the valley; ``generate_towns`` keeps it
    short.

    Args:
        homes: 1 to 10,000.
        seed: Of the names, and of what stands and lies where.

    Raises:
        ValueError: for another number of homes.
    """
    _check_count("homes", homes, MOST_RESIDENTS)
    builder = _Builder(make_generator(seed), homes)
    builder.town(_kinds()["valley"], homes, (0.0, 0.0))
    return builder.map(f"valley of {homes}", columns=1)


def generate_towns(residents: int, *, towns: int | None = None, seed: int | np.random.Generator = 0) -> ValleyMap:
    """Towns joined by roads, each a valley of its own kind, as in Project Sid: Sunny Glade, Woodhaven, Clearwater, ...

    The towns lie on a square grid, and each has a road to its neighbours. The first six have the names and kinds of
    Project Sid's; the kinds recur after that under other names. What a resident sees and can do depends on its town
    alone, whatever the number of towns.

    Args:
        residents: 1 to 10,000, each with a home of its own, shared out evenly.
        towns: How many; one for each 33 residents when None.
        seed: Of the names, and of what stands and lies where.

    Raises:
        ValueError: for numbers that cannot be.
    """
    _check_count("residents", residents, MOST_RESIDENTS)
    count = math.ceil(residents / RESIDENTS_PER_TOWN) if towns is None else towns
    names = _town_names()
    _check_count("towns", count, min(residents, len(names)))
    builder = _Builder(make_generator(seed), residents)
    kinds: Sequence[Mapping[str, Any]] = _kinds()["towns"]
    columns = math.ceil(math.sqrt(count))
    largest = math.ceil(residents / count)
    pitch = _LANE + (largest // 2 + 1) * (_HOME[0] + _GAP) + 2 * (_HALL[0] + _GAP) + _COUNTRY
    for number in range(count):
        share = (number + 1) * residents // count - number * residents // count
        corner = (number % columns * pitch, number // columns * (_DEPTH + _COUNTRY))
        builder.town(_renamed(kinds[number % len(kinds)], names[number]), share, corner)
    return builder.map(f"{count} towns of {residents}", columns)


class _Builder:
    """Collects what a map is made of; furniture and items are numbered through the whole map, kind by kind."""

    def __init__(self, generator: np.random.Generator, residents: int) -> None:
        valley, (furniture_kinds, item_kinds) = ValleyMap.default(), read_kinds(_kinds())
        self._furniture_kinds = (*valley.furniture_kinds, *furniture_kinds)
        self._item_kinds = (*valley.item_kinds, *item_kinds)
        self._receptacles = {kind.name for kind in self._furniture_kinds if kind.receptacle}
        self._generator = generator
        self._numbers: Counter[str] = Counter()
        letters = 2 if residents <= len(ascii_uppercase) ** 2 else 3
        every = ["".join(pair) for pair in product(ascii_uppercase, repeat=letters)]
        self._names = [every[n] for n in generator.permutation(len(every))[:residents].tolist()]
        self._grounds: list[Ground] = []
        self._areas: list[Area] = []
        self._furniture: list[Furniture] = []
        self._items: list[Item] = []
        self._residents: list[Inhabitant] = []

    def town(self, kind: Mapping[str, Any], homes: int, corner: tuple[float, float]) -> None:
        """Two rows of houses that face each other across a street, with a lane at their western end."""
        west, south = corner
        self._ends = [west + _LANE, west + _LANE]
        for _ in range(homes):
            self._home(kind, self._names.pop(), south)
        for hall in kind["public"]:
            room = self._house(hall["name"], _HALL, kind["name"], south)
            places = self._furnish(hall["name"], room, list(Counter(hall["furniture"]).elements()))
            for item in Counter(hall["items"]).elements():
                self._lay(item, self._any(places))
        rectangle = Rectangle(west, south, max(self._ends), south + _DEPTH)
        self._grounds.append(Ground(name=kind["name"], rectangle=rectangle))

    def map(self, name: str, columns: int) -> ValleyMap:
        """The map of all towns so far, with roads between neighbours on a grid of that many columns."""
        valley = ValleyMap.default()
        return ValleyMap(
            name=name,
            eye_height=valley.eye_height,
            door_height=valley.door_height,
            statuses=valley.statuses,
            exclusive=valley.exclusive,
            grounds=tuple(self._grounds),
            roads=tuple(_roads(self._grounds, columns)),
            areas=tuple(self._areas),
            furniture_kinds=self._furniture_kinds,
            item_kinds=self._item_kinds,
            furniture=tuple(self._furniture),
            items=tuple(self._items),
            residents=tuple(self._residents),
        )

    def _home(self, kind: Mapping[str, Any], name: str, south: float) -> None:
        house = f"{name}'s Home"
        room = self._house(house, _HOME, kind["name"], south)
        self._residents.append(Inhabitant(name=name, home=house, display_name=name))
        extra = self._generator.choice(len(kind["home_furniture"]), size=2, replace=False)
        wanted = [*_kinds()["home"]["furniture"], *(kind["home_furniture"][n] for n in sorted(extra.tolist()))]
        places = self._furnish(house, room, wanted)
        for _ in range(int(self._generator.integers(1, 4))):
            self._lay(self._any(kind["home_items"]), self._any(places))
        wardrobe = next(place for place in places if place.startswith("wardrobe "))
        self._items.append(Item(name=f"{name}'s clothes 1", kind="clothes", on=wardrobe))

    def _house(self, name: str, size: tuple[float, float], ground: str, south: float) -> Rectangle:
        """Put up a house at the end of the shorter row."""
        row = 0 if self._ends[0] <= self._ends[1] else 1
        west, near = self._ends[row], south + row * (_DEPTH - size[1])
        room = Rectangle(west, near, west + size[0], near + size[1])
        self._ends[row] = room.east + _GAP
        door = ((room.west + room.east) / 2, room.south if row else room.north)
        self._areas.append(Area(name=name, rectangle=room, door=door, ground=ground))
        return room

    def _furnish(self, place: str, room: Rectangle, kinds: Sequence[str]) -> list[str]:
        """Stand furniture in rows; returns the names of what things can be put in or on."""
        columns = math.ceil(math.sqrt(len(kinds)))
        rows = math.ceil(len(kinds) / columns)
        receptacles = []
        for number, kind in enumerate(kinds):
            x = room.west + (room.east - room.west) * (number % columns + 0.5) / columns
            y = room.south + (room.north - room.south) * (number // columns + 0.5) / rows
            self._numbers[kind] += 1
            piece = Furniture(kind=kind, number=self._numbers[kind], place=place, position=(round(x, 2), round(y, 2)))
            self._furniture.append(piece)
            if kind in self._receptacles:
                receptacles.append(piece.name)
        return receptacles

    def _lay(self, kind: str, on: str) -> None:
        self._numbers[f"item {kind}"] += 1
        self._items.append(Item(name=f"{kind} {self._numbers[f'item {kind}']}", kind=kind, on=on))

    def _any(self, names: Sequence[str]) -> str:
        return names[int(self._generator.integers(len(names)))]


def _roads(grounds: Sequence[Ground], columns: int) -> Iterator[Road]:
    for number, here in enumerate(grounds):
        one = here.rectangle
        if (number + 1) % columns and number + 1 < len(grounds):
            east = grounds[number + 1]
            gates = ((one.east, one.south + _DEPTH / 2), (east.rectangle.west, one.south + _DEPTH / 2))
            yield Road(ends=(here.name, east.name), gates=gates)
        if number + columns < len(grounds):
            north = grounds[number + columns]
            gates = ((one.west + _LANE / 2, one.north), (one.west + _LANE / 2, north.rectangle.south))
            yield Road(ends=(here.name, north.name), gates=gates)


def _renamed(kind: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """A town of a kind under another name, which its public places bear as well."""
    public = [{**hall, "name": hall["name"].replace(kind["name"], name)} for hall in kind["public"]]
    return {**kind, "name": name, "public": public}


def _town_names() -> list[str]:
    kinds = _kinds()
    made_up = (one + two for two, one in product(kinds["names"]["ends"], kinds["names"]["beginnings"]))
    return [*(town["name"] for town in kinds["towns"]), *made_up]


@cache
def _kinds() -> Mapping[str, Any]:
    return tomllib.loads(_KINDS.read_text(encoding="utf-8"))


def _check_count(what: str, value: int, most: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= most:
        raise ValueError(f"{what} must be an integer in [1, {most}], got {value!r}")
