"""Needs: how far each action leads to what eases them, as far as the resident knows.

A need that is felt is a desire for what eases it, in proportion to its level above the faintest that is felt. What
eases a need is common knowledge or learned (``Familiarity.eases``): kinds of things to use, furniture to sit or lie on,
and places.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from irollan_env.actions import Action, Primitive
from irollan_env.naming import kind, some
from irollan_env.world.observation import Observation
from itcma_s.deliberation.buying import to_money, too_dear
from itcma_s.memory.familiarity import Familiarity
from itcma_s.protention.protention import destination

WANTED = 0.5
"""Level from which a need makes a goal, and from which elimination keeps what eases it."""

PRESSING = 0.8
"""Level from which a need takes the place of another goal."""

_FAINT = 0.25
_TAKING, _OPENING, _GOING, _GOING_AGAIN, _SEARCHING = 0.8, 0.6, 0.7, 0.35, 0.6
_BUYING = 0.9
"""Of what money promises, for what it buys is one errand more."""

_JUST_LOOKED = 4
"""Steps after a visit in which a resident expects little from another one."""


def strongest(observation: Observation) -> str | None:
    """Return the need with the highest level; None where nothing is felt."""
    return max(observation.needs, key=lambda need: observation.needs[need], default=None)


def what_eases(need: str, familiarity: Familiarity) -> str:
    """Return what eases a need most, with its article; empty if nothing is known to."""
    known = familiarity.eases.get(need, {})
    best = max(known, key=lambda what: known[what], default="")
    if not best or known[best] <= 0:
        return ""
    return best if best in familiarity.places else some(best)


def needs_in_words(observation: Observation, familiarity: Familiarity) -> list[str]:
    """Return a line on each need that is felt: its level, and what is known to ease it."""
    felt = {need: level for need, level in observation.needs.items() if level >= WANTED}
    known = {need: what_eases(need, familiarity) for need in felt}
    return [
        f"Your {need} is at {level:.0%}" + (f"; {known[need]} eases it." if known[need] else ".")
        for need, level in felt.items()
    ]


def easing(actions: Sequence[Action], observation: Observation, familiarity: Familiarity) -> list[float]:
    """Return for each action the desire for what eases a need, times how far the action leads there; each in [0, 1]."""
    found = [0.0] * len(actions)
    for need, level in observation.needs.items():
        if (desire := _desire(level)) > 0 and not _rest(need, observation, familiarity):
            steps = _steps(familiarity.eases.get(need, {}), level, actions, observation, familiarity)
            found = [max(value, desire * steps.get(action, 0.0)) for value, action in zip(found, actions, strict=True)]
    return found


def staying(observation: Observation, familiarity: Familiarity) -> float:
    """Return the desire to stay in this place, or on the bed or chair in use, as that eases a need; in [0, 1]."""
    rests = (_desire(level) * _rest(need, observation, familiarity) for need, level in observation.needs.items())
    return max(rests, default=0.0)


def _desire(level: float) -> float:
    return max(0.0, (level - _FAINT) / (1.0 - _FAINT))


def _rest(need: str, observation: Observation, familiarity: Familiarity) -> float:
    """Return how well this place, and the furniture in use, ease a need, beside what eases it best; in [0, 1]."""
    eases, used = familiarity.eases.get(need, {}), (observation.doing or "").removeprefix("using the ")
    by = eases.get(observation.place, 0.0)
    if f"leave {used}" in observation.admissible:
        by += eases.get(kind(used), 0.0)
    return min(1.0, by / max(eases.values())) if by > 0 else 0.0


def keeps(actions: Iterable[Action], observation: Observation, familiarity: Familiarity) -> set[Action]:
    """Return the actions that lead to what eases a strong need, which elimination must not remove."""
    if max(observation.needs.values(), default=0.0) < WANTED:
        return set()
    given = list(actions)
    return {action for action, value in zip(given, easing(given, observation, familiarity), strict=True) if value > 0}


def _steps(
    eases: Mapping[str, float],
    level: float,
    actions: Sequence[Action],
    observation: Observation,
    familiarity: Familiarity,
) -> dict[Action, float]:
    """Return how far each action leads to what eases one need, in [0, 1]: first what is here, else the way to it."""
    status = {percept.name: percept.status for percept in observation.percepts}

    def share(name: str) -> float:
        sort = kind(name)
        spoiled = any(eases.get(f"{one} {sort}") == 0.0 for one in status.get(name, ()))
        by = 0.0 if spoiled else eases.get(sort, 0.0)
        # What would ease more than is felt is wasted in part.
        return by / max(eases.values()) * min(1.0, level / by) if by > 0 else 0.0

    here: dict[Action, float] = {}
    for action in actions:
        if action.primitive is Primitive.USE:
            here[action] = share(action.target)
        elif action.primitive is Primitive.TAKE and action.item not in observation.holding:
            here[action] = _TAKING * share(str(action.item))
    if any(here.values()):
        # One thing in the hand is enough: what is held is used first.
        held = {action: value for action, value in here.items() if action.target in observation.holding and value}
        return held or here
    dear = too_dear([what for what, by in eases.items() if by > 0], observation, familiarity)
    closed = {action: _OPENING for action in here if "closed" in status.get(action.target, ())}
    ways = {action: place for action in actions if (place := destination(action, observation.place)) is not None}
    sources = _sources(eases, observation, familiarity, dear)

    def promise(place: str) -> float:
        known = (by * familiarity.nearness(source, place, ()) for source, by in sources.items())
        return max(_SEARCHING * familiarity.chance_to_find(place, observation.time), *known, 0.0)

    promises = {place: promise(place) for place in set(ways.values())}
    found = closed | {action: promises[place] for action, place in ways.items()}
    if dear:
        for action, value in to_money(actions, observation, familiarity)[0].items():
            found[action] = max(found.get(action, 0.0), _BUYING * value)
    return found


def _sources(
    eases: Mapping[str, float], observation: Observation, familiarity: Familiarity, dear: frozenset[str]
) -> dict[str, float]:
    """Return the other places where what eases a need was seen, grows, or is the place itself, with what each promises.

    Where the resident has just looked and taken nothing, there is less to be had than where it has not been lately, and
    nothing where everything is too dear.
    """
    wanted = {what for what, by in eases.items() if by > 0}
    places = {place for name, place in familiarity.seen.items() if kind(name) in wanted}
    places |= {place for what in wanted for place in familiarity.grows.get(what, ())} | wanted
    places |= {place for what in wanted for place in familiarity.prices.get(what, ())}
    visits = {place: familiarity.places[place] for place in places if place in familiarity.places}
    return {
        place: _GOING if visit is None or observation.time - visit > _JUST_LOOKED else _GOING_AGAIN
        for place, visit in visits.items()
        if place != observation.place and place not in dear
    }
