"""Consistency checks of a map: names, kinds, the ground plan, furniture and items."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable
from itertools import combinations

from irollan_env.hints import check_known
from irollan_env.map.records import Area, FurnitureKind, Inhabitant, ItemKind, MapRecords, Rectangle
from irollan_env.naming import is_thing, owner

# A name that contained one of these would make actions ambiguous.
_SEPARATORS = (" from ", " in/on ", ":")
# Names of residents stand in lists, in sentences and in quoted speech, too.
_MARKS = (", ", " and ", *'"“”=;|()?!{}')
_TAKEN = {"away": "who and what is nowhere", "world": "the world's own variables"}
_PRONOUNS = frozenset({"I", "You"})
_LONGEST_NAME, _LONGEST_TEXT = 40, 80


def check_map(records: MapRecords) -> None:
    """Check the whole map, in time that grows linearly with the residents for towns of one size.

    Raises:
        ValueError: when the map contradicts itself; the message names what is wrong and how to mend it.
    """
    _check_names(records)
    _check_kinds(records)
    _check_ground_plan(records)
    _check_contents(records)


def _check_names(records: MapRecords) -> None:
    owners: dict[str, str] = {}
    groups: tuple[tuple[str, Iterable[str]], ...] = (
        ("a ground", [ground.name for ground in records.grounds]),
        ("an area", [area.name for area in records.areas]),
        ("a resident", [resident.name for resident in records.residents]),
        ("furniture", [piece.name for piece in records.furniture]),
        ("an item", [item.name for item in records.items]),
    )
    for what, names in groups:
        for name in names:
            if not name or name != name.strip() or not name.isprintable():
                raise ValueError(f"{what} is named {name!r}; a name needs visible characters and no outer spaces")
            if separator := next((s for s in _SEPARATORS if s in name), None):
                raise ValueError(f"the name {name!r} contains {separator!r}, which separates parts of an action")
            if name in _TAKEN:
                raise ValueError(f"{what} is named {name!r}, which records use for {_TAKEN[name]}; rename it")
            if name in owners:
                raise ValueError(f"two things are named {name!r}: {owners[name]} and {what}; rename one")
            owners[name] = what
    for resident in records.residents:
        _check_resident(resident, records)
    for item in records.items:
        if not is_thing(item.name):
            raise ValueError(f"item {item.name!r} is named like a person; name it '{item.name} 1'")
    if not records.grounds or not records.areas or not records.residents:
        raise ValueError(f"map {records.name!r} needs at least one ground, one area and one resident")


def _check_resident(resident: Inhabitant, records: MapRecords) -> None:
    name, where = resident.name, f"name of resident {resident.name!r}"
    if len(name) > _LONGEST_NAME:
        raise ValueError(f"{where} has {len(name)} characters; at most {_LONGEST_NAME}: put it into display_name")
    if mark := next((one for one in _MARKS if one in name), None):
        raise ValueError(f"{where} contains {mark!r}, which separates names and words; leave it out")
    if not name[0].isalpha() or is_thing(name) or owner(name) is not None or name in _PRONOUNS:
        raise ValueError(
            f"{where} looks like that of a thing; begin it with a capital letter, without a number at its end or "
            "somebody's name before it, and put what it really is into display_name"
        )
    kinds = [*(one.name for one in records.furniture_kinds), *(one.name for one in records.item_kinds)]
    if same := next((kind for kind in kinds if name in (kind, kind.capitalize())), None):
        raise ValueError(f"{where} is a kind of thing, {same!r}; rename one")
    for key in ("display_name", "pronouns", "language"):
        text = getattr(resident, key)
        if not text.isprintable() or len(text) > _LONGEST_TEXT:
            raise ValueError(
                f"{key} of resident {name!r} must be printable, with at most {_LONGEST_TEXT} characters, got {text!r}"
            )


def _check_kinds(records: MapRecords) -> None:
    for label, names in (
        ("furniture kind", [kind.name for kind in records.furniture_kinds]),
        ("item kind", [kind.name for kind in records.item_kinds]),
        ("status", list(records.statuses)),
    ):
        if twice := next((name for name in names if names.count(name) > 1), None):
            raise ValueError(f"{label} {twice!r} is listed twice; remove one")
    for pair in records.exclusive:
        for status in pair:
            check_known("status", status, records.statuses, "exclusive: ")
    for kind in records.furniture_kinds:
        _check_number(f"height of {kind.name!r}", kind.height)
        _check_special(kind)
        for status in kind.adds + kind.removes:
            check_known("status", status, records.statuses, f"use of {kind.name!r}: ")
        for one, other in records.exclusive:
            for added, against in ((one, other), (other, one)):
                if added in kind.adds and against not in kind.removes:
                    raise ValueError(
                        f"using {kind.name!r} adds {added!r} but does not remove {against!r}, and the two are "
                        f"exclusive; add {against!r} to what it removes"
                    )
    for item_kind in records.item_kinds:
        _check_item_kind(item_kind, records)
    _check_number("eye_height", records.eye_height)
    _check_number("door_height", records.door_height)


def _check_special(kind: FurnitureKind) -> None:
    if kind.closes and (not kind.receptacle or kind.seat or kind.adds or kind.removes):
        raise ValueError(
            f"{kind.name!r} opens and closes when it is used; it must be a receptacle, and using it can do nothing else"
        )
    if kind.grows < 0 or (kind.grows and not kind.receptacle):
        raise ValueError(
            f"'grows' of {kind.name!r} must be a number of steps >= 0, of a receptacle; got {kind.grows!r}"
        )


def _check_item_kind(kind: ItemKind, records: MapRecords) -> None:
    for status in kind.adds:
        check_known("status", status, records.statuses, f"use of {kind.name!r}: ")
        if pair := next((pair for pair in records.exclusive if status in pair), None):
            raise ValueError(
                f"using {kind.name!r} adds {status!r}, which is exclusive: {pair}; use furniture takes statuses away, "
                "use of items does not"
            )
    if (kind.adds or kind.once) and not kind.usable:
        raise ValueError(f"{kind.name!r} is not usable, but its use is described; make it usable, or leave that out")
    if kind.heavy and (kind.usable or kind.adds):
        raise ValueError(f"{kind.name!r} is heavy: to use it is to lend a hand; say usable = false, and give it no use")
    if kind.once and not kind.adds:
        raise ValueError(f"{kind.name!r} can be used once, but use leaves no mark on it; name a status that it adds")


def _check_ground_plan(records: MapRecords) -> None:
    grounds = {ground.name: ground.rectangle for ground in records.grounds}
    for label, rectangle in [*grounds.items(), *((area.name, area.rectangle) for area in records.areas)]:
        _check_rectangle(label, rectangle)
    for (name, one), (other_name, other) in combinations(grounds.items(), 2):
        if one.overlaps(other):
            raise ValueError(f"grounds {name!r} and {other_name!r} overlap: {one} and {other}")
    joined = _check_roads(records, grounds)
    areas_of: defaultdict[str, list[Area]] = defaultdict(list)
    for area in records.areas:
        check_known("ground", area.ground, grounds, f"area {area.name!r}: ")
        areas_of[area.ground].append(area)
    for name, around in grounds.items():
        _check_areas(name, around, areas_of[name])
        if not areas_of[name] and name not in joined:
            raise ValueError(f"ground {name!r} has neither an area nor a road; give it one, or leave it out")


def _check_rectangle(label: str, rectangle: Rectangle) -> None:
    for value in (rectangle.west, rectangle.south, rectangle.east, rectangle.north):
        if not math.isfinite(value):
            raise ValueError(f"rectangle of {label!r} must be finite, got {value!r}")
    if rectangle.west >= rectangle.east or rectangle.south >= rectangle.north:
        raise ValueError(f"rectangle of {label!r} must have west < east and south < north, got {rectangle}")


def _check_roads(records: MapRecords, grounds: dict[str, Rectangle]) -> set[str]:
    """Check the roads and return the names of the grounds they connect."""
    known: set[frozenset[str]] = set()
    for road in records.roads:
        where = f"the road between {road.ends[0]!r} and {road.ends[1]!r}"
        for end, gate in zip(road.ends, road.gates, strict=True):
            check_known("ground", end, grounds, where + ": ")
            if not grounds[end].on_edge(*gate):
                raise ValueError(f"{where} must meet {end!r} on an edge of {grounds[end]}, got {gate}")
        if len(set(road.ends)) == 1:
            raise ValueError(f"{where} leads back to where it begins; name two grounds")
        if frozenset(road.ends) in known:
            raise ValueError(f"{where} is listed twice; remove one")
        known.add(frozenset(road.ends))
    return {end for road in records.roads for end in road.ends}


def _check_areas(ground: str, around: Rectangle, areas: list[Area]) -> None:
    for number, area in enumerate(areas):
        inner = area.rectangle
        if not (around.contains(inner.west, inner.south) and around.contains(inner.east, inner.north)):
            raise ValueError(f"area {area.name!r} reaches beyond {ground!r}: {inner} in {around}")
        if other := next((a for a in areas[:number] if a.rectangle.overlaps(inner)), None):
            raise ValueError(f"areas {other.name!r} and {area.name!r} overlap: {other.rectangle} and {inner}")
        if not inner.on_edge(*area.door):
            raise ValueError(f"door of {area.name!r} must lie on an edge of {inner}, got {area.door}")


def _check_contents(records: MapRecords) -> None:
    areas = {area.name: area for area in records.areas}
    furniture_kinds = {kind.name: kind for kind in records.furniture_kinds}
    item_kinds = {kind.name for kind in records.item_kinds}
    pieces = {piece.name: piece for piece in records.furniture}
    for piece in records.furniture:
        check_known("kind", piece.kind, furniture_kinds, f"furniture {piece.name!r}: ")
        check_known("place", piece.place, areas, f"furniture {piece.name!r}: ")
        room = areas[piece.place].rectangle
        if not room.contains(*piece.position):
            raise ValueError(
                f"furniture {piece.name!r} stands at {piece.position}, outside {piece.place!r}, which is {room}"
            )
    people = {resident.name: resident for resident in records.residents}
    for item in records.items:
        check_known("kind", item.kind, item_kinds, f"item {item.name!r}: ")
        if item.on in people:
            continue
        check_known("furniture or resident", item.on, {**pieces, **people}, f"item {item.name!r}: ")
        kind = pieces[item.on].kind
        if not furniture_kinds[kind].receptacle:
            raise ValueError(f"item {item.name!r} lies on {item.on!r}, but a {kind} is no receptacle")
    for resident in records.residents:
        check_known("home", resident.home, areas, f"resident {resident.name!r}: ")


def _check_number(where: str, value: float) -> None:
    if not (math.isfinite(value) and value >= 0):
        raise ValueError(f"{where} must be a finite number of metres >= 0, got {value!r}")
