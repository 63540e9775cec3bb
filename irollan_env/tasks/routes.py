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
