"""Saves and loads the state of a valley as JSON-ready data, and reports every contradiction."""

from __future__ import annotations

import sys
from collections import ChainMap
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, astuple
from typing import Any, get_args

from irollan_env.actions import LONGEST_CHAT
from irollan_env.hints import check_integer, check_keys, check_known, check_list, check_version
from irollan_env.map.geometry import Pose
from irollan_env.map.tables import ABSENT, Tables
from irollan_env.world.events import DEEDS, Event
from irollan_env.world.narration import doing_text
from irollan_env.world.observation import Message, OutcomeKind
from irollan_env.world.state import AWAY, AWAY_PLACE, IDLE, MOVING, Doing, ValleyState, Verb

VERSION = 2
"""Version of the saved-state layout; states of other versions are rejected."""

_TOP = ("version", "map", "time", "people", "residents", "items")
_TOP_CLOSING = (*_TOP, "open")
_RESIDENT = ("position", "heading", "seat", "doing", "holding", "outcome", "result", "messages", "events")
_ITEM = ("on", "status")


def dump(state: ValleyState) -> dict[str, Any]:
    """Serialize the part of the state that is not in the map."""
    tables = state.tables
    absent = [name for i, name in enumerate(tables.items) if state.on[i] == ABSENT]
    away = [name for r, name in enumerate(tables.residents) if state.place[r] == AWAY]
    return {
        "version": VERSION,
        "map": tables.map_name,
        "time": state.time,
        "people": {
            place: [tables.residents[r] for r in state.people[number]] for number, place in enumerate(tables.places)
        },
        "residents": {name: _dump_resident(state, r) for r, name in enumerate(tables.residents)},
        "items": {
            name: {
                "on": None if state.on[i] < 0 else tables.furniture[state.on[i]],
                "status": list(tables.status_names[state.status[i]]),
            }
            for i, name in enumerate(tables.items)
            if state.on[i] != ABSENT
        },
        **({"absent": absent} if absent else {}),
        **({"away": away} if away else {}),
        **({"open": _dump_open(state)} if any(tables.closing) else {}),
    }


def _dump_open(state: ValleyState) -> list[str]:
    """Serialize the names of the open furniture."""
    tables = state.tables
    return [name for f, name in enumerate(tables.furniture) if tables.closes[f] and state.open[f]]


def _dump_resident(state: ValleyState, resident: int) -> dict[str, Any]:
    tables, pose, seat = state.tables, state.pose[resident], state.seat[resident]
    return {
        "position": [pose.x, pose.y],
        "heading": pose.heading,
        "seat": None if seat < 0 else tables.furniture[seat],
        "doing": doing_text(state, resident),
        "holding": [tables.items[item] for item in state.hands[resident]],
        "outcome": state.outcome[resident],
        "result": state.result[resident],
        "messages": [asdict(message) for message in state.inbox[resident]],
        "events": [asdict(event) for event in state.events(resident)],
    }


def extended(state: Mapping[str, Any], fresh: Mapping[str, Any]) -> dict[str, Any]:
    """Add to the state of a world what only a world on a larger map has: things, residents and mechanics.

    The things are not in the world then, the residents are away, and the mechanics are as at the beginning.

    Args:
        state: A state from ``World.get_state``.
        fresh: The state of the world that is to have it, at its beginning.
    """
    things = {*state["items"], *state.get("absent", ())}
    absent = [name for name in (*fresh["items"], *fresh.get("absent", ())) if name not in things]
    new = {name: one for name, one in fresh["residents"].items() if name not in state["residents"]}
    found = {**state, "residents": {**state["residents"], **new}}
    for key, names in (("absent", absent), ("away", list(new))):
        if names:
            found[key] = [*state.get(key, ()), *names]
    if "mechanics" in fresh:
        found["mechanics"] = {**fresh["mechanics"], **state.get("mechanics", {})}
    return found


def load(tables: Tables, data: Mapping[str, Any]) -> ValleyState:
    """Build a state from what ``dump`` gave, after any JSON round trip.

    Args:
        tables: The map.
        data: The data of ``dump``.

    Raises:
        ValueError: for another version or map, names that are missing or unknown, or a state that contradicts itself,
            such as an item in two places; the message says where in the data.
    """
    check_version(data, VERSION)
    optional = [key for key in ("absent", "away") if key in data]
    check_keys("state", data, [*(_TOP_CLOSING if any(tables.closing) else _TOP), *optional])
    if data["map"] != tables.map_name:
        raise ValueError(f"state.map is {data['map']!r}, but the world's map is {tables.map_name!r}; load that map")
    state = ValleyState(tables)
    state.time = check_integer("state.time", data["time"])
    _load_people(state, data["people"], data.get("away", []))
    _load_items(state, data["items"], data.get("absent", []))
    if any(tables.closing):
        _load_open(state, data["open"])
    check_keys("state.residents", data["residents"], tables.resident_number)
    holders: dict[int, str] = {}
    for resident, name in enumerate(tables.residents):
        _load_resident(state, resident, data["residents"][name], f"state.residents[{name!r}]", holders)
    held = {item for hands in state.hands for item in hands}
    for item, furniture in enumerate(state.on):
        if furniture < 0 and furniture != ABSENT and item not in held:
            name = tables.items[item]
            raise ValueError(f"state.items[{name!r}]: {name!r} lies nowhere and nobody holds it; give it a place")
    return state


