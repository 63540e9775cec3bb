"""Configuration keys by path, such as ``ltrha.rank_by``: from tables, from text, and as TOML."""

from __future__ import annotations

import json
import re
import tomllib
import types
from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass
from enum import StrEnum
from functools import cache, wraps
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

from irollan_env.hints import did_you_mean, quote

T = TypeVar("T")
_HINTS = cache(get_type_hints)  # Each run settles a dozen parts, some of them many times.
Keys = dict[str, Any]
"""Values of a configuration by path, as JSON-ready data."""

FILES = ("world.events", "world.identities")
"""Tables for which a name or a file can stand."""

TABLES = ("world.scenario",)
"""Names for which a table can stand: what a file of this name held."""

_A = {str: "a text", int: "a whole number", float: "a number", bool: "true or false", tuple: "a list", dict: "a table"}


def kind_of(hint: Any) -> type:
    """Return the type of a field without its None: str, int, float, bool, tuple, dict, an enum or a dataclass."""
    if get_origin(hint) in (Union, types.UnionType):
        return kind_of(next(one for one in get_args(hint) if one is not type(None)))
    origin = get_origin(hint) or hint
    return dict if origin is Mapping or (isinstance(origin, type) and issubclass(origin, Mapping)) else origin


def kinds_of_fields(cls: type) -> dict[str, type]:
    """Return the type of each field of a dataclass."""
    hints = _HINTS(cls)
    return {one.name: kind_of(hints[one.name]) for one in fields(cls)}


def paths_of(cls: type, before: str = "") -> dict[str, type]:
    """Return the type of each value of a dataclass, by path through fields that are dataclasses."""
    found: dict[str, type] = {}
    for name, kind in kinds_of_fields(cls).items():
        found |= paths_of(kind, f"{before}{name}.") if is_dataclass(kind) else {f"{before}{name}": kind}
    return found


def made_by_keys(cls: type[T]) -> type[T]:
    """Have a dataclass name its keys where it is made by a value without a key, or by a key that it does not have."""
    make, known = cls.__init__, [one.name for one in fields(cls)]  # type: ignore[arg-type]

    @wraps(make)
    def checked(self: T, *values: Any, **keys: Any) -> None:
        if values:
            raise TypeError(f"{cls.__name__} takes its values by key: {known[0]}={values[0]!r} for the first")
        for key in keys:
            if key not in known:
                kinds = kinds_of_fields(cls)
                within = (p for p in paths_of(cls) if p.rpartition(".")[2] == key)
                part = next(within, "").partition(".")[0]
                hint = f"; did you mean {part}={kinds[part].__name__}({key}=...)?" if part else did_you_mean(key, known)
                listed = f"; its keys are {', '.join(known)}"
                raise TypeError(f"{cls.__name__} has no key {key!r}{hint or listed}")
        make(self, **keys)

    cls.__init__ = checked  # type: ignore[assignment]
    return cls


def check_value(path: str, value: Any, kind: type) -> Any:
    """Check the value of a key and convert it to the type of the key.

    Args:
        path: The key, for the message.
        value: What was given.
        kind: As of ``kind_of``.

    Raises:
        ValueError: for a value of another type, or none of the choices.
    """
    if path in TABLES and isinstance(value, Mapping):
        return value
    if issubclass(kind, StrEnum):
        choices = [str(one) for one in kind]
        if value not in choices:
            hint = did_you_mean(value, choices) if isinstance(value, str) else ""
            raise ValueError(f"{path} must be one of {', '.join(choices)}, got {value!r}{hint}")
        return kind(value)
    if kind is tuple and isinstance(value, str):
        value = read_text(path, value, kind)
    if kind is tuple and isinstance(value, (list, tuple)) and all(isinstance(one, str) for one in value):
        return tuple(value)
    if kind is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    fits = isinstance(value, Mapping if kind is dict else kind) and isinstance(value, bool) == (kind is bool)
    if not fits or kind is tuple:
        raise ValueError(f"{path} must be {'a list of texts' if kind is tuple else _A[kind]}, got {value!r}")
    return value


def settle(part: Any, before: str) -> None:
    """Check the fields of a frozen dataclass and convert each value: "share" becomes ``ResourceMode.SHARE``.

    Args:
        part: A part of a configuration; None stands where a field may have it.
        before: What stands before the names of its fields in messages, such as "ltrha.".

    Raises:
        ValueError: for a value that is none.
    """
    defaults = {one.name: one.default for one in fields(part)}
    for name, kind in kinds_of_fields(type(part)).items():
        value = getattr(part, name)
        if is_dataclass(kind):
            if not isinstance(value, kind):
                raise ValueError(f"{before}{name} must be {kind.__name__}, got {value!r}")
        elif value is not None or defaults[name] is not None:
            object.__setattr__(part, name, check_value(f"{before}{name}", value, kind))


