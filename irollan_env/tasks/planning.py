"""The parts that the plans of all tasks are made of."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from irollan_env.map.catalogue import WAIT
from irollan_env.policies.simple import request
from irollan_env.tasks.atlas import Atlas, route
from irollan_env.world.primitives import chat_with
from irollan_env.world.world import World


class Leg(NamedTuple):
    """A part of a plan: what to do, and in which place one is then."""

    actions: tuple[str, ...]
    place: str


def go(atlas: Atlas, leg: Leg, place: str, *actions: str) -> Leg:
    """Go on to a place, and do something there."""
    return Leg((*leg.actions, *route(atlas.tables, leg.place, place), *actions), place)


def obtain(atlas: Atlas, world: World, resident: str, item: str) -> Leg:
    """Get an item into one's hands. When somebody else has it, one goes there and asks for it."""
    here, where = Leg((), world.place_of(resident)), world.where_is(item)
    if where == resident:
        return here
    if where not in atlas.place_of:
        return go(atlas, here, world.place_of(where), chat_with(where, request(item)), WAIT)
    return go(atlas, here, atlas.place_of[where], f"take {item} from {where}")


def obtain_treated(atlas: Atlas, world: World, resident: str, item: str, status: str) -> Iterator[Leg]:
    """All ways to get an item into one's hands that has a status, such as clean: one for each place to give it that."""
    if status in world.status_of(item):
        yield obtain(atlas, world, resident, item)
        return
    where = world.where_is(item)
    for furniture in atlas.treating[status]:
        use = (f"use {furniture}", f"take {item} from {furniture}")
        if where == furniture:
            yield go(atlas, Leg((), world.place_of(resident)), atlas.place_of[furniture], *use)
        else:
            held = obtain(atlas, world, resident, item)
            yield go(atlas, held, atlas.place_of[furniture], f"put {item} in/on {furniture}", *use)


def shortest(legs: Iterable[Leg]) -> tuple[str, ...]:
    """The actions of the shortest of several plans; of equally short ones the first."""
    return min((leg.actions for leg in legs), key=len)
