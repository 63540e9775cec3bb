"""The parts that the plans of all tasks are made of."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import NamedTuple

from irollan_env.map.catalogue import WAIT
from irollan_env.tasks.views import View
from irollan_env.world.primitives import chat_with
from irollan_env.world.requests import request


class Leg(NamedTuple):
    """A part of a plan.

    Attributes:
        actions: What to do.
        place: Where one is then.
        used: Items that the plan has put to use; what follows leaves them alone.
        opened: Furniture that the plan has opened.
        ends: Whether the plan ends there, because what follows depends on what will be seen or said.
    """

    actions: tuple[str, ...]
    place: str
    used: frozenset[str] = frozenset()
    opened: frozenset[str] = frozenset()
    ends: bool = False


def do(leg: Leg, *actions: str, ends: bool = False) -> Leg:
    """Do something where one is."""
    return leg if leg.ends else leg._replace(actions=(*leg.actions, *actions), ends=ends)


def go(view: View, leg: Leg, place: str, *actions: str) -> Leg:
    """Go on to a place, and do something there; look for the way where none is known."""
    if leg.ends:
        return leg
    way = view.route(leg.place, place)
    if way is None:
        return explore(view, leg, people=True)
    return leg._replace(actions=(*leg.actions, *way, *actions), place=place)


def explore(view: View, leg: Leg, *, people: bool) -> Leg:
    """Go and look at the nearest of what was not seen yet; what comes after that depends on it."""
    if leg.ends:
        return leg
    found = [_look(view, leg, place, piece) for place, piece in view.unseen(people=people)]
    return min((look for look in found if look is not None), key=length, default=do(leg, WAIT, ends=True))


def _look(view: View, leg: Leg, place: str, piece: str | None) -> Leg | None:
    way = view.route(leg.place, place)
    if way is None:
        return None
    look = () if piece is None else (f"use {piece}",)
    return leg._replace(actions=(*leg.actions, *way, *look) or (WAIT,), place=place, ends=True)


def length(leg: Leg) -> int:
    """Of its actions."""
    return len(leg.actions)


def obtain(view: View, leg: Leg, items: Iterable[str], statuses: Collection[str] = ()) -> tuple[Leg, str]:
    """Get one of several items into one's hands, the nearest that is known, with statuses such as clean and hot.

    Returns:
        The plan, and the item; an empty name where none is known yet.
    """
    ways = [(_treated(view, _one(view, leg, item), item, statuses), item) for item in items if _free(view, leg, item)]
    if not ways:
        return explore(view, leg, people=False), ""
    found, item = min(ways, key=lambda way: (way[0].ends, length(way[0])))
    return found._replace(used=found.used | {item}), item


def _free(view: View, leg: Leg, item: str) -> bool:
    return item not in leg.used and view.where(item) is not None and "eaten" not in view.status(item)


def _one(view: View, leg: Leg, item: str) -> Leg:
    where, near = view.where(item), view.near
    assert where is not None  # asked of known items alone
    if where == view.resident:
        return leg
    if where not in near.place_of:
        there = view.place_of(where)
        if there is None:
            return explore(view, leg, people=True)
        return go(view, leg, there, chat_with(where, request(item)), WAIT)
    return reach_into(go(view, leg, near.place_of[where]), view, where, f"take {item} from {where}")


def reach_into(leg: Leg, view: View, furniture: str, action: str) -> Leg:
    """Do something in or on furniture where one is; open it first, where it is closed."""
    if leg.ends or view.is_open(furniture) or furniture in leg.opened:
        return do(leg, action)
    return do(leg._replace(opened=leg.opened | {furniture}), f"use {furniture}", action)


def _treated(view: View, leg: Leg, item: str, statuses: Collection[str]) -> Leg:
    """Give an item in one's hands the statuses that it lacks; a wash takes the heat away."""
    has = set(view.status(item))
    if "clean" in statuses and "clean" not in has:
        has.discard("hot")
    for status in statuses:
        if status in has or leg.ends:
            continue
        known = [piece for piece in view.near.treating[status] if view.knows(view.near.place_of[piece])]
        if not known:
            return explore(view, leg, people=True)
        ways = (_treat(view, leg, item, piece) for piece in known)
        leg = min(ways, key=length)
    return leg


def _treat(view: View, leg: Leg, item: str, piece: str) -> Leg:
    back = (f"use {piece}", f"take {item} from {piece}")
    if leg.actions and leg.actions[-1] == f"take {item} from {piece}":
        return leg._replace(actions=(*leg.actions[:-1], *back))
    return go(view, leg, view.near.place_of[piece], f"put {item} in/on {piece}", *back)


def put(view: View, leg: Leg, item: str, kind: str, place: str) -> Leg:
    """Bring an item to the first piece of furniture of a kind in a place."""
    if view.route(leg.place, place) is None or not view.knows(place):
        leg = go(view, leg, place)
        return leg if leg.ends else leg._replace(ends=True)
    return go(view, leg, place, f"put {item} in/on {view.near.first(kind, place)}")


def meet(view: View, leg: Leg, person: str, *actions: str) -> Leg:
    """Go where a person is, and do something; look for the person where that is not known."""
    place = view.place_of(person)
    return explore(view, leg, people=True) if place is None else go(view, leg, place, *actions)
