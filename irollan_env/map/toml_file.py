"""Reader of maps in TOML files."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import MISSING, fields, replace
from pathlib import Path
from typing import Any, TypeVar, get_type_hints

from irollan_env.hints import did_you_mean
from irollan_env.map.layout import lay_out
from irollan_env.map.records import (
    Area,
    Furniture,
    FurnitureKind,
    Ground,
    Inhabitant,
    Item,
    ItemKind,
    MapRecords,
    Rectangle,
    Road,
)
from irollan_env.map.renaming import renamed

T = TypeVar("T")
_PLAIN = {str: (str,), int: (int,), bool: (bool,), float: (int, float)}
_USES = {"adds": "add", "removes": "remove", "once": "once"}
_PARTS = {"grounds": Ground, "roads": Road, "areas": Area, "residents": Inhabitant}
_CONTENTS = {"furniture": Furniture, "items": Item}


def read_map(path: Path) -> MapRecords:
    """Read the records of a map file without checking their consistency, which ``check_map`` does.

    Raises:
        FileNotFoundError: when there is no such file.
        ValueError: for a file that is not TOML, or a key that is missing, unknown or of the wrong type.
    """
    try:
        with path.open("rb") as file:
            data = lay_out(tomllib.load(file))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ValueError(f"not a TOML file: {error}") from error
    names = _value("'names' of the map", data.pop("names", []), tuple[str, ...])
    contents = _get("the map", data, "contents", Mapping)
    _check_keys("'contents'", contents, _CONTENTS)
    records: dict[str, Any] = {key: _list(key, contents, kind) for key, kind in _CONTENTS.items()}
    records |= {key: _list(key, data, kind) for key, kind in _PARTS.items()}
    furniture_kinds, item_kinds = read_kinds(data)
    records |= {"furniture_kinds": furniture_kinds, "item_kinds": item_kinds}
    mechanics = _table("'mechanics' of the map", data.get("mechanics", {}))
    records["mechanics"] = {name: dict(_table(f"mechanic {name!r}", settings)) for name, settings in mechanics.items()}
    left = {key: value for key, value in data.items() if key not in records and key != "contents"}
    found = _record(MapRecords, left, "the map", **records)
    return replace(found, **renamed(found, names)) if names else found


def map_to_tables(records: MapRecords) -> dict[str, Any]:
    """Return the tables of a map file, from which ``read_map`` reads the same records."""
    left = ("name", "setting", "eye_height", "door_height", "statuses", "exclusive")
    parts = {key: [_table_of(one) for one in getattr(records, key)] for key in _PARTS if getattr(records, key)}
    kinds = {
        key: {one.name: _kind_table(one) for one in getattr(records, key)} for key in ("furniture_kinds", "item_kinds")
    }
    contents = {key: [_table_of(one) for one in getattr(records, key)] for key in _CONTENTS}
    mechanics = {"mechanics": {name: dict(one) for name, one in records.mechanics.items()}} if records.mechanics else {}
    return {**{key: _plain(getattr(records, key)) for key in left}, **parts, **kinds, "contents": contents, **mechanics}


def _table_of(record: Any, *, without: tuple[str, ...] = ()) -> dict[str, Any]:
    """Return a record's fields as a table, those with their default left out."""
    own = [field for field in fields(record) if field.name not in without]
    return {f.name: _plain(value) for f in own if (value := getattr(record, f.name)) != f.default}


def _kind_table(kind: FurnitureKind | ItemKind) -> dict[str, Any]:
    use = {word: _plain(getattr(kind, name)) for name, word in _USES.items() if getattr(kind, name, None)}
    return _table_of(kind, without=("name", *_USES)) | ({"use": use} if use else {})


def _plain(value: Any) -> Any:
    if isinstance(value, Rectangle):
        return [value.west, value.south, value.east, value.north]
    if isinstance(value, tuple) and len(value) == 2 and all(isinstance(one, tuple) for one in value):
        first, second = value
        return [*first, *second] if isinstance(first[0], float) else [list(first), list(second)]
    return [_plain(one) for one in value] if isinstance(value, tuple) else value


