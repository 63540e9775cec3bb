"""Reads a mechanic's settings from a map's tables."""

from __future__ import annotations

import copy
import json
from collections.abc import Collection, Mapping, Sequence
from typing import Annotated, Any, ClassVar, Generic, Self, TypeVar

from pydantic import ConfigDict, Field, TypeAdapter, ValidationError

from irollan_env.hints import check_known, did_you_mean
from irollan_env.map.valley_map import ValleyMap
from irollan_env.world.mechanic import Mechanic

CLOSED = ConfigDict(extra="forbid", strict=True)
"""Configuration of the pydantic dataclasses of settings: no unknown keys, and no value of another type."""

Positive = Annotated[int, Field(ge=1)]
"""A whole number from 1."""

_T = TypeVar("_T")


class SettledMechanic(Mechanic, Generic[_T]):
    """A mechanic with settings, which events and votes can change.

    A subclass names the pydantic dataclass of its settings and keeps everything else in ``kept``.

    Attributes:
        kind: The type of the settings.
        settings: The settings as they stand.
        kept: What the mechanic keeps, JSON-ready.
    """

    kind: ClassVar[Any]
    settings: _T

    def __init__(self, settings: Mapping[str, Any], valley_map: ValleyMap) -> None:
        """Make the mechanic of a map.

        Raises:
            ValueError: for settings that are wrong, or do not fit the map; it names the key.
        """
        self._map = valley_map
        self._changed = False
        self._settle(settings)
        self.kept: dict[str, Any] = {}

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        twin = copy.copy(self)
        twin.kept = copy.deepcopy(self.kept, memo)
        return twin

    def check(self, valley_map: ValleyMap) -> None:
        """Check that the settings fit a map.

        Raises:
            ValueError: if they do not, naming the key.
        """

    def kind_of(self, name: str) -> str:
        """Return the kind of an item or of furniture; empty for any other name, such as a resident's."""
        return self._map.tables.kind_of.get(name, "")

    def set(self, path: Sequence[str], value: Any) -> None:
        """Change a setting.

        Args:
            path: The keys that lead to it.
            value: Its new value.

        Raises:
            ValueError: for a path that leads to no setting, or a value that does not fit; nothing has changed then.
        """
        changed = copy.deepcopy(dict(self._given))
        table: Any = changed
        for key in path[:-1]:
            if isinstance(table, dict) and key not in table and (hint := did_you_mean(key, table)):
                raise ValueError(f"mechanics.{'.'.join([self.name, *path])}: unknown key {key!r}{hint}")
            table = table.setdefault(key, {}) if isinstance(table, dict) else None
        if not path or not isinstance(table, dict):
            raise ValueError(f"mechanics.{'.'.join([self.name, *path])} is no setting; name a key of the mechanic")
        table[path[-1]] = value
        self._settle(changed)
        self._changed = True

    def get_state(self) -> dict[str, Any]:
        """Return what the mechanic keeps, with its settings where they have changed."""
        return {**copy.deepcopy(self.kept), **({"settings": self._given} if self._changed else {})}

    def set_state(self, state: Any) -> None:
        """Restore a state from ``get_state``."""
        kept = dict(state)
        if "settings" in kept:
            self._settle(kept.pop("settings"))
            self._changed = True
        self.kept = kept

    def _settle(self, given: Mapping[str, Any]) -> None:
        before = getattr(self, "settings", None)
        self.settings = read_settings(self.kind, given, f"mechanics.{self.name}")
        try:
            self.check(self._map)
        except ValueError:
            if before is not None:
                self.settings = before
            raise
        self._given = given


def check_name(where: str, what: str, name: str, known: Collection[str]) -> None:
    """Check that the map has a name.

    Args:
        where: The key, for the message: ``"mechanics.trade.money"``.
        what: What it names: ``"kind of item"``.
        name: The name.
        known: All such names of the map.

    Raises:
        ValueError: if it does not.
    """
    check_known(what, name, known, f"{where}: ")


def read_settings(kind: type[_T], settings: Mapping[str, Any], where: str) -> _T:
    """Build a mechanic's settings, which is a pydantic dataclass with the configuration ``CLOSED``.

    Args:
        kind: The dataclass.
        settings: The table.
        where: Its name in the file: ``"mechanics.needs"``.

    Raises:
        ValueError: for an unknown key, a missing one, or a value of another type, naming the key.
    """
    try:
        # By way of JSON, strict validation takes the lists of TOML for tuples.
        return TypeAdapter(kind).validate_json(json.dumps(settings, default=str))
    except ValidationError as error:
        unknown = ("unexpected_keyword_argument", "extra_forbidden")
        # A misspelt key is also a missing one, and what was written tells more.
        first = min(error.errors(), key=lambda one: one["type"] not in unknown)
        key = ".".join([where, *(str(part) for part in first["loc"])])
        if first["type"] in unknown:
            *_, name = first["loc"]
            known = _keys_beside(kind, first["loc"])
            hint = did_you_mean(str(name), known) or f"; the keys are {', '.join(known)}"
            raise ValueError(f"{key}: unknown key {name!r}{hint}") from error
        if first["type"] in ("missing", "missing_argument"):
            raise ValueError(f"{key} is missing; give it a value") from error
        told = first["msg"].removeprefix("Value error, ")
        raise ValueError(f"{key}: {told}, got {first['input']!r}") from error


def _keys_beside(kind: type[Any], path: tuple[Any, ...]) -> list[str]:
    """Return the keys that the table of an unknown key can have."""
    schema = TypeAdapter(kind).json_schema()
    node: Mapping[str, Any] = schema
    for part in path[:-1]:
        node = _resolved(schema, node)
        node = node.get("properties", {}).get(part) or node.get("additionalProperties") or node.get("items") or {}
    return list(_resolved(schema, node).get("properties", {}))


def _resolved(schema: Mapping[str, Any], node: Mapping[str, Any]) -> Mapping[str, Any]:
    if "$ref" in node:
        found: Mapping[str, Any] = schema["$defs"][node["$ref"].rpartition("/")[2]]
        return found
    return node
