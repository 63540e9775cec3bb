"""Possible mistakes in a map on which a society can still live."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from irollan_env.map.tables import Tables
from irollan_env.map.valley_map import ValleyMap


def warnings_of(valley_map: ValleyMap) -> Iterator[str]:
    """Yield possible mistakes, a line each: places that nobody can reach, areas without furniture."""
    tables = valley_map.tables
    reached = reachable(tables, [0])
    if apart := [place for number, place in enumerate(tables.places) if number not in reached]:
        yield f"no way leads from {tables.places[0]} to {', '.join(apart[:5])}; join their grounds with [[roads]]"
    for area in valley_map.areas:
        if not any(piece.place == area.name for piece in valley_map.furniture):
            yield f"{area.name} has no furniture"


def reachable(tables: Tables, places: Iterable[int]) -> set[int]:
    """Return the numbers of the places to which doors and roads lead from some, which are among them."""
    border = list(places)
    reached = set(border)
    while border:
        new = [there for there in tables.doors[border.pop()] if there not in reached]
        reached.update(new)
        border += new
    return reached