def read_kinds(data: Mapping[str, Any]) -> tuple[tuple[FurnitureKind, ...], tuple[ItemKind, ...]]:
    """Return the kinds of furniture and of items in the data, in their order.

    Raises:
        ValueError: for a key that is missing, unknown or of the wrong type.
    """
    return _kinds("furniture_kinds", data, FurnitureKind), _kinds("item_kinds", data, ItemKind)


def _kinds(key: str, data: Mapping[str, Any], kind: type[T]) -> tuple[T, ...]:
    """Read kinds by name; each may have a table ``use`` that describes the effect of using it."""
    found = []
    for name, entry in _get("the map", data, key, Mapping).items():
        where = f"{name!r} in {key!r}"
        table = _table(where, entry)
        names = {field: told for field, told in _USES.items() if field in get_type_hints(kind)}
        use = _table(f"'use' of {where}", table.get("use", {}))
        _check_keys(f"'use' of {where}", use, names.values())
        told = {field: use[key] for field, key in names.items() if key in use}
        found.append(
            _record(kind, {key: value for key, value in table.items() if key != "use"} | told, where, name=name)
        )
    return tuple(found)


def _list(key: str, data: Mapping[str, Any], kind: type[T]) -> tuple[T, ...]:
    entries = data.get(key, []) if key == "roads" else _get("the map", data, key, list)
    return tuple(_record(kind, entry, f"entry {n} of {key!r}") for n, entry in enumerate(entries, start=1))


def _record(kind: type[T], data: Any, where: str, **given: Any) -> T:
    """Build a record from a table, checking the types of its fields."""
    table, types = _table(where, data), get_type_hints(kind)
    own = [field for field in fields(kind) if field.name not in given]  # type: ignore[arg-type]
    for field in own:
        if field.name not in table and field.default is MISSING:
            raise ValueError(f"{where} lacks {field.name!r}; it has {sorted(table)}")
    _check_keys(where, table, [field.name for field in own])
    values = {name: _value(f"{name!r} of {where}", value, types[name]) for name, value in table.items()}
    return kind(**values, **given)


def _value(where: str, value: Any, kind: Any) -> Any:
    if kind in _PLAIN:
        if not isinstance(value, _PLAIN[kind]) or (isinstance(value, bool) and kind is not bool):
            raise ValueError(f"{where} must be {kind.__name__}, got {value!r}")
        return kind(value)
    if not isinstance(value, list):
        raise ValueError(f"{where} must be a list, got {value!r}")
    if kind == tuple[str, ...] or kind == tuple[str, str]:
        if not all(isinstance(one, str) for one in value) or (kind == tuple[str, str] and len(value) != 2):
            raise ValueError(f"{where} must be {'two names' if kind == tuple[str, str] else 'strings'}, got {value!r}")
        return tuple(value)
    if kind == tuple[tuple[str, str], ...]:
        return tuple(_value(f"each of {where}", pair, tuple[str, str]) for pair in value)
    count = 2 if kind == tuple[float, float] else 4
    if len(value) != count or not all(isinstance(one, (int, float)) and not isinstance(one, bool) for one in value):
        raise ValueError(f"{where} must be {count} numbers in metres, got {value!r}")
    numbers = tuple(float(one) for one in value)
    return Rectangle(*numbers) if kind is Rectangle else numbers if count == 2 else (numbers[:2], numbers[2:])


def _get(where: str, data: Mapping[str, Any], key: str, kind: type[Any]) -> Any:
    if key not in data:
        raise ValueError(f"{where} lacks {key!r}; it has {sorted(data)}")
    if not isinstance(data[key], kind):
        raise ValueError(f"{key!r} of {where} must be a {'list' if kind is list else 'table'}, got {data[key]!r}")
    return data[key]


def _table(where: str, data: Any) -> Mapping[str, Any]:
    if not isinstance(data, Mapping):
        raise ValueError(f"{where} must be a table, got {data!r}")
    return data


def _check_keys(where: str, data: Mapping[str, Any], known: Any) -> None:
    for key in data:
        if key not in known:
            raise ValueError(
                f"{where} has an unknown key {key!r}{did_you_mean(key, known) or f'; the keys are {sorted(known)}'}"
            )
