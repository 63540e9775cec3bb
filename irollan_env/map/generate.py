"""Random maps of any size: a valley with any number of homes, or many towns joined by roads."""

from __future__ import annotations

import math
import tomllib
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import product
from pathlib import Path
from string import ascii_uppercase
from typing import Any

import numpy as np

from irollan_env.hints import check_integer
from irollan_env.map.building import DEPTH, Builder
from irollan_env.map.layout import GAP, HALL, HOME, LANE
from irollan_env.map.records import Inhabitant, Item
from irollan_env.map.toml_file import read_kinds
from irollan_env.map.valley_map import ValleyMap
from irollan_env.random_streams import make_generator

MOST_RESIDENTS = 10_000
RESIDENTS_PER_TOWN = 33
"""Number of residents per town, as in Project Sid (section 8.4 of its paper)."""

_KINDS = Path(__file__).parent / "data" / "towns.toml"
_COUNTRY = 60.0  # between towns, metres


def generate_valley(homes: int, *, seed: int | np.random.Generator = 0, names: Sequence[str] = ()) -> ValleyMap:
    """Generate a valley like the paper's with ``homes`` homes: one resident each, a canteen and a reading room.

    Everyone outside sees the doors of all homes, so an observation grows with the valley; ``generate_towns`` keeps it
    short.

    Args:
        homes: 1 to 10,000.
        seed: The seed of names, furniture and items.
        names: Names of residents, in place of drawn letters; the rest keep theirs.

    Raises:
        ValueError: for another number of homes, or names that cannot be had.
    """
    check_integer("homes", homes, 1, MOST_RESIDENTS)
    builder = _Builder(make_generator(seed), homes)
    builder.town(_kinds()["valley"], homes, (0.0, 0.0))
    return builder.map(f"valley of {homes}", columns=1).with_names(names)


def generate_towns(
    residents: int, *, towns: int | None = None, seed: int | np.random.Generator = 0, names: Sequence[str] = ()
) -> ValleyMap:
    """Generate towns joined by roads, each of its own kind, as in Project Sid: Sunny Glade, Woodhaven, ...

    The towns lie on a square grid, and each has a road to its neighbours. The first six have the names and kinds of
    Project Sid's; the kinds recur after that under other names. What a resident sees and can do depends on its town
    alone, whatever the number of towns.

    Args:
        residents: 1 to 10,000, each with a home of its own, shared out evenly.
        towns: The number of towns; one for each 33 residents when None.
        seed: The seed of names, furniture and items.
        names: Names of residents, in place of drawn letters; the rest keep theirs.

    Raises:
        ValueError: for invalid numbers, or names that cannot be had.
    """
    check_integer("residents", residents, 1, MOST_RESIDENTS)
    count = math.ceil(residents / RESIDENTS_PER_TOWN) if towns is None else towns
    town_names = _town_names()
    check_integer("towns", count, 1, min(residents, len(town_names)))
    builder = _Builder(make_generator(seed), residents)
    kinds: Sequence[Mapping[str, Any]] = _kinds()["towns"]
    columns = math.ceil(math.sqrt(count))
    largest = math.ceil(residents / count)
    pitch = LANE + (largest // 2 + 1) * (HOME[0] + GAP) + 2 * (HALL[0] + GAP) + _COUNTRY
    for number in range(count):
        share = (number + 1) * residents // count - number * residents // count
        corner = (number % columns * pitch, number // columns * (DEPTH + _COUNTRY))
        builder.town(_renamed(kinds[number % len(kinds)], town_names[number]), share, corner)
    return builder.map(f"{count} {'town' if count == 1 else 'towns'} of {residents}", columns).with_names(names)


class _Builder(Builder):
    """Collects the parts of towns, with random names and contents."""

    def __init__(self, generator: np.random.Generator, residents: int) -> None:
        super().__init__(*read_kinds(_kinds()))
        self._generator = generator
        letters = 2 if residents <= len(ascii_uppercase) ** 2 else 3
        every = ["".join(pair) for pair in product(ascii_uppercase, repeat=letters)]
        self._names = [every[n] for n in generator.permutation(len(every))[:residents].tolist()]

    def town(self, kind: Mapping[str, Any], homes: int, corner: tuple[float, float]) -> None:
        """Build two rows of houses that face each other across a street, with a lane at their western end."""
        self.begin_ground(kind["name"], corner)
        for _ in range(homes):
            self._home(kind, self._names.pop())
        for hall in kind["public"]:
            self.house(hall["name"], HALL)
            places = self.furnish(list(Counter(hall["furniture"]).elements()))
            for item in Counter(hall["items"]).elements():
                self.lay(item, self._any(places))
        self.end_ground()

    def _home(self, kind: Mapping[str, Any], name: str) -> None:
        self.house(f"{name}'s Home", HOME)
        self.residents.append(Inhabitant(name=name, home=f"{name}'s Home", display_name=name))
        extra = self._generator.choice(len(kind["home_furniture"]), size=2, replace=False)
        wanted = [*_kinds()["home"]["furniture"], *(kind["home_furniture"][n] for n in sorted(extra.tolist()))]
        places = self.furnish(wanted)
        for _ in range(int(self._generator.integers(1, 4))):
            self.lay(self._any(kind["home_items"]), self._any(places))
        wardrobe = next(place for place in places if place.startswith("wardrobe "))
        self.items.append(Item(name=f"{name}'s clothes 1", kind="clothes", on=wardrobe))

    def _any(self, names: Sequence[str]) -> str:
        return names[int(self._generator.integers(len(names)))]


def _renamed(kind: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """Return a town specification with another name, also in the names of its public places."""
    public = [{**hall, "name": hall["name"].replace(kind["name"], name)} for hall in kind["public"]]
    return {**kind, "name": name, "public": public}


def _town_names() -> list[str]:
    kinds = _kinds()
    made_up = (one + two for two, one in product(kinds["names"]["ends"], kinds["names"]["beginnings"]))
    return [*(town["name"] for town in kinds["towns"]), *made_up]


@cache
def _kinds() -> Mapping[str, Any]:
    return tomllib.loads(_KINDS.read_text(encoding="utf-8"))
