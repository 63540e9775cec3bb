"""Buying: what costs more than a resident holds takes two errands, first the money and then the thing.

What residents know of trade, they know as all who live there do, and from signs: what costs how much where, where money
is to be earned, and how much of it is due to them. Their own is what they hold, what lies in their home, and their due.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from irollan_env.actions import Action, Primitive
from irollan_env.naming import kind, owner
from irollan_env.world.observation import Observation
from itcma_s.memory.familiarity import Familiarity, belongings
from itcma_s.protention.protention import destination

_TAKING, _EARNING, _GOING = 0.8, 0.7, 0.7


def too_dear(kinds: Iterable[str], observation: Observation, familiarity: Familiarity) -> frozenset[str]:
    """Return the places where what these kinds of things cost is more than the resident holds.

    Args:
        kinds: Of things that would do, one as well as another.
        observation: The current one.
        familiarity: What the resident knows.
    """
    sold: dict[str, float] = {}
    for one in kinds:
        for place, price in familiarity.prices.get(one, {}).items():
            sold[place] = min(price, sold.get(place, price))
    purse = observation.variables.get(familiarity.money, 0.0)
    return frozenset(place for place, price in sold.items() if price > purse)


def to_money(
    actions: Sequence[Action], observation: Observation, familiarity: Familiarity
) -> tuple[dict[Action, float], float]:
    """Return how far each action leads to money of one's own, and how near it is now; each in [0, 1].

    Args:
        actions: Admissible ones.
        observation: The current one.
        familiarity: What the resident knows.
    """
    due = {chest for chest in familiarity.chests if observation.variables.get(f"{familiarity.money} due in {chest}", 0)}
    own, found = belongings(observation), dict[Action, float]()
    for action in actions:
        if action.primitive is Primitive.TAKE and kind(str(action.item)) == familiarity.money:
            found[action] = _TAKING * (action.target in due or action.item in own)
        elif action.primitive is Primitive.USE and kind(action.target) in familiarity.work and not due:
            found[action] = _EARNING
    places = _places(due, observation, familiarity)

    def near(place: str) -> float:
        return _GOING * max((familiarity.nearness(one, place, ()) for one in places), default=0.0)

    for action in actions:
        if (place := destination(action, observation.place)) is not None:
            found[action] = near(place)
    return found, near(observation.place)


def _places(due: Iterable[str], observation: Observation, familiarity: Familiarity) -> set[str]:
    """Return the other places where there is money of the resident's own, or, without any, where it is earned."""
    me, here = observation.resident, observation.place
    own = [
        place
        for name, place in familiarity.seen.items()
        if kind(name) == familiarity.money and me in (owner(name), owner(place))
    ]
    own += [familiarity.chests[chest] for chest in due]
    earned = [place for places in familiarity.work.values() for place in places]
    return {place for place in own or earned if place != here and place in familiarity.places}
