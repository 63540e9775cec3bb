"""Things alike: twenty or more coins in a chest are perceived and offered as one pile, of which one can be taken."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from irollan_env.actions import Action
from irollan_env.naming import owner
from irollan_env.world.state import ValleyState

MANY = 20
"""Things alike from which on they are a pile; the paper's valley has fewer of each kind."""


def piles(state: ValleyState, items: Sequence[int]) -> list[tuple[int, int]]:
    """Return items with how many each stands for: the first of many alike for all of them, others for themselves.

    Alike are things of one kind and status, of nobody or of the same owner, on the same furniture or in the same hands.
    """
    if len(items) < MANY:
        return [(item, 1) for item in items]
    alike: dict[tuple[str, str | None, int, int], list[int]] = {}
    for item in items:
        name = state.tables.items[item]
        key = (state.tables.kind_of[name], owner(name), state.on[item], state.status[item])
        alike.setdefault(key, []).append(item)
    large = [own for own in alike.values() if len(own) >= MANY]
    counts = {own[0]: len(own) for own in large}
    hidden = {item for own in large for item in own[1:]}
    return [(item, counts.get(item, 1)) for item in items if item not in hidden]


def one_of_each(state: ValleyState, resident: int, actions: list[Action]) -> list[Action]:
    """Leave out the actions with things in piles but for the first of each, here and in the resident's hands."""
    lying, hands = state.visible(state.place[resident]), state.hands[resident]
    if len(lying) < MANY and len(hands) < MANY:
        return actions
    hidden = {state.tables.items[item] for item in _hidden(state, lying)}
    hidden |= {state.tables.items[item] for item in _hidden(state, hands)}
    return [one for one in actions if (one.item or one.target) not in hidden]


def _hidden(state: ValleyState, items: Sequence[int]) -> Iterable[int]:
    return set(items).difference(item for item, _ in piles(state, items))