def _load_people(state: ValleyState, data: Any, away: Any) -> None:
    tables, where = state.tables, "state.people"
    check_keys(where, data, tables.place_number)
    found: dict[str, str] = {}
    for number, place in enumerate(tables.places):
        names = _names(f"{where}[{place!r}]", data[place], tables.resident_number, "resident")
        for name in names:
            if name in found:
                raise ValueError(f"{where}: {name!r} is in {found[name]!r} and in {place!r}; remove one")
            found[name] = place
        state.people[number] = [tables.resident_number[name] for name in names]
        for resident in state.people[number]:
            state.place[resident] = number
    for name in _names("state.away", away, tables.resident_number, "resident"):
        if name in found:
            raise ValueError(f"state.away: {name!r} is in {found[name]!r}; remove one")
        found[name] = "away"
        state.place[tables.resident_number[name]] = AWAY
    if missing := [name for name in tables.residents if name not in found]:
        raise ValueError(f"{where}: {missing[0]!r} is nowhere; give it a place")


def _load_items(state: ValleyState, data: Any, out: Any) -> None:
    tables, where = state.tables, "state.items"
    absent = set(_names("state.absent", out, tables.item_number, "item"))
    check_keys(where, data, [name for name in tables.items if name not in absent])
    state.lying = [[] for _ in tables.places]
    state.hands = [[] for _ in tables.residents]
    for item, name in enumerate(tables.items):
        if name in absent:
            state.on[item] = ABSENT
            continue
        entry, here = data[name], f"{where}[{name!r}]"
        check_keys(here, entry, _ITEM)
        state.on[item] = -1
        if entry["on"] is not None:
            known = tables.furniture_number
            furniture = known[check_known("furniture", entry["on"], known, f"{here}.on: ")]
            if not tables.receptacle[furniture]:
                raise ValueError(f"{here}.on: nothing can be put in/on the {entry['on']!r}")
            state.on[item] = furniture
            state.lying[tables.place_of_furniture[furniture]].append(item)
        statuses = _names(f"{here}.status", entry["status"], tables.status_bit, "status")
        mask = sum(tables.status_bit[status] for status in statuses)
        for pair in tables.exclusive:
            if mask & pair == pair:
                raise ValueError(f"{here}.status: {name!r} cannot be {' and '.join(tables.status_names[pair])} at once")
        state.status[item] = mask


def _load_open(state: ValleyState, data: Any) -> None:
    tables = state.tables
    for name in _names("state.open", data, tables.furniture_number, "furniture"):
        if not tables.closes[tables.furniture_number[name]]:
            raise ValueError(f"state.open: {name!r} neither opens nor closes; leave it out")
        state.open[tables.furniture_number[name]] = True


def _load_resident(state: ValleyState, resident: int, data: Any, where: str, holders: dict[int, str]) -> None:
    tables = state.tables
    check_keys(where, data, _RESIDENT)
    state.pose[resident] = _pose(state, resident, data, where)
    for name in _names(f"{where}.holding", data["holding"], tables.item_number, "item"):
        item = tables.item_number[name]
        if state.on[item] == ABSENT:
            raise ValueError(f"{where}.holding: {name!r} is also in state.absent; remove one")
        if state.on[item] >= 0:
            lies = tables.furniture[state.on[item]]
            raise ValueError(f"{where}.holding: {name!r} is in two places, held here and on {lies!r}; remove one")
        if (holder := holders.setdefault(item, tables.residents[resident])) != tables.residents[resident]:
            raise ValueError(f"{where}.holding: {name!r} is in two places, also held by {holder!r}; remove one")
        state.hands[resident].append(item)
        state.on[item] = ~resident
    if data["seat"] is not None:
        state.sit_down(resident, _seat(state, resident, data["seat"], f"{where}.seat"))
    state.doing[resident] = _doing(state, resident, data["doing"], f"{where}.doing")
    if data["outcome"] is not None and data["outcome"] not in get_args(OutcomeKind):
        raise ValueError(f"{where}.outcome must be null or one of {get_args(OutcomeKind)}, got {data['outcome']!r}")
    if not isinstance(data["result"], str):
        raise ValueError(f"{where}.result must be a string, got {data['result']!r}")
    state.outcome[resident], state.result[resident] = data["outcome"], data["result"]
    state.inbox[resident] = _messages(tables, data["messages"], f"{where}.messages")
    if events := _events(tables, data["events"], f"{where}.events"):
        state.seen[resident] = [astuple(event) for event in events]


