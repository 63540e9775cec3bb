"""Other names for the residents of a map, wherever the map has them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from irollan_env.map.records import MapRecords
from irollan_env.naming import owner


def renamed(records: MapRecords, names: Sequence[str]) -> dict[str, Any]:
    """Return the parts of a map in which residents have names, with other names: "AY's Home" is "Anna's Home" then.

    Args:
        records: The map.
        names: The names of the residents, in the map's order; the rest keep their own.

    Raises:
        ValueError: for more names than residents.
    """
    if len(names) > len(records.residents):
        raise ValueError(
            f"names has {len(names)} names for {len(records.residents)} residents; leave out {names[-1]!r} or add homes"
        )
    new = {one.name: name for one, name in zip(records.residents, names, strict=False)}

    def called(name: str) -> str:
        whose = owner(name)
        return f"{new[whose]}{name.removeprefix(whose)}" if whose in new else new.get(name, name)

    return {
        "residents": tuple(
            replace(one, name=new[one.name], home=called(one.home), display_name=new[one.name])
            if one.name in new
            else replace(one, home=called(one.home))
            for one in records.residents
        ),
        "areas": tuple(replace(area, name=called(area.name)) for area in records.areas),
        "furniture": tuple(replace(piece, place=called(piece.place)) for piece in records.furniture),
        "items": tuple(replace(item, name=called(item.name)) for item in records.items),
        "mechanics": {name: _deep(settings, called) for name, settings in records.mechanics.items()},
    }


def _deep(value: Any, called: Any) -> Any:
    if isinstance(value, str):
        return called(value)
    if isinstance(value, Mapping):
        return {called(key): _deep(one, called) for key, one in value.items()}
    return [_deep(one, called) for one in value] if isinstance(value, list | tuple) else value
