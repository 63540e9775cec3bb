"""Conversion of maps to and from JSON-ready data, so that a client knows its server's valley."""

from __future__ import annotations

from functools import cache
from typing import Any

from pydantic import TypeAdapter, ValidationError

from irollan_env.map.valley_map import ValleyMap


@cache
def _adapter() -> TypeAdapter[ValleyMap]:
    return TypeAdapter(ValleyMap)


def map_to_json(valley_map: ValleyMap) -> Any:
    """Convert a map to JSON-ready data."""
    return _adapter().dump_python(valley_map, mode="json")


def map_from_json(data: Any) -> ValleyMap:
    """Rebuild a map from the data of ``map_to_json``.

    Raises:
        ValueError: for data that is no map, or a map that contradicts itself.
    """
    try:
        return _adapter().validate_python(data)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in ("map", *first["loc"]))
        raise ValueError(f"{where}: {first['msg']}") from error
