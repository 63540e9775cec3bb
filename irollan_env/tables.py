"""A map compiled to integers and ready-made text.

Places, furniture, items and residents become small integers, in the order in which the sentence names them, so that
the state of the world is lists of integers and comparing integers is comparing places in the sentence. Text that does
not depend on the state is written here once.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from irollan_env.geometry import Pose, Spherical, beside, spherical, through_door
from irollan_env.observation import Percept, PerceptKind
from irollan_env.valley_map import Rectangle, ValleyMap

OUTSIDE = 0
"""The number of the outside among the places; the areas follow in the map's order."""

_SIDESTEP = 0.15
_MOST_VIEWS = 4096


class View(NamedTuple):
    """The doors and the furniture of a place around an observer, and the coordinates of each piece by its number."""

    fixtures: tuple[Percept, ...]
    pieces: dict[int, Spherical]


class Tables:
    """What the world, the primitives and the narration look up; built once a map, and never changed.

    Attributes:
        residents, places, furniture, items: Names, by number.
        resident_number, place_number, furniture_number, item_number: Numbers, by name.
        doors: For each place, the places behind its doors.
        furniture_in: For each place, its furniture.
        place_of_furniture: For each piece, where it stands.
        receptacle, seat, usable: For each piece, what it is good for.
        adds, removes: For each piece, bit sets of the statuses that using it gives and takes.
        entry, exit: For each area, where each resident stands who has just gone in or out.
        beside: For each piece, where each resident stands that has walked to it.
        scenery: For each place, doors and furniture as the sentence names them.
        status_names, status_phrase: For each set of statuses, their names and ``" in the clean damp status"``.
    """

    def __init__(self, valley_map: ValleyMap) -> None:
        self.map = valley_map
        self.map_name = valley_map.name
        self._compile_places(valley_map)
        self._compile_furniture(valley_map)
        self._compile_items(valley_map)
        self._compile_statuses(valley_map)
        self._compile_poses()
        self._compile_text()
        self._views: dict[tuple[int, Pose], View] = {}
        self._puts: dict[tuple[int, int], tuple[str, ...]] = {}

    def _compile_places(self, valley_map: ValleyMap) -> None:
        self.residents = tuple(resident.name for resident in valley_map.residents)
        self.resident_number = _numbers(self.residents)
        self.places = (valley_map.outside, *(area.name for area in valley_map.areas))
        self.place_number = _numbers(self.places)
        self.home = tuple(self.place_number[resident.home] for resident in valley_map.residents)
        self.rectangles: tuple[Rectangle, ...] = (valley_map.grounds, *(area.rectangle for area in valley_map.areas))
        self.doors: tuple[tuple[int, ...], ...] = (
            tuple(range(1, len(self.places))),
            *((OUTSIDE,) for _ in valley_map.areas),
        )
        self.door_position = ((0.0, 0.0), *(area.door for area in valley_map.areas))

    def _compile_furniture(self, valley_map: ValleyMap) -> None:
        order = _numbers(kind.name for kind in valley_map.furniture_kinds)
        pieces = sorted(valley_map.furniture, key=lambda piece: (order[piece.kind], piece.number))
        kinds = {kind.name: kind for kind in valley_map.furniture_kinds}
        self.furniture = tuple(piece.name for piece in pieces)
        self.furniture_number = _numbers(self.furniture)
        self.place_of_furniture = tuple(self.place_number[piece.place] for piece in pieces)
        self.furniture_in = tuple(
            tuple(f for f, where in enumerate(self.place_of_furniture) if where == place)
            for place in range(len(self.places))
        )
        self.furniture_position = tuple(piece.position for piece in pieces)
        self.height = tuple(kinds[piece.kind].height for piece in pieces)
        self.receptacle = tuple(kinds[piece.kind].receptacle for piece in pieces)
        self.seat = tuple(kinds[piece.kind].seat for piece in pieces)
        self.usable = tuple(kinds[piece.kind].usable for piece in pieces)
        bits = {status: 1 << n for n, status in enumerate(valley_map.statuses)}
        self.adds = tuple(sum(bits[status] for status in set(kinds[piece.kind].adds)) for piece in pieces)
        self.removes = tuple(sum(bits[status] for status in set(kinds[piece.kind].removes)) for piece in pieces)

    def _compile_items(self, valley_map: ValleyMap) -> None:
        order = _numbers(kind.name for kind in valley_map.item_kinds)
        usable = {kind.name: kind.usable for kind in valley_map.item_kinds}
        items = sorted(valley_map.items, key=lambda item: order[item.kind])
        self.items = tuple(item.name for item in items)
        self.item_number = _numbers(self.items)
        self.item_usable = tuple(usable[item.kind] for item in items)
        self.item_start = tuple(self.furniture_number[item.on] for item in items)

    def _compile_statuses(self, valley_map: ValleyMap) -> None:
        statuses = valley_map.statuses
        self.status_bit = {status: 1 << n for n, status in enumerate(statuses)}
        self.exclusive = tuple(self.status_bit[one] | self.status_bit[other] for one, other in valley_map.exclusive)
        self.status_names = tuple(
            tuple(status for n, status in enumerate(statuses) if mask >> n & 1) for mask in range(1 << len(statuses))
        )
        self.status_phrase = tuple(f" in the {' '.join(names)} status" if names else "" for names in self.status_names)

    def _compile_poses(self) -> None:
        count, grounds = len(self.residents), self.rectangles[OUTSIDE]
        sides = [(resident - (count - 1) / 2) * min(_SIDESTEP, 1.0 / count) for resident in range(count)]
        walls = tuple(zip(self.door_position[1:], self.rectangles[1:], strict=True))
        nowhere: tuple[Pose, ...] = ()
        self.entry = (
            nowhere,
            *(tuple(through_door(door, house, False, house, side) for side in sides) for door, house in walls),
        )
        self.exit = (
            nowhere,
            *(tuple(through_door(door, house, True, grounds, side) for side in sides) for door, house in walls),
        )
        self.beside = tuple(
            tuple(beside(position, self.rectangles[place], side) for side in sides)
            for position, place in zip(self.furniture_position, self.place_of_furniture, strict=True)
        )

    def _compile_text(self) -> None:
        self.door_names = tuple(tuple(f"door to {self.places[p]}" for p in doors) for doors in self.doors)
        self.scenery = tuple(
            tuple(f"a {name}" for name in self.door_names[place])
            + tuple(f"the {self.furniture[f]}" for f in self.furniture_in[place])
            for place in range(len(self.places))
        )
        self.go_to = tuple(tuple(f"go to {self.places[p]}" for p in doors) for doors in self.doors)
        self.leave_place = tuple(f"leave {name}" for name in self.places)
        self.leave_person = tuple(f"leave {name}" for name in self.residents)
        self.leave_furniture = tuple(f"leave {name}" for name in self.furniture)
        self.chat_with = tuple(f"chat with {name}: ..." for name in self.residents)
        self.use_furniture = tuple(f"use {name}" for name in self.furniture)
        self.use_item = tuple(f"use {name}" for name in self.items)
        self.usable_in = tuple(tuple(f for f in pieces if self.usable[f]) for pieces in self.furniture_in)
        self.hand_to = tuple(tuple(f"put {item} in/on {name}" for name in self.residents) for item in self.items)

    def puts(self, item: int, place: int) -> tuple[str, ...]:
        """Every way to put an item on the furniture of a place, as actions."""
        key = (item, place)
        if (texts := self._puts.get(key)) is None:
            prefix = f"put {self.items[item]} in/on "
            texts = tuple(prefix + self.furniture[f] for f in self.furniture_in[place] if self.receptacle[f])
            self._puts[key] = texts
        return texts

    def view(self, place: int, pose: Pose) -> View:
        """What of a place never moves, as somebody there sees it; remembered, as poses recur."""
        key = (place, pose)
        if (view := self._views.get(key)) is None:
            if len(self._views) >= _MOST_VIEWS:
                self._views.clear()
            eyes = self.map.eye_height
            doors = [
                spherical(pose, *self.door_position[place if door == OUTSIDE else door], self.map.door_height - eyes)
                for door in self.doors[place]
            ]
            pieces = {
                f: spherical(pose, *self.furniture_position[f], self.height[f] - eyes) for f in self.furniture_in[place]
            }
            fixtures = (
                *(_fixture(name, at, "door") for name, at in zip(self.door_names[place], doors, strict=True)),
                *(_fixture(self.furniture[f], at, "furniture") for f, at in pieces.items()),
            )
            self._views[key] = view = View(fixtures, pieces)
        return view


def _fixture(name: str, at: Spherical, kind: PerceptKind) -> Percept:
    return Percept(name=name, kind=kind, theta=at.theta, phi=at.phi, gamma=at.gamma)


def _numbers(names: Iterable[str]) -> dict[str, int]:
    return {name: number for number, name in enumerate(names)}
