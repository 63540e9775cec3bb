"""Reads a mechanic's settings from a map's tables."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, TypeVar

from pydantic import ConfigDict, TypeAdapter, ValidationError

from irollan_env.hints import did_you_mean

CLOSED = ConfigDict(extra="forbid", strict=True)
"""Configuration of the pydantic dataclasses of settings: no unknown keys, and no value of another type."""

_T = TypeVar("_T")


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
        first = error.errors()[0]
        key = ".".join([where, *(str(part) for part in first["loc"])])
        if first["type"] in ("unexpected_keyword_argument", "extra_forbidden"):
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
