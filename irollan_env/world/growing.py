"""Regrowth: used-up things of a store reappear as long as the store was not emptied."""

from __future__ import annotations

from bisect import insort

from irollan_env.world.state import Doing, ValleyState, Verb


def grow(state: ValleyState) -> None:
    """Regrow one used-up thing in each store that is due and not empty."""
    starts = state.tables.item_start
    for store, steps in state.tables.growing:
        if state.time % steps == 0 and any(starts[item] == store for item in state.contents(store)):
            own = (item for item, start in enumerate(starts) if start == store)
            if (item := next((item for item in own if state.spent(item)), None)) is not None:
                _put_back(state, item, store)


def _put_back(state: ValleyState, item: int, store: int) -> None:
    """Reset an item to its first place and status."""
    place_of = state.tables.place_of_furniture
    if (holder := ~state.on[item]) >= 0:
        state.hands[holder].remove(item)
        if state.doing[holder] == Doing(Verb.USING_ITEM, item):
            state.settle(holder)
    else:
        state.lying[place_of[state.on[item]]].remove(item)
        state.touch(place_of[state.on[item]])
    state.on[item], state.status[item], state.placed[item] = store, 0, None
    insort(state.lying[place_of[store]], item)
    state.touch(place_of[store])
