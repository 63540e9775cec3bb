"""Random valleys: each seed gives another plan, names, furniture, items and homes.

Six residents, with the paper's designations, so that the agents of an environment are the same in every valley. No home
bears the name of who lives in it. Most things lie in furniture that is closed at the start.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from irollan_env.map.building import Builder
from irollan_env.map.layout import HALL, HOME
from irollan_env.map.records import FurnitureKind, Inhabitant, ItemKind
from irollan_env.map.valley_map import ValleyMap

LEVELS = (1, 2, 3)
"""Sizes of drawn valleys: one ground with 8 places, two with 9, three with 11."""

_KINDS = Path(__file__).parent / "data" / "drawn.toml"
_ROOMS = {1: 2, 2: 3, 3: 5}
_CLOSING_IN_HOME = {1: 1, 2: 2, 3: 2}
_FRUITS, _GROWS = 8, 6
_WARES, _FOODS = 7, 6
_COUNTRY = 40.0
_IN_THE_OPEN = 0.15


def draw_valley(
    generator: np.random.Generator, *, level: int = 1, unseen: bool = False, names: Sequence[str] = ()
) -> ValleyMap:
    """Draw a random valley for tasks.

    Args:
        generator: The only source of randomness.
        level: The valley's size, one of ``LEVELS``.
        unseen: Whether names, rooms, furniture and things come from the held-out lists.
        names: Names of residents, in place of the paper's; the rest keep theirs.

    Raises:
        ValueError: for another level, or names that cannot be had.
    """
    if level not in LEVELS:
        raise ValueError(f"level must be one of {LEVELS}, got {level!r}")
    return _Drawing(generator, level, unseen).valley().with_names(names)


class _Drawing:
    def __init__(self, generator: np.random.Generator, level: int, unseen: bool) -> None:
        self._generator, self._level = generator, level
        self._kinds = kinds = _kinds()["unseen" if unseen else "seen"]
        self._fruit = {store: entry["fruit"] for store, entry in kinds["stores"].items()}
        self._builder = Builder(_furniture_kinds(), _item_kinds())
        self._names = self._shuffled(kinds["names"]["all"])
        self._closed: list[str] = []
        self._open: list[str] = []

    def valley(self) -> ValleyMap:
        rooms, homes = _ROOMS[self._level], self._shuffled(ValleyMap.default().residents)
        halls = [self._any(self._kinds["rooms"]["halls"])]
        kinds = [*halls, *self._shuffled(self._kinds["rooms"]["others"])[: rooms - 1]]
        corner, builder = 0.0, self._builder
        residents: dict[str, Inhabitant] = {}
        for ground in range(self._level):
            builder.begin_ground(self._named(self._any(self._kinds["rooms"]["grounds"])), (corner, 0.0))
            last = self._level - 1 == ground
            here = [("", h) for h in homes[ground :: self._level]] + [(k, None) for k in kinds[ground :: self._level]]
            for kind, inhabitant in self._shuffled(here):
                if inhabitant is None:
                    self._room(kind, hall=kind == kinds[0], garden=last and kind == kinds[ground :: self._level][-1])
                else:
                    residents[inhabitant.name] = self._home(inhabitant)
            builder.end_ground()
            corner = builder.east + _COUNTRY
        builder.residents += [residents[r.name] for r in ValleyMap.default().residents]
        self._lay_things()
        return builder.map("drawn valley", columns=self._level)

    def _home(self, inhabitant: Inhabitant) -> Inhabitant:
        name = self._named(self._any(self._kinds["rooms"]["homes"]))
        self._builder.house(name, HOME)
        closing = [self._any(list(self._kinds["closing"])) for _ in range(_CLOSING_IN_HOME[self._level])]
        self._furnish(["table", "chair", "bed", *self._tools(0.3), *closing])
        return Inhabitant(name=inhabitant.name, home=name, display_name=inhabitant.display_name)

    def _room(self, kind: str, *, hall: bool, garden: bool) -> None:
        self._builder.house(self._named(kind), HALL)
        closing = [self._any(list(self._kinds["closing"])) for _ in range(3)]
        opening = self._shuffled(list(self._kinds["open"]))[:2]
        seats = ["table", *["chair"] * 6] if hall else ["table", "chair"]
        self._furnish([*seats, *opening, *self._tools(1.0), *closing])
        if garden:
            store = self._any(list(self._fruit))
            tree = self._builder.furnish([store])[0]
            for _ in range(_FRUITS):
                self._builder.lay(self._fruit[store], tree)

    def _tools(self, chance: float) -> list[str]:
        return [tool for tool in ("sinkbasin", "stoveburner") if self._generator.random() < chance]

    def _furnish(self, kinds: Sequence[str]) -> None:
        for piece in self._builder.furnish(self._shuffled(kinds)):
            kind = piece.rsplit(" ", 1)[0]
            if kind in self._kinds["closing"]:
                self._closed.append(piece)
            elif kind in self._kinds["open"]:
                self._open.append(piece)

    def _lay_things(self) -> None:
        """Place two items of each kind independently, most in closed furniture, and the heavy item in the open."""
        things = self._kinds["things"]
        wares, foods = self._shuffled(things["wares"])[:_WARES], self._shuffled(things["foods"])[:_FOODS]
        for kind in [*wares, *foods]:
            for _ in range(2):
                where = self._open if self._generator.random() < _IN_THE_OPEN else self._closed
                self._builder.lay(kind, self._any(where))
        self._builder.lay(self._any(things["heavy"]), self._any(self._open))

    def _named(self, kind: str) -> str:
        return f"{self._names.pop()} {kind}"

    def _any(self, choices: Sequence[Any]) -> Any:
        return choices[int(self._generator.integers(len(choices)))]

    def _shuffled(self, choices: Sequence[Any]) -> list[Any]:
        return [choices[number] for number in self._generator.permutation(len(choices)).tolist()]


@cache
def _kinds() -> Mapping[str, Any]:
    return tomllib.loads(_KINDS.read_text(encoding="utf-8"))


@cache
def _furniture_kinds() -> tuple[FurnitureKind, ...]:
    """Return the kinds of both the seen and the unseen list, so that every valley names them in one order."""
    found = []
    for part in ("seen", "unseen"):
        kinds = _kinds()[part]
        for name, entry in {**kinds["closing"], **kinds["open"]}.items():
            found.append(FurnitureKind(name=name, **entry))
        found += [FurnitureKind(name=name, height=1.0, receptacle=True, grows=_GROWS) for name in kinds["stores"]]
    return tuple(found)


@cache
def _item_kinds() -> tuple[ItemKind, ...]:
    found: list[ItemKind] = []
    for part in ("seen", "unseen"):
        things, fruits = _kinds()[part]["things"], [entry["fruit"] for entry in _kinds()[part]["stores"].values()]
        found += [ItemKind(name=name) for name in things["wares"]]
        found += [ItemKind(name=name, adds=("eaten",), once=True) for name in (*things["foods"], *fruits)]
        found += [ItemKind(name=name, usable=False, heavy=True) for name in things["heavy"]]
    return tuple(found)