def _pose(state: ValleyState, resident: int, data: Mapping[str, Any], where: str) -> Pose:
    position, heading, place = data["position"], data["heading"], state.place[resident]
    numbers = [*position, heading] if isinstance(position, Sequence) and len(position) == 2 else []
    if not numbers or not all(_is_number(number) for number in numbers):
        raise ValueError(
            f"{where} needs a position [x, y] in metres and a heading in radians, got {position!r}, {heading!r}"
        )
    pose = Pose(*(float(number) for number in numbers))
    if place != AWAY and not state.tables.rectangles[place].contains(pose.x, pose.y):
        raise ValueError(
            f"{where}.position {position!r} lies outside {state.tables.places[place]!r}, "
            f"which is {state.tables.rectangles[place]}"
        )
    return pose


def _seat(state: ValleyState, resident: int, value: Any, where: str) -> int:
    tables = state.tables
    seat = tables.furniture_number[check_known("furniture", value, tables.furniture_number, f"{where}: ")]
    if not tables.seat[seat] or tables.place_of_furniture[seat] != state.place[resident]:
        raise ValueError(f"{where}: {value!r} is no seat in {tables.places[state.place[resident]]!r}")
    if (sitter := state.sitter[seat]) >= 0:
        raise ValueError(f"{where}: {value!r} is taken by {tables.residents[sitter]!r}; a seat is for one person")
    return seat


def _doing(state: ValleyState, resident: int, value: Any, where: str) -> Doing:
    tables, place, seat = state.tables, state.place[resident], state.seat[resident]
    if value is None and seat < 0:
        return IDLE
    if value == "moving" and seat < 0:
        return MOVING
    if isinstance(value, str) and value.startswith("using the "):
        name = value.removeprefix("using the ")
        item, piece = tables.item_number.get(name), tables.furniture_number.get(name)
        held = item is not None and item in state.hands[resident] and tables.item_usable[item]
        if item is not None and (held or (seat < 0 and tables.heavy[item])):
            return Doing(Verb.USING_ITEM, item)
        here = piece is not None and tables.usable[piece] and tables.place_of_furniture[piece] == place
        if piece is not None and here and seat == (piece if tables.seat[piece] else -1):
            return Doing(Verb.USING_FURNITURE, piece)
    if isinstance(value, str) and value.startswith("talking with "):
        other = tables.resident_number.get(value.removeprefix("talking with "))
        if other is not None and other != resident and state.place[other] == place:
            return Doing(Verb.TALKING, other)
    sits = f", seated on {tables.furniture[seat]!r}" if seat >= 0 else ""
    raise ValueError(
        f"{where}: {tables.residents[resident]!r} in {tables.places[place]!r}{sits} cannot be doing {value!r}; it is "
        "null or 'moving' (both only when not seated), 'using the ...' for a held item, the seat or other usable "
        "furniture here, or 'talking with ...' for somebody here"
    )


def _messages(tables: Tables, data: Any, where: str) -> tuple[Message, ...]:
    messages = []
    for number, entry in enumerate(check_list(where, data)):
        here = f"{where}[{number}]"
        _check_said(here, entry, ("time", "sender", "addressee", "text"))
        check_known("resident", entry["addressee"], tables.resident_number, f"{here}.addressee: ")
        if not isinstance(entry["sender"], str) or not entry["sender"]:
            raise ValueError(f"{here}.sender must be a name, got {entry['sender']!r}")
        if len(entry["text"]) > LONGEST_CHAT:
            raise ValueError(f"{here}.text has {len(entry['text'])} characters; at most {LONGEST_CHAT} can be said")
        messages.append(Message(**entry))
    return tuple(messages)


def _events(tables: Tables, data: Any, where: str) -> list[Event]:
    things = ChainMap(tables.item_number, tables.furniture_number)
    others = ChainMap(tables.resident_number, tables.place_number, tables.furniture_number, {AWAY_PLACE: AWAY})
    events = []
    for number, entry in enumerate(check_list(where, data)):
        here = f"{where}[{number}]"
        _check_said(here, entry, ("time", "actor", "deed", "thing", "other", "text"))
        check_known("resident", entry["actor"], tables.resident_number, f"{here}.actor: ")
        check_known("deed", entry["deed"], DEEDS, f"{here}.deed: ")
        if entry["thing"] is not None:
            check_known("item or furniture", entry["thing"], things, f"{here}.thing: ")
        if entry["other"] is not None:
            check_known("resident, place or furniture", entry["other"], others, f"{here}.other: ")
        events.append(Event(**entry))
    return events


def _check_said(where: str, entry: Any, keys: Collection[str]) -> None:
    check_keys(where, entry, keys)
    check_integer(f"{where}.time", entry["time"])
    if not isinstance(entry["text"], str):
        raise ValueError(f"{where}.text must be a string, got {entry['text']!r}")


def _names(where: str, data: Any, known: Collection[str], what: str) -> list[str]:
    names = [check_known(what, value, known, f"{where}: ") for value in check_list(where, data)]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"{where} names {twice!r} twice; remove one")
    return names


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) <= sys.float_info.max
