"""Reading a map from its TOML file."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from irollan_env.hints import did_you_mean
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


def read_map(path: Path) -> MapRecords:
    """The records that a map file holds; whether they contradict each other is for ``check_map`` to say.

    Raises:
        FileNotFoundError: when there is no such file.
        ValueError: for a file that is not TOML, or a key that is missing, unknown or of the wrong type.
    """
    try:
        with path.open("rb") as file:
            data = tomllib.load(file)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ValueError(f"not a TOML file: {error}") from error
    top = _Entry("the map", data)
    contents = top.table("contents")
    furniture_kinds, item_kinds = _kinds(top)
    records = MapRecords(
        name=top.text("name"),
        eye_height=top.number("eye_height"),
        door_height=top.number("door_height"),
        statuses=top.texts("statuses"),
        exclusive=tuple(_pair(pair) for pair in top.list("exclusive", [])),
        grounds=tuple(_ground(entry) for entry in top.tables("grounds")),
        roads=tuple(_road(entry) for entry in top.tables("roads", [])),
        areas=tuple(_area(entry) for entry in top.tables("areas")),
        furniture_kinds=furniture_kinds,
        item_kinds=item_kinds,
        furniture=tuple(_furniture(entry) for entry in contents.tables("furniture")),
        items=tuple(_item(entry) for entry in contents.tables("items")),
        residents=tuple(_inhabitant(entry) for entry in top.tables("residents")),
    )
    for entry in (contents, top):
        entry.finish()
    return records


def read_kinds(data: Mapping[str, Any]) -> tuple[tuple[FurnitureKind, ...], tuple[ItemKind, ...]]:
    """The kinds of furniture and of items that a file names, in its order.

    Raises:
        ValueError: for a key that is missing, unknown or of the wrong type.
    """
    return _kinds(_Entry("the file", data))


class _Entry:
    """A table of the file that knows where it stands, and which of its keys have been read."""

    def __init__(self, where: str, data: Any) -> None:
        if not isinstance(data, Mapping):
            raise ValueError(f"{where} must be a table, got {data!r}")
        self.where = where
        self.data = data
        self.read: set[str] = set()

    def get(self, key: str, kind: type | tuple[type, ...], default: Any = None) -> Any:
        self.read.add(key)
        value = self.data.get(key, default)
        if value is None:
            raise ValueError(f"{self.where} lacks {key!r}; it has {sorted(self.data)}")
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
            names = kind.__name__ if isinstance(kind, type) else " or ".join(k.__name__ for k in kind)
            raise ValueError(f"{key!r} of {self.where} must be {names}, got {value!r}")
        return value

    def text(self, key: str, default: Any = None) -> str:
        return str(self.get(key, str, default))

    def number(self, key: str) -> float:
        return float(self.get(key, (int, float)))

    def flag(self, key: str, default: bool) -> bool:
        return bool(self.get(key, bool, default))

    def list(self, key: str, default: Any = None) -> tuple[Any, ...]:
        return tuple(self.get(key, list, default))

    def texts(self, key: str, default: Any = None) -> tuple[str, ...]:
        values = self.list(key, default)
        if wrong := [value for value in values if not isinstance(value, str)]:
            raise ValueError(f"{key!r} of {self.where} must hold strings, got {wrong[0]!r}")
        return values

    def numbers(self, key: str, count: int) -> tuple[float, ...]:
        values = self.list(key)
        numeric = all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in values)
        if len(values) != count or not numeric:
            raise ValueError(f"{key!r} of {self.where} must be {count} numbers in metres, got {list(values)!r}")
        return tuple(float(value) for value in values)

    def point(self, key: str) -> tuple[float, float]:
        x, y = self.numbers(key, 2)
        return x, y

    def table(self, key: str, default: Any = None) -> _Entry:
        return _Entry(f"{key!r}", self.get(key, dict, default))

    def tables(self, key: str, default: Any = None) -> tuple[_Entry, ...]:
        return tuple(_Entry(f"entry {n} of {key!r}", value) for n, value in enumerate(self.list(key, default), start=1))

    def named(self, key: str) -> tuple[tuple[str, _Entry], ...]:
        return tuple((name, _Entry(f"{name!r} in {key!r}", value)) for name, value in self.get(key, dict).items())

    def finish(self) -> None:
        for key in self.data:
            if key not in self.read:
                hint = did_you_mean(key, self.read) or f"; the keys are {sorted(self.read)}"
                raise ValueError(f"{self.where} has an unknown key {key!r}{hint}")


def _pair(value: Any) -> tuple[str, str]:
    if not (isinstance(value, list) and len(value) == 2 and all(isinstance(part, str) for part in value)):
        raise ValueError(f"'exclusive' must hold pairs of statuses, got {value!r}")
    return value[0], value[1]


def _rectangle(entry: _Entry) -> Rectangle:
    return Rectangle(*entry.numbers("rectangle", 4))


def _ground(entry: _Entry) -> Ground:
    ground = Ground(name=entry.text("name"), rectangle=_rectangle(entry))
    entry.finish()
    return ground


def _road(entry: _Entry) -> Road:
    ends, gates = entry.texts("ends"), entry.numbers("gates", 4)
    if len(ends) != 2:
        raise ValueError(f"'ends' of {entry.where} must be two names of grounds, got {list(ends)!r}")
    road = Road(ends=(ends[0], ends[1]), gates=((gates[0], gates[1]), (gates[2], gates[3])))
    entry.finish()
    return road


def _area(entry: _Entry) -> Area:
    area = Area(
        name=entry.text("name"),
        rectangle=_rectangle(entry),
        door=entry.point("door"),
        ground=entry.text("ground", "outside"),
    )
    entry.finish()
    return area


def _kinds(top: _Entry) -> tuple[tuple[FurnitureKind, ...], tuple[ItemKind, ...]]:
    return (
        tuple(_furniture_kind(name, entry) for name, entry in top.named("furniture_kinds")),
        tuple(_item_kind(name, entry) for name, entry in top.named("item_kinds")),
    )


def _furniture_kind(name: str, entry: _Entry) -> FurnitureKind:
    use = entry.table("use", {})
    kind = FurnitureKind(
        name=name,
        height=entry.number("height"),
        receptacle=entry.flag("receptacle", False),
        seat=entry.flag("seat", False),
        adds=use.texts("add", []),
        removes=use.texts("remove", []),
        closes=entry.flag("closes", False),
        grows=int(entry.get("grows", int, 0)),
    )
    use.finish()
    entry.finish()
    return kind


def _item_kind(name: str, entry: _Entry) -> ItemKind:
    use = entry.table("use", {})
    kind = ItemKind(
        name=name,
        usable=entry.flag("usable", True),
        adds=use.texts("add", []),
        once=use.flag("once", False),
        heavy=entry.flag("heavy", False),
    )
    use.finish()
    entry.finish()
    return kind


def _furniture(entry: _Entry) -> Furniture:
    piece = Furniture(
        kind=entry.text("kind"),
        number=int(entry.get("number", int)),
        place=entry.text("place"),
        position=entry.point("position"),
    )
    entry.finish()
    return piece


def _item(entry: _Entry) -> Item:
    item = Item(name=entry.text("name"), kind=entry.text("kind"), on=entry.text("on"))
    entry.finish()
    return item


def _inhabitant(entry: _Entry) -> Inhabitant:
    resident = Inhabitant(name=entry.text("name"), home=entry.text("home"), display_name=entry.text("display_name"))
    entry.finish()
    return resident
