"""The valley as data: areas, furniture, items and residents (section 5.1, figure 5, appendix A), checked when built."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from irollan_env.names import did_you_mean

if TYPE_CHECKING:
    from irollan_env.catalogue import Catalogue
    from irollan_env.tables import Tables

DEFAULT_MAP = Path(__file__).parent / "maps" / "irollan_valley.toml"

# A name that held one of these could not be told apart in an action.
_SEPARATORS = (" from ", " in/on ", ":")


@dataclass(frozen=True, slots=True)
class Rectangle:
    """An upright rectangle on the map, in metres: x to the east, y to the north."""

    west: float
    south: float
    east: float
    north: float

    def contains(self, x: float, y: float) -> bool:
        """Whether the point lies inside or on an edge."""
        return self.west <= x <= self.east and self.south <= y <= self.north

    def on_edge(self, x: float, y: float) -> bool:
        """Whether the point lies on an edge."""
        return self.contains(x, y) and (x in (self.west, self.east) or y in (self.south, self.north))

    def overlaps(self, other: Rectangle) -> bool:
        """Whether the two share more than an edge."""
        return (
            self.west < other.east and other.west < self.east and self.south < other.north and other.south < self.north
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class Area:
    """A place with walls and one door to the outside.

    Attributes:
        name: ``"AY's Home"``, ``"Public Canteen"``.
        rectangle: Where it lies.
        door: Position of its door in metres, on an edge of the rectangle.
    """

    name: str
    rectangle: Rectangle
    door: tuple[float, float]


@dataclass(frozen=True, kw_only=True, slots=True)
class FurnitureKind:
    """What all furniture of one kind has in common.

    Attributes:
        name: ``"sinkbasin"``.
        height: Of its surface above the floor, in metres.
        receptacle: Whether things can be put in or on it.
        seat: Whether one person at a time sits or lies on it.
        adds: Statuses that using it gives to what lies on it.
        removes: Statuses that using it takes from what lies on it.
    """

    name: str
    height: float
    receptacle: bool = False
    seat: bool = False
    adds: tuple[str, ...] = ()
    removes: tuple[str, ...] = ()

    @property
    def usable(self) -> bool:
        """Whether a resident can use it: to sit on, or to change what lies on it."""
        return self.seat or bool(self.adds or self.removes)


@dataclass(frozen=True, kw_only=True, slots=True)
class Furniture:
    """A piece of furniture; the number counts its kind through the whole world."""

    kind: str
    number: int
    place: str
    position: tuple[float, float]

    @property
    def name(self) -> str:
        """``"table 13"``."""
        return f"{self.kind} {self.number}"


@dataclass(frozen=True, kw_only=True, slots=True)
class ItemKind:
    """What all items of one kind have in common: whether one can use them in one's hands."""

    name: str
    usable: bool = True


@dataclass(frozen=True, kw_only=True, slots=True)
class Item:
    """Something that can be carried, and the furniture it lies on at the start."""

    name: str
    kind: str
    on: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Inhabitant:
    """One who lives in the valley: the two-letter name, the home, and the authors' name for it (appendix A)."""

    name: str
    home: str
    display_name: str