def check_range(path: str, value: int, least: int, most: int) -> None:
    """Check that a whole number is within a range.

    Args:
        path: Of the key, for the message.
        value: The number.
        least: The smallest allowed value.
        most: The largest allowed value.

    Raises:
        ValueError: for one out of range.
    """
    if not least <= value <= most:
        raise ValueError(f"{path} must be a whole number from {least} to {most}, got {value!r}")


def flatten(tables: Mapping[str, Any], known: Mapping[str, type], before: str = "") -> Keys:
    """Convert nested tables to values by path.

    Args:
        tables: As a TOML file has them.
        known: The paths that there are.
        before: The path of these tables, with a dot behind it.

    Raises:
        ValueError: for an unknown key.
    """
    found: Keys = {}
    for name, value in tables.items():
        path = before + name.replace("-", "_")
        if path in known:
            found[path] = value
        elif isinstance(value, Mapping) and any(one.startswith(f"{path}.") for one in known):
            found |= flatten(value, known, f"{path}.")
        else:
            check_path(path, known)
    return found


def check_path(path: str, known: Iterable[str]) -> None:
    """Check that a key exists.

    Args:
        path: Of the key.
        known: All keys.

    Raises:
        ValueError: for one that is not; for a key without its part the message names it with the part.
    """
    listed = list(known)
    if path in listed:
        return
    parts = dict.fromkeys(one.rpartition(".")[0] for one in listed)
    if path in parts:
        own = [one for one in listed if one.startswith(f"{path}.")]
        raise ValueError(f"{path} is a part of the configuration: give one of its keys, {', '.join(own)}")
    last = path.rpartition(".")[2]
    same = [one for one in listed if one.rpartition(".")[2] == last]
    hint = f"; did you mean {same[0]!r}?" if same else did_you_mean(path, listed)
    if not hint and (near := re.search(r"'(.+)'", did_you_mean(last, [one.rpartition(".")[2] for one in listed]))):
        hint = f"; did you mean {next(one for one in listed if one.rpartition('.')[2] == near[1])!r}?"
    if hint:
        raise ValueError(f"unknown key {path!r}{hint}")
    part = path.partition(".")[0]
    shown = [one for one in listed if ".parameters." not in one]
    if own := [one for one in shown if one.startswith(f"{part}.")]:
        raise ValueError(f"unknown key {path!r}: the part {part} has {', '.join(own)}")
    tables = dict.fromkeys(f"{one.partition('.')[0]}.KEY" for one in shown if "." in one)
    keys = ", ".join([*(one for one in shown if "." not in one), *tables])
    raise ValueError(f"unknown key {path!r}: it must be one of {keys}; irollan config lists all")


def read_setting(text: str, known: Mapping[str, type]) -> tuple[str, Any]:
    """Parse KEY=VALUE; the items of a list are separated by commas, or written as in TOML.

    Args:
        text: Such as ``ltrha.rank_by=company``.
        known: All keys with their types.

    Raises:
        ValueError: for a text of another form, an unknown key, or a value of another type.
    """
    path, equals, value = text.partition("=")
    path = path.strip().replace("-", "_")
    if not equals:
        raise ValueError(f"--set takes KEY=VALUE, got {text!r}")
    check_path(path, known)
    return path, read_text(path, value.strip(), known[path])


def read_text(path: str, text: str, kind: type) -> Any:
    """Convert text to the value of a key; a list may be written as ``a,b`` or, as in TOML, ``["a", "b"]``.

    Args:
        path: Of the key, for the message.
        text: Of the value.
        kind: The type of the key.

    Raises:
        ValueError: for a text that stands for no such value, and for a table.
    """
    if path in FILES:
        return text
    if kind is dict:
        raise ValueError(f"{path} is a table, which only a file can give")
    if kind is tuple and text.startswith("["):
        return toml_value(path, text)
    if kind is tuple:
        return [one for part in text.split(",") if (one := part.strip())]
    if kind is bool:
        if text.lower() not in ("true", "false"):
            raise ValueError(f"{path} must be true or false, got {text!r}")
        return text.lower() == "true"
    if kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            raise ValueError(f"{path} must be {_A[kind]}, got {text!r}") from None
    return text


