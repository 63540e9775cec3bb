"""Access: locks and keys, owners, and how much furniture, hands and places hold."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from typing import TYPE_CHECKING

from pydantic import Field
from pydantic.dataclasses import dataclass

from irollan_env.actions import Action, Primitive
from irollan_env.map.valley_map import ValleyMap
from irollan_env.naming import listed
from irollan_env.world.mechanics.settings import CLOSED, Positive, SettledMechanic, check_name

if TYPE_CHECKING:
    from irollan_env.world.world import World


@dataclass(frozen=True, kw_only=True, config=CLOSED)
class AccessSettings:
    """Settings of the mechanic ``access``.

    Attributes:
        locks: Furniture or place -> the item that is its key, which whoever opens it, takes from it, puts into it or
            enters has to hold.
        owners: Furniture -> the residents who alone take from it.
        room: Furniture, or kind of furniture -> how many things it holds at most.
        places: Place -> how many residents it holds at most.
        hands: How many things a resident holds at most; 0 for any number.
        one_user: Kinds of furniture that one resident at a time uses.
    """

    locks: Mapping[str, str] = field(default_factory=dict)
    owners: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    room: Mapping[str, Positive] = field(default_factory=dict)
    places: Mapping[str, Positive] = field(default_factory=dict)
    hands: int = Field(default=0, ge=0)
    one_user: tuple[str, ...] = ()


class Access(SettledMechanic[AccessSettings]):
    """Refuses what is locked, another's, full, or in use."""

    name = "access"
    kind = AccessSettings

    def check(self, valley_map: ValleyMap) -> None:
        """Check that all names are those of the map."""
        tables, settings, where = valley_map.tables, self.settings, "mechanics.access"
        kinds = [one.name for one in valley_map.furniture_kinds]
        for name, key in settings.locks.items():
            check_name(f"{where}.locks", "furniture or place", name, [*tables.furniture_number, *tables.place_number])
            check_name(f"{where}.locks.{name}", "item", key, tables.item_number)
            self._check_key(valley_map, f"{where}.locks.{name}", name, key)
        for name, owners in settings.owners.items():
            check_name(f"{where}.owners", "furniture", name, tables.furniture_number)
            for owner in owners:
                check_name(f"{where}.owners.{name}", "resident", owner, tables.resident_number)
        for name in settings.room:
            check_name(f"{where}.room", "furniture or kind of furniture", name, [*tables.furniture_number, *kinds])
        for name in settings.places:
            check_name(f"{where}.places", "place", name, tables.place_number)
        for name in settings.one_user:
            check_name(f"{where}.one_user", "kind of furniture", name, kinds)

    @staticmethod
    def _check_key(valley_map: ValleyMap, where: str, name: str, key: str) -> None:
        """Check that a key does not lie behind its own lock."""
        tables = valley_map.tables
        start = tables.item_start[tables.item_number[key]]
        on = tables.furniture[start] if start >= 0 else None
        place = tables.places[tables.place_of_furniture[start]] if start >= 0 else None
        lives = any(resident.home == name for resident in valley_map.residents)
        if name == on or (name == place and not lives):
            raise ValueError(f"{where}: the {key} lies in {name!r}, which nobody can open; lay it somewhere else")

    def refuse(self, world: World, resident: str, action: Action) -> str | None:
        """Say why something is out of reach: locked, another's, full, or in use."""
        settings, target = self.settings, action.target
        match action.primitive:
            case Primitive.LEAVE if target in world.map.tables.place_number:
                return self.refuse(world, resident, Action(f"go to {world.doors_of(target)[0]}"))
            case Primitive.GO_TO:
                helpers = world.helpers_of(resident)
                most = settings.places.get(target)
                if most is not None and len(world.people_in(target)) + len(helpers) >= most:
                    with_them = f", and {listed(helpers)} would come along" if helpers else ""
                    return f"{target} is full: {most} can be there at once{with_them}."
                return self._locked(world, resident, target) or self._locked_to(world, helpers, target)
            case Primitive.TAKE:
                if settings.hands and len(world.holding(resident)) >= settings.hands:
                    return f"Your hands are full: you can hold {settings.hands} things."
                owners = settings.owners.get(target)
                if owners is not None and resident not in owners:
                    return f"What is in/on the {target} belongs to {listed(owners)}."
                return self._locked(world, resident, target)
            case Primitive.PUT if action.partner is not None:
                if settings.hands and len(world.holding(target)) >= settings.hands:
                    return f"{target} cannot hold more: {settings.hands} things at most."
            case Primitive.PUT:
                most = self._room(target)
                if most is not None and len(world.contents(target)) >= most:
                    return f"The {target} is full: it holds {most} things."
                return self._locked(world, resident, target)
            case Primitive.USE:
                if self.kind_of(target) in settings.one_user and (user := self._user(world, resident, target)):
                    return f"{user} is using the {target}."
                return self._locked(world, resident, target)
            case _:
                pass
        return None

    def observe(self, world: World, resident: str) -> Iterable[str]:
        """Say what is locked in the resident's place, and which places behind its doors are."""
        here = world.place_of(resident)
        near = [f"the {one}" for one in world.furniture_in(here) if one in self.settings.locks]
        near += [place for place in world.doors_of(here) if place in self.settings.locks]
        if near:
            yield f"Under lock and key: {listed(near)}."

    def _locked(self, world: World, resident: str, name: str) -> str | None:
        key = self.settings.locks.get(name)
        if key is None or key in world.holding(resident):
            return None
        return f"{'The ' if name not in world.map.places else ''}{name} is locked; the {key} opens it."

    def _locked_to(self, world: World, helpers: Sequence[str], place: str) -> str | None:
        """Say which of those who would come along has no key."""
        key = self.settings.locks.get(place)
        without = [one for one in helpers if key is not None and key not in world.holding(one)]
        return f"{listed(without)} would come along, and cannot: {place} is locked to them." if without else None

    def room_for(self, world: World, holder: str, kinds: Sequence[str], leaving: Sequence[str]) -> bool:
        """Return whether furniture, or a resident, can take further things.

        Args:
            world: The world.
            holder: The furniture or the resident.
            kinds: The kind of each further thing.
            leaving: Things that are taken from there before.
        """
        if holder in world.residents:
            most = self.settings.hands or None
            there = world.holding(holder)
        else:
            most = self._room(holder)
            there = world.contents(holder)
        return most is None or len(there) - len(set(there).intersection(leaving)) + len(kinds) <= most

    def _room(self, furniture: str) -> int | None:
        """Return how many things a piece of furniture holds; None for any number."""
        return self.settings.room.get(furniture, self.settings.room.get(self.kind_of(furniture)))

    def _user(self, world: World, resident: str, furniture: str) -> str | None:
        others = (one for one in world.people_in(world.place_of(resident)) if one != resident)
        return next((one for one in others if world.doing(one) == f"using the {furniture}"), None)
