"""Adds to a map what events bring: spare things, newcomers, residents who are absent at first, and the events."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from irollan_env.hints import check_known
from irollan_env.map.records import Inhabitant, ItemKind
from irollan_env.map.valley_map import ValleyMap
from irollan_env.world.mechanics.event_settings import Arrive, Event
from irollan_env.world.mechanics.events import NAME, Events, is_repeated, label_of, read_events


def with_events(valley_map: ValleyMap, settings: Mapping[str, Any]) -> ValleyMap:
    """Return a map on which events happen, with everything and everybody that they bring.

    What they bring is not there at first, so that numbers and names stay fixed while things come and go.

    Args:
        valley_map: The map, which may have events of its own; they come first.
        settings: What an events file has: ``absent`` and ``events``.

    Raises:
        ValueError: for an event that is none, or names what the map does not have; it names the entry.
    """
    if not settings:
        return valley_map
    new = list(zip(read_events(settings), settings.get("events", ()), strict=True))
    labelled = [(event, label_of(number, table)) for number, (event, table) in enumerate(new, start=1)]
    valley_map = _with_absent(valley_map, settings.get("absent", ()))
    valley_map = _with_newcomers(valley_map, labelled)
    valley_map = _with_things(valley_map, labelled)
    before = valley_map.mechanics.get(NAME, {}).get("events", ())
    merged = valley_map.with_mechanics({NAME: {"events": [*before, *settings.get("events", ())]}})
    Events(merged.mechanics[NAME], merged)  # Checks all names against the whole map.
    return merged


def newcomers(settings: Mapping[str, Any]) -> dict[str, Arrive]:
    """Return the residents whom events bring and a map did not have, by name."""
    arrivals = (event.arrive for event in read_events(settings))
    return {one.resident: one for one in arrivals if one is not None and one.home}


def _with_absent(valley_map: ValleyMap, names: Sequence[str]) -> ValleyMap:
    for name in names:
        check_known("resident", name, valley_map.tables.resident_number, "absent: ")
    residents = tuple(replace(one, absent=one.absent or one.name in names) for one in valley_map.residents)
    return replace(valley_map, residents=residents) if names else valley_map


def _with_newcomers(valley_map: ValleyMap, events: Sequence[tuple[Event, str]]) -> ValleyMap:
    known, found = valley_map.tables.resident_number, dict[str, Inhabitant]()
    for event, label in events:
        if (arrive := event.arrive) is None:
            continue
        name = arrive.resident
        own = [key for key in ("home", "display_name", "identity") if getattr(arrive, key)]
        if name in known or name in found:
            if own:
                raise ValueError(f"{label}.arrive.{own[0]} is a newcomer's, and {name!r} is known; leave it out")
            continue
        if not arrive.home:
            check_known("resident (give a newcomer its home)", name, known, f"{label}.arrive.resident: ")
        areas = [area.name for area in valley_map.areas]
        check_known("place with a door", arrive.home, areas, f"{label}.arrive.home: ")
        found[name] = Inhabitant(name=name, home=arrive.home, display_name=arrive.display_name or name, absent=True)
    if not found:
        return valley_map
    return replace(valley_map, residents=(*valley_map.residents, *found.values()))


def _with_things(valley_map: ValleyMap, events: Sequence[tuple[Event, str]]) -> ValleyMap:
    kinds, spare = {kind.name: kind for kind in valley_map.item_kinds}, Counter[str]()
    for event, label in events:
        if (add := event.add) is None:
            continue
        if add.new is not None:
            made = ItemKind(
                name=add.kind, usable=add.new.usable, adds=add.new.adds, once=add.new.once, heavy=add.new.heavy
            )
            if kinds.setdefault(add.kind, made) not in (made, replace(made, spare=kinds[add.kind].spare)):
                raise ValueError(f"{label}.add.new: the kind {add.kind!r} is known and is another; leave new out")
        check_known("kind of item (give new = {} for a new one)", add.kind, kinds, f"{label}.add.kind: ")
        if is_repeated(event) and not add.spare and not kinds[add.kind].spare:
            raise ValueError(
                f"{label}.add happens repeatedly; say with spare = N how many of them there can be at once"
            )
        spare[add.kind] += add.spare or (0 if is_repeated(event) else add.count)
    if not spare:
        return valley_map
    grown = tuple(replace(kind, spare=kind.spare + spare[kind.name]) for kind in kinds.values())
    return replace(valley_map, item_kinds=grown)