def toml_value(path: str, text: str) -> Any:
    """Read a value that is written as in a TOML file.

    Args:
        path: Of its key, for the message.
        text: Such as ``["emotion", "driver"]``.

    Raises:
        ValueError: if it is not TOML.
    """
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        reason = str(error).partition(" (at ")[0]
        raise ValueError(f'{path} must be a list such as ["a", "b"], got {quote(text)}: {reason}') from error


def nest(keys: Mapping[str, Any]) -> dict[str, Any]:
    """Convert values by path to nested tables."""
    found: dict[str, Any] = {}
    for path, value in keys.items():
        *parts, last = path.split(".")
        table = found
        for part in parts:
            table = table.setdefault(part, {})
        table[last] = value
    return found


def build(cls: type[Any], tables: Mapping[str, Any], before: str = "") -> Any:
    """Build a dataclass from nested tables; missing fields keep their defaults.

    Args:
        cls: The dataclass.
        tables: Its fields, those that are dataclasses as tables.
        before: The path of the dataclass, with a dot behind it.

    Raises:
        ValueError: for a value that it refuses; the message names the key by its path.
    """
    kinds = kinds_of_fields(cls)
    optional = {one.name for one in fields(cls) if one.default is None}
    values = {}
    for name, value in tables.items():
        if name not in kinds:
            raise ValueError(f"unknown key {before + name!r}{did_you_mean(name, kinds)}")
        if is_dataclass(kinds[name]):
            if not isinstance(value, Mapping):
                raise ValueError(f"{before}{name} must be a table, got {value!r}")
            values[name] = build(kinds[name], value, f"{before}{name}.")
        elif value is not None or name not in optional:
            values[name] = check_value(f"{before}{name}", value, kinds[name])
    try:
        return cls(**values)
    except ValueError as error:
        # A dataclass of another package does not know by which path it is reached.
        if before and not str(error).startswith(before.split(".")[0]):
            raise ValueError(f"{before.removesuffix('.')}: {error}") from error
        raise


def as_data(value: Any) -> Any:
    """Convert a dataclass, with everything in it, to JSON-ready data."""
    if is_dataclass(value) and not isinstance(value, type):
        return {one.name: as_data(getattr(value, one.name)) for one in fields(value)}
    if isinstance(value, Mapping):
        return {key: as_data(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [as_data(one) for one in value]
    return str(value) if isinstance(value, StrEnum) else value


def to_toml(keys: Mapping[str, Any], known: Mapping[str, type]) -> str:
    """Write values by path as TOML; empty texts and tables are left out, as is None, which TOML lacks.

    Args:
        keys: Values by path.
        known: What each key holds.
    """
    lines: dict[str, list[str]] = {"": []}
    tables: list[str] = []
    for path, value in keys.items():
        part, _, name = path.rpartition(".")
        if value in (None, "") or value == {}:
            continue
        if known[path] is dict:
            tables += _tables(path, value)
        else:
            lines.setdefault(part, ["", f"[{part}]"]).append(f"{name} = {written(value)}")
    return "\n".join([*(line for own in lines.values() for line in own), *tables]) + "\n"


def _tables(path: str, table: Mapping[str, Any]) -> list[str]:
    """Write a table of values, or of tables, as lines of TOML."""
    plain = {key: value for key, value in table.items() if not isinstance(value, Mapping)}
    lines = (
        ["", f"[{path}]", *(f"{written_key(key)} = {written(value)}" for key, value in plain.items())] if plain else []
    )
    for key, value in table.items():
        if isinstance(value, Mapping):
            lines += _tables(f"{path}.{written_key(key)}", value)
    return lines


def written_key(key: str) -> str:
    """Return a key as it is written in TOML, in quotes where it needs them."""
    return key if re.fullmatch(r"[A-Za-z0-9_-]+", key) else written(key)


def written(value: Any) -> str:
    """Return a value as it is written in TOML, in one line."""
    if isinstance(value, Mapping):
        return f"{{ {', '.join(f'{written_key(key)} = {written(one)}' for key, one in value.items())} }}"
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(written, value))}]"
    if isinstance(value, float):
        return repr(value)
    # JSON's strings, numbers and truth values are TOML's, but for one character.
    return json.dumps(str(value) if isinstance(value, StrEnum) else value, ensure_ascii=False).replace(
        "\x7f", "\\u007f"
    )
