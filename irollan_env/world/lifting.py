"""Heavy things take two residents: one carries, one helps by using them."""

from __future__ import annotations

from irollan_env.world.state import Doing, ValleyState, Verb


def heavy_load(state: ValleyState, resident: int) -> list[int]:
    """Heavy things that a resident holds."""
    return [item for item in state.hands[resident] if state.tables.heavy[item]]


def helpers(state: ValleyState, item: int, resident: int) -> list[int]:
    """Residents in the same place who help with a heavy thing."""
    lending, here = Doing(Verb.USING_ITEM, item), state.people[state.place[resident]]
    return [other for other in here if other != resident and state.doing[other] == lending]


def liftable(state: ValleyState, resident: int) -> list[int]:
    """Heavy things that a resident could help with: those that lie here or that others hold here."""
    place = state.place[resident]
    held = [item for other in state.people[place] if other != resident for item in heavy_load(state, other)]
    return [item for item in state.visible(place) if state.tables.heavy[item]] + held


def lend_a_hand(state: ValleyState, resident: int, item: int) -> None:
    """Start helping with a heavy thing, until the resident does something else."""
    state.stand_up(resident)
    state.begin(resident, Doing(Verb.USING_ITEM, item))


def carry(state: ValleyState, resident: int, target: int) -> list[int]:
    """Move a resident with what it holds; its helpers come along. Gives everybody who moved.

    Returns:
        Who has moved.
    """
    moved = [resident]
    helping = [(helper, item) for item in heavy_load(state, resident) for helper in helpers(state, item, resident)]
    state.go(resident, target)
    for helper, item in helping:
        state.go(helper, target)
        lend_a_hand(state, helper, item)
        moved.append(helper)
    return moved
