"""What the mechanics of a map name and what can never matter there, which may be a mistake."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from irollan_env.map.valley_map import ValleyMap
from irollan_env.map.warnings import reachable
from irollan_env.world.mechanics.registry import make_mechanics
from irollan_env.world.mechanics.settings import SettledMechanic


def doubts_of(valley_map: ValleyMap) -> Iterator[str]:
    """Yield what can never matter, a line each: things that nobody can reach, and limits that are never met.

    Raises:
        ValueError: for settings that do not fit the map.
    """
    there = _There(valley_map)
    for mechanic in make_mechanics(valley_map):
        if isinstance(mechanic, SettledMechanic) and (doubts := _DOUBTS.get(mechanic.name)) is not None:
            for key, doubt in doubts(mechanic.settings, there):
                yield f"mechanics.{mechanic.name}.{key}: {doubt}"


class _There:
    """What is on a map and within somebody's reach."""

    def __init__(self, valley_map: ValleyMap) -> None:
        tables = valley_map.tables
        homes = [tables.place_number[one.home] for one in valley_map.residents]
        self.places = {tables.places[number] for number in reachable(tables, homes)}
        self.place_of = {piece.name: piece.place for piece in valley_map.furniture}
        self.kinds = {piece.kind for piece in valley_map.furniture if piece.place in self.places}
        self.residents = len(valley_map.residents)
        number = Counter(item.kind for item in valley_map.items)
        self.possible = {one.name: number[one.name] + one.spare for one in valley_map.item_kinds}
        self.own = {(item.on, item.kind) for item in valley_map.items}

    def furniture(self, key: str, name: str) -> Iterator[tuple[str, str]]:
        """Say whether nobody can come to a piece of furniture."""
        place = self.place_of.get(name, "")
        if place and place not in self.places:
            yield key, f"nobody can reach {place}, where the {name} is"

    def kind(self, key: str, name: str) -> Iterator[tuple[str, str]]:
        """Say whether there is nothing of a kind of furniture, or of item, that somebody can reach."""
        if name not in self.kinds and not self.possible.get(name):
            yield key, f"there is no {name} that anybody can reach"


def _trade(settings: Any, there: _There) -> Iterator[tuple[str, str]]:
    money, coins = settings.money, there.possible.get(settings.money, 0)
    if settings.shelves and not coins:
        yield "money", f"there is no {money} on the map, so that nothing is ever bought"
    for name, shelf in settings.shelves.items():
        yield from there.furniture(f"shelves.{name}", name)
        yield from there.furniture(f"shelves.{name}.till", shelf.till)
        for kind, price in shelf.prices.items():
            if not there.possible.get(kind):
                yield f"shelves.{name}.prices.{kind}", f"there is no {kind} on the map"
            elif coins and price > coins:
                yield f"shelves.{name}.prices.{kind}", f"{price} is more than the {coins} {money} that there are"
    for name, wage in settings.wages.items():
        yield from there.furniture(f"wages.{name}", name)
        if wage.work:
            yield from there.kind(f"wages.{name}.work", wage.work)
        if (name, money) not in there.own:
            yield f"wages.{name}", f"no {money} lies there at the beginning to be paid"


def _votes(settings: Any, there: _There) -> Iterator[tuple[str, str]]:
    for key, found in (("boxes", settings.boxes), ("sheets", settings.sheets)):
        for name in found:
            yield from there.furniture(f"{key}.{name}", name)


def _notices(settings: Any, there: _There) -> Iterator[tuple[str, str]]:
    for key, found in (("boards", settings.boards), ("texts", settings.texts)):
        for name in found:
            yield from there.furniture(f"{key}.{name}", name)


def _access(settings: Any, there: _There) -> Iterator[tuple[str, str]]:
    things = sum(there.possible.values())
    for key, found in (("locks", settings.locks), ("owners", settings.owners)):
        for name in found:
            yield from there.furniture(f"{key}.{name}", name)
    for name, most in settings.room.items():
        if name in there.place_of:
            yield from there.furniture(f"room.{name}", name)
        else:
            yield from there.kind(f"room.{name}", name)
        if most >= things:
            yield f"room.{name}", f"{most} is never reached, as there are {things} things"
    for name, most in settings.places.items():
        if name not in there.places:
            yield f"places.{name}", f"nobody can reach {name}"
        elif most >= there.residents:
            yield f"places.{name}", f"{most} is never exceeded, as {there.residents} live here"
    if settings.hands >= things > 0:
        yield "hands", f"{settings.hands} is never exceeded, as there are {things} things"
    for name in settings.one_user:
        yield from there.kind("one_user", name)


def _recipes(settings: Any, there: _There) -> Iterator[tuple[str, str]]:
    for name, recipe in settings.items():
        yield from there.kind(f"{name}.at", recipe.at)
        if recipe.tool:
            yield from there.kind(f"{name}.tool", recipe.tool)
        yield from _too_many(f"{name}.takes", recipe.takes, there)


def _too_many(key: str, kinds: Mapping[str, int], there: _There) -> Iterator[tuple[str, str]]:
    for kind, number in kinds.items():
        if number > there.possible.get(kind, 0):
            yield (
                f"{key}.{kind}",
                f"{number} are never there at once, as there are {there.possible.get(kind, 0)} {kind}",
            )


def _growth(settings: Any, there: _There) -> Iterator[tuple[str, str]]:
    for name, crop in settings.items():
        if crop.on in there.place_of:
            yield from there.furniture(f"{name}.on", crop.on)
        else:
            yield from there.kind(f"{name}.on", crop.on)
        if crop.most > (most := there.possible.get(crop.kind, 0)):
            yield f"{name}.most", f"{crop.most} never lie there, as there are {most} {crop.kind}"


def _needs(settings: Any, there: _There) -> Iterator[tuple[str, str]]:
    for name, need in settings.items():
        for key, kinds in (("eased_by", need.eased_by), ("eased_on", need.eased_on)):
            for kind in kinds:
                yield from there.kind(f"{name}.{key}.{kind}", kind)
        for place in need.eased_in:
            if place not in there.places:
                yield f"{name}.eased_in.{place}", f"nobody can reach {place}"


def _calendar(settings: Any, there: _There) -> Iterator[tuple[str, str]]:
    for key in ("hours", "closed_on", "lit"):
        for place in getattr(settings, key):
            if place not in there.places:
                yield f"{key}.{place}", f"nobody can reach {place}"
    for name in settings.needs_light:
        yield from there.kind("needs_light", name)


_DOUBTS = {
    "trade": _trade,
    "votes": _votes,
    "notices": _notices,
    "access": _access,
    "recipes": _recipes,
    "growth": _growth,
    "needs": _needs,
    "calendar": _calendar,
}
