"""A map compiled to integers and precomputed text.

Places, furniture, items and residents become small integers, in the order in which the sentence names them, so that
the state of the world is lists of integers and comparing integers is comparing places in the sentence. Text that does
not depend on the state is written here once.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import count, islice
from typing import TYPE_CHECKING, NamedTuple

from irollan_env.actions import SILENCE, Action
from irollan_env.map.geometry import Pose, Spherical, beside, spherical, through_door
from irollan_env.map.records import Item, MapRecords, Rectangle

if TYPE_CHECKING:
    from irollan_env.map.catalogue import Catalogue

NOWHERE = -1
"""The exit of a ground, which has none: it is left by going to another place."""

ABSENT = -(1 << 40)
"""Where an item is that is not in the world; below every resident's ``~number``."""

_SIDESTEP = 0.15
# Cache sizes for values that are costly to compute; a map of thousands of residents exceeds them.
_MOST_POSES = _MOST_TEXTS = 65536


class View(NamedTuple):
    """Coordinates, around an observer, of a place's doors (ordered as ``door_names``) and furniture."""

    doors: tuple[Spherical, ...]
    furniture: dict[int, Spherical]


class Tables:
    """Lookup tables for the world, the primitives and the narration; built once per map and immutable.

    Attributes:
        residents, furniture, items: Names, by number.
        resident_number, place_number, furniture_number, item_number: Numbers, by name.
        absent: For each resident, whether it is not there at the beginning.
        places: The grounds, then the areas, in the map's order.
        doors: For each place, the places behind its doors and at the end of its roads; for a ground, the roads first.
        way_out: For each area, the ground its door opens on to; ``NOWHERE`` for a ground.
        furniture_in: For each place, its furniture.
        place_of_furniture: For each piece, where it stands.
        receptacle, seat, usable: For each piece, what it is good for.
        closes: For each piece, whether using it opens and closes it.
        closing: For each place, whether something there does.
        growing: Furniture on which things grow again, with the steps that it takes.
        adds, removes: For each piece, bit sets of the statuses that using it gives and takes.
        item_usable: For each item, whether it can be used in one's hands.
        item_adds, item_spent: For each item, bit sets of the statuses that using it gives it, and of those with which
            it can be used no more, 0 where it always can.
        item_start: For each item, the furniture it lies on at first, or ``~resident`` for the resident who holds it;
            ``ABSENT`` for spare ones.
        items_of: For each kind of item, its items, spare ones last.
        kind_of: The kind of each item and piece of furniture, by its name.
        heavy, any_heavy: For each item, whether it takes two; whether one of them does.
        ways: For each place, every way to leave it, as actions.
        scenery: For each place, doors, roads and furniture as the sentence names them, separated by commas.
        bare: For each place, the same as it ends a sentence when nothing lies there.
        catalogue: The numbered actions, once they were asked for.
        status_names, status_phrase: For each set of statuses, their names and ``" in the clean damp status"``.
    """

    def __init__(self, records: MapRecords) -> None:
        self.map = records
        self.map_name = records.name
        self._compile_places(records)
        self._compile_furniture(records)
        self._compile_items(records)
        self._compile_statuses(records)
        self._compile_text()
        self.catalogues: dict[tuple[type, ...], Catalogue] = {}
        self._puts: dict[tuple[int, int], tuple[Action, ...]] = {}
        self._beside: dict[tuple[int, int], Pose] = {}
        self._arrivals: dict[tuple[int, int, int], Pose] = {}

    def _compile_places(self, records: MapRecords) -> None:
        self.residents = tuple(resident.name for resident in records.residents)
        self.resident_number = _numbers(self.residents)
        self.absent = tuple(resident.absent for resident in records.residents)
        grounds, areas = records.grounds, records.areas
        self.places = (*(ground.name for ground in grounds), *(area.name for area in areas))
        self.place_number = _numbers(self.places)
        self.home = tuple(self.place_number[resident.home] for resident in records.residents)
        self.rectangles: tuple[Rectangle, ...] = (*(g.rectangle for g in grounds), *(a.rectangle for a in areas))
        self.way_out = (*(NOWHERE for _ in grounds), *(self.place_number[area.ground] for area in areas))
        doors: list[list[int]] = [[] for _ in self.places]
        gates: list[list[tuple[float, float]]] = [[] for _ in self.places]
        for road in records.roads:
            one, other = (self.place_number[end] for end in road.ends)
            for here, there, gate in ((one, other, road.gates[0]), (other, one, road.gates[1])):
                doors[here].append(there)
                gates[here].append(gate)
        for number, area in enumerate(areas, start=len(grounds)):
            for here, there in ((number, self.way_out[number]), (self.way_out[number], number)):
                doors[here].append(there)
                gates[here].append(area.door)
        self.doors = tuple(map(tuple, doors))
        self._gates = tuple(map(tuple, gates))

    def _compile_furniture(self, records: MapRecords) -> None:
        order = _numbers(kind.name for kind in records.furniture_kinds)
        pieces = sorted(records.furniture, key=lambda piece: (order[piece.kind], piece.number))
        kinds = {kind.name: kind for kind in records.furniture_kinds}
        self.furniture = tuple(piece.name for piece in pieces)
        self.furniture_number = _numbers(self.furniture)
        self.place_of_furniture = tuple(self.place_number[piece.place] for piece in pieces)
        furniture_in: list[list[int]] = [[] for _ in self.places]
        for furniture, place in enumerate(self.place_of_furniture):
            furniture_in[place].append(furniture)
        self.furniture_in = tuple(map(tuple, furniture_in))
        self.furniture_position = tuple(piece.position for piece in pieces)
        self.height = tuple(kinds[piece.kind].height for piece in pieces)
        self.receptacle = tuple(kinds[piece.kind].receptacle for piece in pieces)
        self.seat = tuple(kinds[piece.kind].seat for piece in pieces)
        self.usable = tuple(kinds[piece.kind].usable for piece in pieces)
        self.closes = tuple(kinds[piece.kind].closes for piece in pieces)
        self.closing = tuple(any(self.closes[f] for f in here) for here in self.furniture_in)
        self.growing = tuple((f, kinds[piece.kind].grows) for f, piece in enumerate(pieces) if kinds[piece.kind].grows)
        bits = {status: 1 << n for n, status in enumerate(records.statuses)}
        self.adds = tuple(sum(bits[status] for status in set(kinds[piece.kind].adds)) for piece in pieces)
        self.removes = tuple(sum(bits[status] for status in set(kinds[piece.kind].removes)) for piece in pieces)

    def _compile_items(self, records: MapRecords) -> None:
        order = _numbers(kind.name for kind in records.item_kinds)
        kinds = {kind.name: kind for kind in records.item_kinds}
        items = sorted([*records.items, *_spare_items(records)], key=lambda item: order[item.kind])
        self.items = tuple(item.name for item in items)
        self.item_number = _numbers(self.items)
        self.items_of = {kind: tuple(n for n, item in enumerate(items) if item.kind == kind) for kind in kinds}
        self.kind_of = {piece.name: piece.kind for piece in records.furniture}
        self.kind_of |= {item.name: item.kind for item in items}
        self.heavy = tuple(kinds[item.kind].heavy for item in items)
        self.any_heavy = any(self.heavy)
        self.item_usable = tuple(kinds[item.kind].usable for item in items)
        bits = {status: 1 << n for n, status in enumerate(records.statuses)}
        self.item_adds = tuple(sum(bits[status] for status in set(kinds[item.kind].adds)) for item in items)
        self.item_spent = tuple(
            adds if kinds[item.kind].once else 0 for item, adds in zip(items, self.item_adds, strict=True)
        )
        holders = {name: ~number for number, name in enumerate(self.residents)}
        starts = {"": ABSENT, **self.furniture_number, **holders}
        self.item_start = tuple(starts[item.on] for item in items)

    def _compile_statuses(self, records: MapRecords) -> None:
        statuses = records.statuses
        self.status_bit = {status: 1 << n for n, status in enumerate(statuses)}
        self.exclusive = tuple(self.status_bit[one] | self.status_bit[other] for one, other in records.exclusive)
        self.status_names = tuple(
            tuple(status for n, status in enumerate(statuses) if mask >> n & 1) for mask in range(1 << len(statuses))
        )
        self.status_phrase = tuple(f" in the {' '.join(names)} status" if names else "" for names in self.status_names)

    def _compile_text(self) -> None:
        self.door_names = tuple(
            tuple(f"{self._kind_of_way(place, there)} to {self.places[there]}" for there in doors)
            for place, doors in enumerate(self.doors)
        )
        scenery = [
            [f"a {name}" for name in names] + [f"the {self.furniture[f]}" for f in pieces]
            for names, pieces in zip(self.door_names, self.furniture_in, strict=True)
        ]
        self.scenery = tuple(", ".join(seen) for seen in scenery)
        self.bare = tuple(", ".join([*seen[:-1], f"and {seen[-1]}"]) if len(seen) > 1 else seen[0] for seen in scenery)
        self.only_a_door = tuple(len(seen) == 1 for seen in scenery)
        self.ways = tuple(
            tuple(Action(f"go to {self.places[there]}") for there in doors)
            + (() if self.way_out[place] == NOWHERE else (Action(f"leave {self.places[place]}"),))
            for place, doors in enumerate(self.doors)
        )
        self.leave_person = tuple(Action(f"leave {name}") for name in self.residents)
        self.leave_furniture = tuple(Action(f"leave {name}") for name in self.furniture)
        self.chat_with = tuple(Action(f"chat with {name}: {SILENCE}") for name in self.residents)
        self.use_furniture = tuple(Action(f"use {name}") for name in self.furniture)
        self.use_item = tuple(Action(f"use {name}") for name in self.items)
        self.usable_in = tuple(tuple(f for f in pieces if self.usable[f]) for pieces in self.furniture_in)

    def _kind_of_way(self, here: int, there: int) -> str:
        return "road" if self.way_out[here] == self.way_out[there] == NOWHERE else "door"

    def beside(self, furniture: int, resident: int) -> Pose:
        """Return a resident's pose after it has walked to a piece of furniture.

        Args:
            furniture: Its number.
            resident: Its number, by which it stands a little to the side.
        """
        key = (furniture, resident)
        if (pose := self._beside.get(key)) is None:
            if len(self._beside) >= _MOST_POSES:
                self._beside.clear()
            room = self.rectangles[self.place_of_furniture[furniture]]
            pose = beside(self.furniture_position[furniture], room, self._side(resident))
            self._beside[key] = pose
        return pose

    def arrival(self, here: int, there: int, resident: int) -> Pose:
        """Return a resident's pose after it has gone from one place to another, through a door or along a road.

        Args:
            here: The number of the place that it left.
            there: The number of the place in which it arrives.
            resident: Its number.
        """
        key = (here, there, resident)
        if (pose := self._arrivals.get(key)) is None:
            if len(self._arrivals) >= _MOST_POSES:
                self._arrivals.clear()
            outwards = self.way_out[here] == there
            house = here if outwards else there
            gate = self._gates[there][self.doors[there].index(here)]
            room = self.rectangles[there]
            pose = through_door(gate, self.rectangles[house], outwards, room, self._side(resident))
            self._arrivals[key] = pose
        return pose

    def _side(self, resident: int) -> float:
        """Return a sideways offset in metres, different for each resident, so that no two stand in one spot."""
        count = len(self.residents)
        return (resident - (count - 1) / 2) * min(_SIDESTEP, 1.0 / count)

    def put(self, item: int, target: str) -> Action:
        """Return the action that puts an item on furniture, or hands it to a resident."""
        return Action(f"put {self.items[item]} in/on {target}")

    def puts(self, item: int, place: int) -> tuple[Action, ...]:
        """Return all actions that put an item on the furniture of a place."""
        key = (item, place)
        if (texts := self._puts.get(key)) is None:
            if len(self._puts) >= _MOST_TEXTS:
                self._puts.clear()
            pieces = (self.furniture[f] for f in self.furniture_in[place] if self.receptacle[f])
            texts = tuple(self.put(item, name) for name in pieces)
            self._puts[key] = texts
        return texts

    def view(self, place: int, pose: Pose) -> View:
        """Return the coordinates of a place's doors and furniture, as seen from a pose."""
        eyes = self.map.eye_height
        return View(
            tuple(spherical(pose, *gate, self.map.door_height - eyes) for gate in self._gates[place]),
            {f: spherical(pose, *self.furniture_position[f], self.height[f] - eyes) for f in self.furniture_in[place]},
        )


def _spare_items(records: MapRecords) -> Iterable[Item]:
    """Yield the items that are not in the world at first, numbered on from those of their kind."""
    taken = {item.name for item in records.items}
    for kind in records.item_kinds:
        names = (name for number in count(1) if (name := f"{kind.name} {number}") not in taken)
        yield from (Item(name=name, kind=kind.name, on="") for name in islice(names, kind.spare))


def _numbers(names: Iterable[str]) -> dict[str, int]:
    return {name: number for number, name in enumerate(names)}
