"""Heavy things, which take two: one who carries, and one who lends a hand by using them."""

from __future__ import annotations

from irollan_env.world.state import Doing, ValleyState, Verb


def heavy_load(state: ValleyState, resident: int) -> list[int]:
    """What a resident holds that takes two."""
    return [item for item in state.hands[resident] if state.tables.heavy[item]]


def helpers(state: ValleyState, item: int, resident: int) -> list[int]:
    """Who else in a resident's place lends a hand with a heavy thing."""
    lending, here = Doing(Verb.USING_ITEM, item), state.people[state.place[resident]]
    return [other for other in here if other != resident and state.doing[other] == lending]


def liftable(state: ValleyState, resident: int) -> list[int]:
    """The heavy things with which a resident could lend a hand: those that lie here, or that others hold here."""
    place = state.place[resident]
    held = [item for other in state.people[place] if other != resident for item in heavy_load(state, other)]
    return [item for item in state.visible(place) if state.tables.heavy[item]] + held


def lend_a_hand(state: ValleyState, resident: int, item: int) -> None:
    """Get up, and keep at it until something else is done."""
    state.stand_up(resident)
    state.begin(resident, Doing(Verb.USING_ITEM, item))


def carry(state: ValleyState, resident: int, target: int) -> list[int]:
    """Go to another place with all that one holds; who lends a hand comes along, and goes on lending it.

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
