"""Things that grow again: what was used up of a store lies there anew, as long as the store was not emptied."""

from __future__ import annotations

from bisect import insort

from irollan_env.world.state import Doing, ValleyState, Verb


def grow(state: ValleyState) -> None:
    """Let one used-up thing of each store whose time it is lie there again, where another of its own still does."""
    starts = state.tables.item_start
    for store, steps in state.tables.growing:
        if state.time % steps == 0 and any(starts[item] == store for item in state.contents(store)):
            own = (item for item, start in enumerate(starts) if start == store)
            if (item := next((item for item in own if state.spent(item)), None)) is not None:
                _put_back(state, item, store)


def _put_back(state: ValleyState, item: int, store: int) -> None:
    """From wherever it is to where it began, as it was."""
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
