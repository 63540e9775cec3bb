"""Ways from place to place."""

from __future__ import annotations

from functools import lru_cache

from irollan_env.map.tables import Tables


@lru_cache(maxsize=65536)
def route_on(tables: Tables, start: str, goal: str) -> tuple[str, ...] | None:
    """The shortest way from place to place, as actions; empty when one is there already, None when there is none."""
    return _search(tables, None, start, goal)


@lru_cache(maxsize=65536)
def known_route(tables: Tables, visited: frozenset[str], start: str, goal: str) -> tuple[str, ...] | None:
    """The same, through doors that lead from or to a place that was visited."""
    return _search(tables, visited, start, goal)


@lru_cache(maxsize=65536)
def nearest_on(tables: Tables, pieces: tuple[str, ...], start: str) -> str | None:
    """The piece of furniture that is nearest to a place, the first of several; None where there is no way to any."""
    return _nearest(tables, None, pieces, start)


@lru_cache(maxsize=65536)
def known_nearest(tables: Tables, visited: frozenset[str], pieces: tuple[str, ...], start: str) -> str | None:
    """The same, of those in places that were visited."""
    return _nearest(tables, visited, pieces, start)


def _nearest(tables: Tables, visited: frozenset[str] | None, pieces: tuple[str, ...], start: str) -> str | None:
    ways = []
    for number, piece in enumerate(pieces):
        place = tables.places[tables.place_of_furniture[tables.furniture_number[piece]]]
        if visited is None or place in visited:
            way = route_on(tables, start, place) if visited is None else known_route(tables, visited, start, place)
            if way is not None:
                ways.append((len(way), number))
    return pieces[min(ways)[1]] if ways else None


def _search(tables: Tables, visited: frozenset[str] | None, start: str, goal: str) -> tuple[str, ...] | None:
    """Breadth first, through doors that lead from or to a place that was visited; through any, for None."""
    first, last = tables.place_number[start], tables.place_number[goal]
    seen = None if visited is None else {tables.place_number[place] for place in visited}
    came_from = {first: first}
    frontier = [first]
    while frontier and last not in came_from:
        reached = []
        for here in frontier:
            for there in tables.doors[here]:
                if there not in came_from and (seen is None or here in seen or there in seen):
                    came_from[there] = here
                    reached.append(there)
        frontier = reached
    if last not in came_from:
        return None
    way = []
    while last != first:
        way.append(f"go to {tables.places[last]}")
        last = came_from[last]
    return tuple(reversed(way))
