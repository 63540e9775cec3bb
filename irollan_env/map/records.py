"""Records that make up a map (section 5.1, figure 5, appendix A): plain data, not checked here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Rectangle:
    """An axis-aligned rectangle on the map, in metres: x to the east, y to the north."""

    west: float
    south: float
    east: float
    north: float

    def contains(self, x: float, y: float) -> bool:
        """Return whether a point lies inside or on an edge."""
        return self.west <= x <= self.east and self.south <= y <= self.north

    def on_edge(self, x: float, y: float) -> bool:
        """Return whether a point lies on an edge."""
        return self.contains(x, y) and (x in (self.west, self.east) or y in (self.south, self.north))

    def overlaps(self, other: Rectangle) -> bool:
        """Return whether two rectangles share more than an edge."""
        return (
            self.west < other.east and other.west < self.east and self.south < other.north and other.south < self.north
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class Ground:
    """An open place that joins the areas whose doors open on to it: the outside of the paper's valley, or a town.

    Attributes:
        name: ``"outside"``.
        rectangle: Its floor.
    """

    name: str
    rectangle: Rectangle


@dataclass(frozen=True, kw_only=True, slots=True)
class Road:
    """A connection between two grounds that takes one step in either direction.

    Attributes:
        ends: Names of the two grounds.
        gates: Position of each of its ends in metres, on an edge of that ground.
    """

    ends: tuple[str, str]
    gates: tuple[tuple[float, float], tuple[float, float]]


@dataclass(frozen=True, kw_only=True, slots=True)
class Area:
    """A walled place with one door to a ground.

    Attributes:
        name: ``"AY's Home"``, ``"Public Canteen"``.
        rectangle: The floor area.
        door: Position of its door in metres, on an edge of the rectangle.
        ground: The open place that the door opens on to, which holds the rectangle.
    """

    name: str
    rectangle: Rectangle
    door: tuple[float, float]
    ground: str = "outside"


@dataclass(frozen=True, kw_only=True, slots=True)
class FurnitureKind:
    """Properties that all furniture of one kind shares.

    Attributes:
        name: ``"sinkbasin"``.
        height: Height of its surface above the floor, in metres.
        receptacle: Whether things can be put in or on it.
        seat: Whether one person at a time sits or lies on it.
        adds: Statuses that using it gives to what lies on it.
        removes: Statuses that using it takes from what lies on it.
        closes: Whether using it opens and closes it; it is closed at the start. What is in it is seen, taken and put
            there while it is open.
        grows: Steps after which one thing that began on it and was used up lies on it again, for as long as another
            still does; 0 for never.
    """

    name: str
    height: float
    receptacle: bool = False
    seat: bool = False
    adds: tuple[str, ...] = ()
    removes: tuple[str, ...] = ()
    closes: bool = False
    grows: int = 0

    @property
    def usable(self) -> bool:
        """Whether residents can use it: to sit on, to change what lies on it, or to open and close it."""
        return self.seat or self.closes or bool(self.adds or self.removes)


@dataclass(frozen=True, kw_only=True, slots=True)
class Furniture:
    """A piece of furniture.

    Attributes:
        kind: One of the map's kinds of furniture.
        number: Counts its kind through the whole world, from 1.
        place: The area it stands in.
        position: Where, in metres.
    """

    kind: str
    number: int
    place: str
    position: tuple[float, float]

    @property
    def name(self) -> str:
        """The name, such as ``"table 13"``."""
        return f"{self.kind} {self.number}"


@dataclass(frozen=True, kw_only=True, slots=True)
class ItemKind:
    """Properties that all items of one kind share.

    Attributes:
        name: ``"food"``.
        usable: Whether one can use them in one's hands.
        adds: Statuses that using one gives it: ``("eaten",)``.
        once: Whether one that has these statuses can be used no more.
        heavy: Whether it takes two: who uses it lends a hand, without which nobody takes it or carries it elsewhere.
        spare: How many more items of the kind a mechanic can bring into the world; they are nowhere at the start.
    """

    name: str
    usable: bool = True
    adds: tuple[str, ...] = ()
    once: bool = False
    heavy: bool = False
    spare: int = 0


@dataclass(frozen=True, kw_only=True, slots=True)
class Item:
    """A portable item.

    Attributes:
        name: ``"book 3"``, ``"SG's clothes 1"``.
        kind: One of the map's kinds of items.
        on: The furniture it lies on at the start, or the resident who holds it.
    """

    name: str
    kind: str
    on: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Inhabitant:
    """A resident of the map.

    Attributes:
        name: As it stands in actions: ``"LL"``, ``"Dr. Li"``.
        home: The area that it lives in.
        display_name: What people who look at a run see it called; its name by default.
        pronouns: As it is spoken of: ``"she/her"``; they/them where empty.
        language: The language that it speaks; its mind is told one that is not English.
        absent: Whether it is not there at the beginning; a mechanic can let it arrive.
    """

    name: str
    home: str
    display_name: str = ""
    pronouns: str = ""
    language: str = "English"
    absent: bool = False

    def __post_init__(self) -> None:
        if not self.display_name:
            object.__setattr__(self, "display_name", self.name)


@dataclass(frozen=True, kw_only=True)
class MapRecords:
    """The immutable description and initial layout of a valley; ``ValleyMap`` adds the checks.

    Attributes:
        name: The map's name, which saved states record.
        eye_height: Metres above the floor.
        door_height: Metres above the floor.
        statuses: The possible statuses of items, in the order of the sentence.
        exclusive: Pairs of statuses that no item has at once.
        grounds: The open places; the paper's valley has one, the outside.
        roads: Between grounds, in the order in which they are seen.
        areas: In the order in which their doors are seen from their ground.
        furniture_kinds: In the order of the sentence.
        item_kinds: In the order of the sentence.
        furniture: All furniture.
        items: All items; those of one kind are named in this order.
        residents: All who live here, in the order in which they are asked for actions.
        setting: What residents are told that they live in: ``"a small valley"``.
        mechanics: Settings of the mechanics that hold here, by name, as the tables ``[mechanics.NAME]`` of a map file
            have them; ``irollan_env/world/mechanics`` has one module for each.
    """

    name: str
    eye_height: float
    door_height: float
    statuses: tuple[str, ...]
    exclusive: tuple[tuple[str, str], ...] = ()
    grounds: tuple[Ground, ...]
    roads: tuple[Road, ...] = ()
    areas: tuple[Area, ...] = field(repr=False)
    furniture_kinds: tuple[FurnitureKind, ...]
    item_kinds: tuple[ItemKind, ...]
    furniture: tuple[Furniture, ...] = field(repr=False)
    items: tuple[Item, ...] = field(repr=False)
    residents: tuple[Inhabitant, ...] = field(repr=False)
    setting: str = "a small valley"
    mechanics: Mapping[str, Mapping[str, Any]] = field(default_factory=dict, hash=False)
