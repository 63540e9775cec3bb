"""Incremental construction of maps: grounds with two rows of houses, roads between them, furniture in rows."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence

from irollan_env.map.layout import GAP, HOME, LANE, STREET
from irollan_env.map.records import (
    Area,
    Furniture,
    FurnitureKind,
    Ground,
    Inhabitant,
    Item,
    ItemKind,
    Rectangle,
    Road,
)
from irollan_env.map.valley_map import ValleyMap

DEPTH = 2 * HOME[1] + STREET
"""Depth of a ground, metres."""


class Builder:
    """Collects the parts of a map; furniture and items are numbered by kind across the whole map.

    Attributes:
        residents, items: The residents and items so far.
    """

    def __init__(self, furniture_kinds: Sequence[FurnitureKind], item_kinds: Sequence[ItemKind]) -> None:
        """Start with an empty map.

        Args:
            furniture_kinds: Kinds added to those of the paper's valley.
            item_kinds: Kinds added to those of the paper's valley.
        """
        valley = ValleyMap.default()
        self._furniture_kinds = (*valley.furniture_kinds, *furniture_kinds)
        self._item_kinds = (*valley.item_kinds, *item_kinds)
        self._receptacles = {kind.name for kind in self._furniture_kinds if kind.receptacle}
        self._numbers: Counter[str] = Counter()
        self._grounds: list[Ground] = []
        self._areas: list[Area] = []
        self._furniture: list[Furniture] = []
        self.items: list[Item] = []
        self.residents: list[Inhabitant] = []

    def begin_ground(self, name: str, corner: tuple[float, float]) -> None:
        """Begin a ground at its south-western corner; houses added next stand on it.

        Args:
            name: The place's name.
            corner: x and y, metres.
        """
        self._ground, self._corner = name, corner
        self._ends = [corner[0] + LANE, corner[0] + LANE]

    def end_ground(self) -> None:
        """End the current ground where its longer row ends."""
        west, south = self._corner
        self._grounds.append(
            Ground(name=self._ground, rectangle=Rectangle(west, south, max(self._ends), south + DEPTH))
        )

    @property
    def east(self) -> float:
        """The eastern edge of the last ground, metres."""
        return self._grounds[-1].rectangle.east

    def house(self, name: str, size: tuple[float, float]) -> None:
        """Build a house at the end of the shorter row; furniture added next stands in it.

        Args:
            name: The place's name.
            size: Width and depth, metres.
        """
        south = self._corner[1]
        row = 0 if self._ends[0] <= self._ends[1] else 1
        west, near = self._ends[row], south + row * (DEPTH - size[1])
        self._room = Rectangle(west, near, west + size[0], near + size[1])
        self._ends[row] = self._room.east + GAP
        door = ((self._room.west + self._room.east) / 2, self._room.south if row else self._room.north)
        self._areas.append(Area(name=name, rectangle=self._room, door=door, ground=self._ground))

    def furnish(self, kinds: Sequence[str]) -> list[str]:
        """Place furniture in rows; return the names of the receptacles."""
        place, room = self._areas[-1].name, self._room
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

    def lay(self, kind: str, on: str) -> str:
        """Place an item on furniture and return its name.

        Args:
            kind: The kind of the item.
            on: The name of the furniture.
        """
        self._numbers[f"item {kind}"] += 1
        name = f"{kind} {self._numbers[f'item {kind}']}"
        self.items.append(Item(name=name, kind=kind, on=on))
        return name

    def map(self, name: str, columns: int) -> ValleyMap:
        """Build the map, with roads between neighbouring grounds on a grid of that many columns.

        Args:
            name: The map's name.
            columns: The grid's number of columns, at least 1.
        """
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
            items=tuple(self.items),
            residents=tuple(self.residents),
        )


def _roads(grounds: Sequence[Ground], columns: int) -> Iterator[Road]:
    for number, here in enumerate(grounds):
        one = here.rectangle
        if (number + 1) % columns and number + 1 < len(grounds):
            east = grounds[number + 1]
            gates = ((one.east, one.south + DEPTH / 2), (east.rectangle.west, one.south + DEPTH / 2))
            yield Road(ends=(here.name, east.name), gates=gates)
        if number + columns < len(grounds):
            north = grounds[number + columns]
            gates = ((one.west + LANE / 2, one.north), (one.west + LANE / 2, north.rectangle.south))
            yield Road(ends=(here.name, north.name), gates=gates)
