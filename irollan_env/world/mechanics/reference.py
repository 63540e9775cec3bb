"""Every key of a map file, as the docstrings of the records and of the mechanics' settings describe it."""

from __future__ import annotations

import dataclasses
import inspect
import re
from collections.abc import Iterator
from importlib import import_module
from types import ModuleType
from typing import Any, NamedTuple

from irollan_env.hints import check_known
from irollan_env.map import records
from irollan_env.world.mechanics.registry import MECHANICS, find_mechanic

_TABLES: tuple[tuple[str, type[Any]], ...] = (
    ("[[grounds]]", records.Ground),
    ("[[roads]]", records.Road),
    ("[[areas]]", records.Area),
    ("[[residents]]", records.Inhabitant),
    ("[furniture_kinds]", records.FurnitureKind),
    ("[item_kinds]", records.ItemKind),
    ("[contents] furniture", records.Furniture),
    ("[contents] items", records.Item),
)
_RENAMED = {"adds": "use.add", "removes": "use.remove", "once": "use.once"}
_LAID_OUT = ("rectangle", "door", "gates")
_OWN_KEY = ("furniture_kinds", "item_kinds")
_ENTRY = re.compile(r"^    (\w[\w, ]*): (.*(?:\n        .*)*)", re.MULTILINE)


class Key(NamedTuple):
    """One key: its name, its default in TOML or an empty string, and what it means."""

    name: str
    default: str
    meaning: str


class Table(NamedTuple):
    """One table of a map file: its heading, what it is for, and its keys."""

    heading: str
    purpose: str
    keys: tuple[Key, ...]


_OF_THE_FILE = (
    Key("name", "needed", "The map's name, which saved states record."),
    Key("names", "", 'Other names for its residents, in their order, with their homes and things: `["Anna", "李雷"]`.'),
    Key("setting", '"a small valley"', "What residents are told that they live in."),
    Key("kinds", "", 'With "irollan_valley" the file begins with the kinds, statuses and heights of that map.'),
    Key("statuses", 'needed without "kinds"', "The possible statuses of things, in the order of the sentence."),
    Key("exclusive", "", "Pairs of statuses that no thing has at once."),
    Key("eye_height, door_height", 'needed without "kinds"', "Heights above the floor, in metres."),
)
_MORE = {
    "[[residents]]": (Key("holds", "", "Kind -> how many things it holds at the start: `{ coin = 5 }`."),),
    "[[areas]]": (
        Key("size", "[8, 10] for homes, [16, 10]", "Width and depth in metres, where it has no rectangle."),
        Key("furniture", "", "Kind -> how many stand here, in rows: `{ table = 1, chair = 4 }`."),
        Key("things", "", "Kind of furniture here -> what lies on it: `{ table = { book = 2 } }`."),
    ),
}


def map_tables() -> Iterator[Table]:
    """Yield the tables of a map file without mechanics."""
    yield Table("The file", "Everything but the names of places and people can be left out.", _OF_THE_FILE)
    for heading, kind in _TABLES:
        table = _table(heading, kind)
        if heading.strip("[]") in _OWN_KEY:
            table = table._replace(keys=tuple(key for key in table.keys if key.name != "name"))
        yield table._replace(keys=table.keys + _MORE.get(heading, ()))


def mechanic_tables(name: str) -> Iterator[Table]:
    """Yield the tables of a mechanic's settings.

    Raises:
        ValueError: for a mechanic that there is not.
    """
    check_known("mechanic", name, MECHANICS)
    mechanic = find_mechanic(name)
    module = import_module(mechanic.__module__)
    yield Table(f"[mechanics.{name}]", _purpose(mechanic), ())
    own = _dataclasses(module)
    # A large mechanic has its settings in a module of their own.
    listed = [
        kind for home in dict.fromkeys(kind.__module__ for kind in own) for kind in _dataclasses(import_module(home))
    ]
    for kind in sorted(listed, key=lambda kind: not kind.__name__.endswith("Settings")):
        if kind.__module__.startswith(f"{__package__}."):
            yield _table(kind.__name__, kind)


def describe_keys(mechanic: str | None = None) -> str:
    """Describe all keys of a map file as lines of text, or those of one mechanic.

    Raises:
        ValueError: for a mechanic that there is not.
    """
    if mechanic is not None:
        return "\n\n".join(_as_text(table) for table in mechanic_tables(mechanic))
    mechanics = "\n".join(f"  {name:10} {_purpose(find_mechanic(name)).split(chr(10))[0]}" for name in MECHANICS)
    text = "\n\n".join(_as_text(table) for table in map_tables())
    return f"{text}\n\n[mechanics.NAME]: irollan map keys NAME describes one\n{mechanics}"


def _dataclasses(module: ModuleType) -> list[type[Any]]:
    return [kind for kind in vars(module).values() if dataclasses.is_dataclass(kind) and isinstance(kind, type)]


def _as_text(table: Table) -> str:
    lines = [table.heading, *(f"  {line}" for line in table.purpose.splitlines())]
    for key in table.keys:
        default = f" [{key.default}]" if key.default else ""
        lines.append(f"    {key.name}{default}: {key.meaning}")
    return "\n".join(lines)


def _table(heading: str, kind: type[Any]) -> Table:
    doc = inspect.getdoc(kind) or ""
    attributes = doc.partition("Attributes:\n")[2].split("\n\n")[0]
    told = {
        name.strip(): " ".join(meaning.split()).replace("``", "`")
        for names, meaning in _ENTRY.findall(attributes)
        for name in names.split(",")
    }
    keys = [
        Key(
            _RENAMED.get(field.name, field.name) if kind.__module__.startswith("irollan_env.map.") else field.name,
            "laid out" if field.name in _LAID_OUT else _default(field),
            told.get(field.name, ""),
        )
        for field in dataclasses.fields(kind)
        if field.name in told
    ]
    return Table(heading, _purpose(kind), tuple(keys))


def _purpose(kind: type[Any]) -> str:
    doc = inspect.getdoc(kind) or ""
    text = doc.partition("\n\nAttributes:")[0].partition("\n\nExamples:")[0]
    return "\n".join(" ".join(part.split()) for part in text.split("\n\n")).replace("``", "`")


def _default(field: dataclasses.Field[Any]) -> str:
    value = field.default
    if value is dataclasses.MISSING and field.default_factory is not dataclasses.MISSING:
        value = field.default_factory()
    default = getattr(value, "default", value)  # a pydantic Field holds it
    if (factory := getattr(value, "default_factory", None)) is not None:
        default = factory()
    if default is dataclasses.MISSING or type(default).__name__ == "PydanticUndefinedType":
        return "needed"
    if isinstance(default, bool):
        return str(default).lower()
    if isinstance(default, str):
        return f'"{default}"' if default else ""
    if default is None or default == () or default == {}:
        return ""
    return str(list(default)) if isinstance(default, tuple) else str(default)
