"""The parts that the plans of all tasks are made of."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

from irollan_env.map.catalogue import WAIT
from irollan_env.map.tables import Tables
from irollan_env.tasks.neighbourhood import Neighbourhood
from irollan_env.world.primitives import chat_with
from irollan_env.world.requests import request
from irollan_env.world.world import World


class Leg(NamedTuple):
    """A part of a plan: what to do, and in which place one is then."""

    actions: tuple[str, ...]
    place: str


def go(near: Neighbourhood, leg: Leg, place: str, *actions: str) -> Leg:
    """Go on to a place, and do something there."""
    return Leg((*leg.actions, *route(near.tables, leg.place, place), *actions), place)


def obtain(near: Neighbourhood, world: World, resident: str, item: str) -> Leg:
    """Get an item into one's hands. When somebody else has it, one goes there and asks for it."""
    here, where = Leg((), world.place_of(resident)), world.where_is(item)
    if where == resident:
        return here
    if where not in near.place_of:
        return go(near, here, world.place_of(where), chat_with(where, request(item)), WAIT)
    return go(near, here, near.place_of[where], f"take {item} from {where}")


def obtain_treated(near: Neighbourhood, world: World, resident: str, item: str, status: str) -> Iterator[Leg]:
    """All ways to get an item into one's hands that has a status, such as clean: one for each place to give it that."""
    if status in world.status_of(item):
        yield obtain(near, world, resident, item)
        return
    where = world.where_is(item)
    for furniture in near.treating[status]:
        use = (f"use {furniture}", f"take {item} from {furniture}")
        if where == furniture:
            yield go(near, Leg((), world.place_of(resident)), near.place_of[furniture], *use)
        else:
            held = obtain(near, world, resident, item)
            yield go(near, held, near.place_of[furniture], f"put {item} in/on {furniture}", *use)


def shortest(legs: Iterable[Leg]) -> tuple[str, ...]:
    """The actions of the shortest of several plans; of equally short ones the first."""
    return min((leg.actions for leg in legs), key=len)


@lru_cache(maxsize=65536)
def route(tables: Tables, start: str, goal: str) -> tuple[str, ...]:
    """The shortest way from place to place, as actions; empty when one is there already.

    Raises:
        ValueError: when no way leads there.
    """
    first, last = tables.place_number[start], tables.place_number[goal]
    came_from = {first: first}
    frontier = [first]
    while frontier and last not in came_from:
        reached = []
        for here in frontier:
            for there in tables.doors[here]:
                if there not in came_from:
                    came_from[there] = here
                    reached.append(there)
        frontier = reached
    if last not in came_from:
        raise ValueError(f"no way leads from {start!r} to {goal!r}")
    way = []
    while last != first:
        way.append(f"go to {tables.places[last]}")
        last = came_from[last]
    return tuple(reversed(way))
