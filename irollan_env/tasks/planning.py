"""Building blocks for the plans of all tasks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from math import inf
from typing import NamedTuple

from irollan_env.actions import chat_with
from irollan_env.map.catalogue import WAIT
from irollan_env.tasks.views import View
from irollan_env.world.requests import request


class Leg(NamedTuple):
    """A plan, or its beginning, to which further actions are added.

    Attributes:
        actions: The actions.
        place: The resident's place after the actions.
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
    """Add actions at the plan's current place.

    Args:
        leg: The plan so far.
        actions: The actions.
        ends: Whether the plan ends with them.
    """
    return leg if leg.ends else Leg((*leg.actions, *actions), leg.place, leg.used, leg.opened, ends)


def go(view: View, leg: Leg, place: str, *actions: str) -> Leg:
    """Go to a place and act there; explore where no way is known.

    Args:
        view: The knowledge that the plan relies on.
        leg: The plan so far.
        place: The destination.
        actions: The actions there.
    """
    if leg.ends:
        return leg
    way = view.route(leg.place, place)
    if way is None:
        return explore(view, leg, people=True)
    return Leg((*leg.actions, *way, *actions), place, leg.used, leg.opened)


def explore(view: View, leg: Leg, *, people: bool) -> Leg:
    """Go to the nearest unexplored place or furniture and end the plan there.

    Args:
        view: The knowledge that the plan relies on.
        leg: The plan so far.
        people: Whether a person is looked for, and not a thing.
    """
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
    """Return the number of a plan's actions."""
    return len(leg.actions)


def obtain(view: View, leg: Leg, items: Sequence[str], statuses: tuple[str, ...] = ()) -> tuple[Leg, str]:
    """Obtain one of several items, the nearest known, with statuses such as clean and hot.

    Args:
        view: The knowledge that the plan relies on.
        leg: The plan so far.
        items: The items, any of which will do.
        statuses: The statuses that the item must have, in the order of making them.

    Returns:
        The plan, and the item; an empty name where none is known yet.
    """
    ways, free = view.ways(leg.place), list[str]()
    nearest, shortest = "", inf
    for item, (where, has) in zip(items, view.whereabouts(items), strict=True):
        if where is not None and item not in leg.used and "eaten" not in has:
            free.append(item)
            steps = _steps(view, leg, item, where, _lacking(has, statuses), ways, shortest)
            if steps is not None and steps < shortest:
                nearest, shortest = item, steps
    if not free:
        return explore(view, leg, people=False), ""
    plans = [(_treated(view, _one(view, leg, item), item, statuses), item) for item in ([nearest] if nearest else free)]
    found, item = min(plans, key=lambda way: length(way[0]))
    return found._replace(used=found.used | {item}), item


def _steps(
    view: View,
    leg: Leg,
    item: str,
    where: str,
    lacking: Sequence[str],
    ways: Mapping[str, tuple[str, ...]],
    least: float = inf,
) -> int | None:
    """Return how many steps it takes to get an item with statuses; None where that needs exploring.

    To compare lengths takes a fraction of the time that it takes to make the plans.

    Args:
        view: The knowledge that the plan relies on.
        leg: The plan.
        item: The item.
        where: The furniture or person that has the item.
        lacking: The statuses that the item still lacks.
        ways: Routes from the plan's last place to the places nearby.
        least: The length so far to beat; longer plans may return None.
    """
    if leg.ends:
        return None
    near = view.near
    if where == view.resident:
        steps, place, source = 0, leg.place, _taken_from(leg, item)
    else:
        stands = near.place_of.get(where)
        there = stands or view.place_of(where)
        way = None if there is None else ways.get(there) or view.route(leg.place, there)
        if there is None or way is None or len(way) + len(lacking) + 1 >= least:
            return None
        at_hand = stands is not None and (view.is_open(where) or where in leg.opened)
        steps, place, source = len(way) + (1 if at_hand else 2), there, where
    for status in lacking:
        if source in near.treating[status]:
            steps += 1
        elif (found := view.nearest(status, place)) is None:
            return None
        else:
            source, doors = found
            place = near.place_of[source]
            steps += doors + 3
    return steps


@lru_cache(maxsize=1024)
def _lacking(has: tuple[str, ...], statuses: tuple[str, ...]) -> Sequence[str]:
    """Return the statuses that an item still lacks; washing removes heat."""
    if not statuses:
        return ()
    washed = "clean" in statuses and "clean" not in has
    return [status for status in statuses if status not in has or (washed and status == "hot")]


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
    """Act on or in furniture at the current place, opening it first if it is closed.

    Args:
        leg: The plan so far.
        view: The knowledge that the plan relies on.
        furniture: Its name.
        action: The action.
    """
    if leg.ends or view.is_open(furniture) or furniture in leg.opened:
        return do(leg, action)
    return do(leg._replace(opened=leg.opened | {furniture}), f"use {furniture}", action)


def _treated(view: View, leg: Leg, item: str, statuses: tuple[str, ...]) -> Leg:
    """Give a held item the statuses that it lacks."""
    for status in _lacking(view.status(item), statuses):
        if leg.ends:
            break
        piece = _taken_from(leg, item)
        if piece in view.near.treating[status]:
            leg = leg._replace(actions=(*leg.actions[:-1], *_use_and_take(piece, item)))
        elif (found := view.nearest(status, leg.place)) is None:
            return explore(view, leg, people=True)
        else:
            nearest = found[0]
            put_there = f"put {item} in/on {nearest}"
            leg = go(view, leg, view.near.place_of[nearest], put_there, *_use_and_take(nearest, item))
    return leg


def _taken_from(leg: Leg, item: str) -> str:
    """Return the furniture from which the last action takes an item; empty for none."""
    last, taking = leg.actions[-1] if leg.actions else "", f"take {item} from "
    return last.removeprefix(taking) if last.startswith(taking) else ""


def _use_and_take(piece: str, item: str) -> tuple[str, str]:
    return f"use {piece}", f"take {item} from {piece}"


def put(view: View, leg: Leg, item: str, kind: str, place: str) -> Leg:
    """Bring an item to the first receptacle of a kind in a place.

    Args:
        view: The knowledge that the plan relies on.
        leg: The plan so far.
        item: The held item.
        kind: The kind of furniture.
        place: The place of the furniture.
    """
    if view.route(leg.place, place) is None or not view.knows(place):
        leg = go(view, leg, place)
        return leg if leg.ends else leg._replace(ends=True)
    return go(view, leg, place, f"put {item} in/on {view.near.first(kind, place)}")


def meet(view: View, leg: Leg, person: str, *actions: str) -> Leg:
    """Go to a person and act there; explore where the person's place is unknown.

    Args:
        view: The knowledge that the plan relies on.
        leg: The plan so far.
        person: The person to meet.
        actions: The actions there.
    """
    place = view.place_of(person)
    return explore(view, leg, people=True) if place is None else go(view, leg, place, *actions)