@dataclass(frozen=True, kw_only=True)
class ValleyMap:
    """Everything about a valley that never changes, and how it starts.

    Attributes:
        name: Of the map; a saved state remembers it.
        eye_height: Metres above the floor.
        door_height: Metres above the floor.
        statuses: What an item can be, in the order of the sentence.
        exclusive: Pairs of statuses that no item has at once.
        outside: Name of what joins the areas.
        grounds: The rectangle that holds the whole valley.
        areas: In the order in which their doors are seen from outside.
        furniture_kinds: In the order of the sentence.
        item_kinds: In the order of the sentence.
        furniture: All furniture.
        items: All items; those of one kind are named in this order.
        residents: All who live here, in the order in which they are asked for actions.

    Raises:
        ValueError: when the map contradicts itself; the message names what is wrong and how to mend it.
    """

    name: str
    eye_height: float
    door_height: float
    statuses: tuple[str, ...]
    exclusive: tuple[tuple[str, str], ...] = ()
    outside: str = "outside"
    grounds: Rectangle
    areas: tuple[Area, ...]
    furniture_kinds: tuple[FurnitureKind, ...]
    item_kinds: tuple[ItemKind, ...]
    furniture: tuple[Furniture, ...] = field(repr=False)
    items: tuple[Item, ...] = field(repr=False)
    residents: tuple[Inhabitant, ...]

    @classmethod
    def from_toml(cls, path: str | Path) -> ValleyMap:
        """Read a map file; ``maps/irollan_valley.toml`` shows the format.

        Raises:
            FileNotFoundError: when there is no such file.
            ValueError: for anything in it that is missing, unknown or contradictory, naming the file and the entry.
        """
        from irollan_env.map_file import read_map

        return read_map(Path(path))

    @staticmethod
    @cache
    def default() -> ValleyMap:
        """The valley of the paper; read once, and shared, since maps never change."""
        return ValleyMap.from_toml(DEFAULT_MAP)

    @property
    def display_names(self) -> dict[str, str]:
        """The authors' name of every resident (appendix A): ``{"AY": "Eyjafjalla", ...}``."""
        return {resident.name: resident.display_name for resident in self.residents}

    @cached_property
    def catalogue(self) -> Catalogue:
        """Every action that could ever be admissible here, numbered."""
        from irollan_env.catalogue import Catalogue

        return Catalogue(self.tables)

    @cached_property
    def tables(self) -> Tables:
        """The map compiled to integers and ready-made text, which is what the world runs on."""
        from irollan_env.tables import Tables

        return Tables(self)

    def __post_init__(self) -> None:
        self._check_names()
        self._check_kinds()
        self._check_ground_plan()
        self._check_contents()

    def _check_names(self) -> None:
        owners: dict[str, str] = {}
        groups: tuple[tuple[str, Iterable[str]], ...] = (
            ("the outside", [self.outside]),
            ("an area", [area.name for area in self.areas]),
            ("a resident", [resident.name for resident in self.residents]),
            ("furniture", [piece.name for piece in self.furniture]),
            ("an item", [item.name for item in self.items]),
        )
        for what, names in groups:
            for name in names:
                if not name or name != name.strip() or not name.isprintable():
                    raise ValueError(f"{what} is named {name!r}; a name needs visible characters and no outer spaces")
                if separator := next((s for s in _SEPARATORS if s in name), None):
                    raise ValueError(f"the name {name!r} contains {separator!r}, which separates parts of an action")
                if name in owners:
                    raise ValueError(f"two things are named {name!r}: {owners[name]} and {what}; rename one")
                owners[name] = what
        if not self.areas or not self.residents:
            raise ValueError(f"map {self.name!r} needs at least one area and one resident")

    def _check_kinds(self) -> None:
        for label, names in (
            ("furniture kind", [kind.name for kind in self.furniture_kinds]),
            ("item kind", [kind.name for kind in self.item_kinds]),
            ("status", list(self.statuses)),
        ):
            if twice := next((name for name in names if names.count(name) > 1), None):
                raise ValueError(f"{label} {twice!r} is listed twice; remove one")
        for pair in self.exclusive:
            for status in pair:
                _check_known("exclusive", "status", status, self.statuses)
        for kind in self.furniture_kinds:
            _check_number(f"height of {kind.name!r}", kind.height)
            for status in kind.adds + kind.removes:
                _check_known(f"use of {kind.name!r}", "status", status, self.statuses)
            for one, other in self.exclusive:
                for added, against in ((one, other), (other, one)):
                    if added in kind.adds and against not in kind.removes:
                        raise ValueError(
                            f"using {kind.name!r} adds {added!r} but does not remove {against!r}, and the two are "
                            f"exclusive; add {against!r} to what it removes"
                        )
        _check_number("eye_height", self.eye_height)
        _check_number("door_height", self.door_height)

    def _check_ground_plan(self) -> None:
        for label, rectangle in [(self.outside, self.grounds), *((area.name, area.rectangle) for area in self.areas)]:
            for value in (rectangle.west, rectangle.south, rectangle.east, rectangle.north):
                if not math.isfinite(value):
                    raise ValueError(f"rectangle of {label!r} must be finite, got {value!r}")
            if rectangle.west >= rectangle.east or rectangle.south >= rectangle.north:
                raise ValueError(f"rectangle of {label!r} must have west < east and south < north, got {rectangle}")
        for number, area in enumerate(self.areas):
            inner = area.rectangle
            if not (self.grounds.contains(inner.west, inner.south) and self.grounds.contains(inner.east, inner.north)):
                raise ValueError(f"area {area.name!r} reaches beyond {self.outside!r}: {inner} in {self.grounds}")
            if other := next((a for a in self.areas[:number] if a.rectangle.overlaps(inner)), None):
                raise ValueError(f"areas {other.name!r} and {area.name!r} overlap: {other.rectangle} and {inner}")
            if not inner.on_edge(*area.door):
                raise ValueError(f"door of {area.name!r} must lie on an edge of {inner}, got {area.door}")

    def _check_contents(self) -> None:
        areas = {area.name: area for area in self.areas}
        furniture_kinds = {kind.name: kind for kind in self.furniture_kinds}
        item_kinds = [kind.name for kind in self.item_kinds]
        pieces = {piece.name: piece for piece in self.furniture}
        for piece in self.furniture:
            _check_known(f"furniture {piece.name!r}", "kind", piece.kind, furniture_kinds)
            _check_known(f"furniture {piece.name!r}", "place", piece.place, areas)
            room = areas[piece.place].rectangle
            if not room.contains(*piece.position):
                raise ValueError(
                    f"furniture {piece.name!r} stands at {piece.position}, outside {piece.place!r}, which is {room}"
                )
        for item in self.items:
            _check_known(f"item {item.name!r}", "kind", item.kind, item_kinds)
            _check_known(f"item {item.name!r}", "furniture", item.on, pieces)
            if not furniture_kinds[pieces[item.on].kind].receptacle:
                kind = pieces[item.on].kind
                raise ValueError(f"item {item.name!r} lies on {item.on!r}, but a {kind} is no receptacle")
        for resident in self.residents:
            _check_known(f"resident {resident.name!r}", "home", resident.home, areas)


def _check_known(where: str, what: str, name: str, known: Iterable[str]) -> None:
    names = list(known)
    if name not in names:
        raise ValueError(f"{where}: unknown {what} {name!r}{did_you_mean(name, names) or f'; known are {names}'}")


def _check_number(where: str, value: float) -> None:
    if not (math.isfinite(value) and value >= 0):
        raise ValueError(f"{where} must be a finite number of metres >= 0, got {value!r}")
