"""Mechanics of special things: heavy ones take a carrier and a helper, and stores grow back."""

from __future__ import annotations

from bisect import insort

from irollan_env.world.state import Doing, ValleyState, Verb


def heavy_load(state: ValleyState, resident: int) -> list[int]:
    """Return the heavy things that a resident holds."""
    return [item for item in state.hands[resident] if state.tables.heavy[item]]


def helpers(state: ValleyState, item: int, resident: int) -> list[int]:
    """Return the residents in the same place who help with a heavy thing."""
    lending, here = Doing(Verb.USING_ITEM, item), state.people[state.place[resident]]
    return [other for other in here if other != resident and state.doing[other] == lending]


def liftable(state: ValleyState, resident: int) -> list[int]:
    """Return the heavy things that a resident could help with: lying here, or held by others here."""
    place = state.place[resident]
    held = [item for other in state.people[place] if other != resident for item in heavy_load(state, other)]
    return [item for item in state.visible(place) if state.tables.heavy[item]] + held


def lend_a_hand(state: ValleyState, resident: int, item: int) -> None:
    """Start helping with a heavy thing, until the resident does something else."""
    state.stand_up(resident)
    state.begin(resident, Doing(Verb.USING_ITEM, item))


def carry(state: ValleyState, resident: int, target: int) -> list[int]:
    """Move a resident with what it holds, and its helpers with it; return all who moved."""
    moved = [resident]
    helping = [(helper, item) for item in heavy_load(state, resident) for helper in helpers(state, item, resident)]
    state.go(resident, target)
    for helper, item in helping:
        state.go(helper, target)
        lend_a_hand(state, helper, item)
        moved.append(helper)
    return moved


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
