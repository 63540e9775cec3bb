"""Shortest routes between places."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import lru_cache

from irollan_env.map.tables import Tables
from irollan_env.tasks.neighbourhood import Neighbourhood


@lru_cache(maxsize=65536)
def route_on(tables: Tables, start: str, goal: str) -> tuple[str, ...] | None:
    """Return the shortest route as actions; empty when start and goal are the same, None when there is none.

    Args:
        tables: The map.
        start: The name of a place.
        goal: The name of a place.
    """
    return _route(tables, None, start, goal)


@lru_cache(maxsize=65536)
def known_route(tables: Tables, visited: frozenset[str], start: str, goal: str) -> tuple[str, ...] | None:
    """Return the shortest route through doors that lead from or to a visited place."""
    return _route(tables, visited, start, goal)


@lru_cache(maxsize=16384)
def ways_on(near: Neighbourhood, start: str) -> Mapping[str, tuple[str, ...]]:
    """Return the shortest routes from a place to all places near a home; unreachable places are left out.

    Args:
        near: The surroundings of the home.
        start: The name of a place.
    """
    return _ways(near, None, start)


@lru_cache(maxsize=1024)
def known_ways(near: Neighbourhood, visited: frozenset[str], start: str) -> Mapping[str, tuple[str, ...]]:
    """Return the shortest routes through doors that lead from or to a visited place."""
    return _ways(near, visited, start)


@lru_cache(maxsize=65536)
def nearest_on(near: Neighbourhood, status: str, start: str) -> tuple[str, int] | None:
    """Return the furniture near a home that gives a status and is nearest to a place, the first of several.

    Args:
        near: The surroundings of the home.
        status: Such as ``"clean"``.
        start: The name of a place.

    Returns:
        It, and how many doors away it is; None where there is no way to any.
    """
    return _nearest(near, status, ways_on(near, start), near.receptacles)


@lru_cache(maxsize=4096)
def known_nearest(near: Neighbourhood, visited: frozenset[str], status: str, start: str) -> tuple[str, int] | None:
    """Return the nearest furniture that gives a status in a visited place."""
    return _nearest(near, status, known_ways(near, visited, start), visited)


def _nearest(
    near: Neighbourhood, status: str, ways: Mapping[str, tuple[str, ...]], places: Collection[str]
) -> tuple[str, int] | None:
    pieces = near.treating[status]
    found = [
        (len(ways[place]), number)
        for number, piece in enumerate(pieces)
        if (place := near.place_of[piece]) in ways and place in places
    ]
    if not found:
        return None
    doors, number = min(found)
    return pieces[number], doors


def _ways(near: Neighbourhood, visited: frozenset[str] | None, start: str) -> Mapping[str, tuple[str, ...]]:
    tables = near.tables
    numbers = [tables.place_number[place] for place in near.receptacles]
    came_from = _search(tables, visited, start, numbers)
    return {tables.places[number]: _way(tables, came_from, number) for number in numbers if number in came_from}


def _way(tables: Tables, came_from: Mapping[int, int], last: int) -> tuple[str, ...]:
    way = []
    while last != came_from[last]:
        way.append(f"go to {tables.places[last]}")
        last = came_from[last]
    return tuple(reversed(way))


def _route(tables: Tables, visited: frozenset[str] | None, start: str, goal: str) -> tuple[str, ...] | None:
    last = tables.place_number[goal]
    came_from = _search(tables, visited, start, (last,))
    return _way(tables, came_from, last) if last in came_from else None


def _search(tables: Tables, visited: frozenset[str] | None, start: str, wanted: Collection[int]) -> Mapping[int, int]:
    """Search breadth-first until all wanted places are found.

    Args:
        tables: The map.
        visited: Doors lead from or to one of these places; None for any doors.
        start: The place where the search begins.
        wanted: The numbers of places.

    Returns:
        By the number of each place that was found, from which place one comes there; from itself at the start.
    """
    first = tables.place_number[start]
    seen = None if visited is None else {tables.place_number[place] for place in visited}
    came_from, frontier = {first: first}, [first]
    missing = set(wanted) - {first}
    while frontier and missing:
        reached = []
        for here in frontier:
            for there in tables.doors[here]:
                if there not in came_from and (seen is None or here in seen or there in seen):
                    came_from[there] = here
                    reached.append(there)
        missing.difference_update(reached)
        frontier = reached
    return came_from
