"""Errands: goals to bring a thing or news of it somewhere, or to wash or cook it, pursued in the order of their steps.

A goal names where a thing is to be, and similarity and nearness alone would go there at once, with empty hands. What is
needed first is the thing, then the furniture that washes or warms it where the goal says so, and only then the place or
the person that gets it. Of what is only told of, the sight is enough, as long as it is fresh. What is only to be washed
or cooked is done with when it is clean or hot and was taken out of the sink or off the stove.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from irollan_env.actions import Action, Primitive
from irollan_env.naming import OWNER, kind, whole_name
from irollan_env.world.observation import Observation
from itcma_s.deliberation.buying import to_money, too_dear
from itcma_s.memory.familiarity import Familiarity
from itcma_s.memory.mentions import mentioned, speaks_of
from itcma_s.wording import lexicon

_CHANGE = "clean|wash|rinse|heat up|heat|warm up|warm|cook|fry"
_FIRST = rf"(?P<first>fetch|find|get|take|pick up|{_CHANGE})"
_THING = rf"(?P<thing>(?:(?:an?|the|some|my) |{OWNER} )?[\w' ]{{1,30}}?)"
_FORMS = (
    re.compile(rf"{_FIRST} {_THING},? and (?:put|bring|give|carry|take|hand) it (?:in/on|on|in|into|to) (?P<to>.+)"),
    re.compile(rf"(?P<seen>share) {_THING} with (?P<to>.+)"),
    re.compile(rf"(?:bring|carry|deliver|give|return|put) {_THING}(?: back)? (?:in/on|on|in|into|to) (?P<to>.+)"),
)
_CHANGED_ONLY = re.compile(rf"(?P<first>{_CHANGE}) {_THING}")
_NEWS = re.compile(rf"(?:see|find out|look) where {_THING} is,? (?:and )?tell (?P<to>.+)")
_FRESH = 8
"""Time steps for which an observation counts as news."""

_CHANGES = {
    "clean": ("clean", "sinkbasin"),
    "wash": ("clean", "sinkbasin"),
    "rinse": ("clean", "sinkbasin"),
    "heat": ("hot", "stoveburner"),
    "heat up": ("hot", "stoveburner"),
    "warm": ("hot", "stoveburner"),
    "warm up": ("hot", "stoveburner"),
    "cook": ("hot", "stoveburner"),
    "fry": ("hot", "stoveburner"),
}
"""Treatment of a thing -> its resulting status, and the kind of furniture that gives it."""

CHANGERS = frozenset(changer for _, changer in _CHANGES.values())
"""The kinds of furniture that change what lies on them; what was changed is taken from there."""

_WAYS = (Primitive.GO_TO, Primitive.LEAVE)
_USED = 0.4
# More than 1 apart where nearness, which is at most 1, is added.
_DOWN, _HELD, _LAID, _CHANGED, _READY, _DONE = 0.0, 1.5, 3.0, 3.5, 4.0, 6.0


@dataclass(frozen=True, kw_only=True, slots=True)
class Errand:
    """A goal to bring something somewhere, or to change it.

    Attributes:
        thing: What is to be brought, as the goal calls it: ``"a book"``.
        to: Who or what gets it, as the goal calls it: ``"WM"``, ``"a table in AY's Home"``; empty where it is only
            to be changed.
        status: What it has to be by then, None for anything.
        changer: The kind of furniture that makes it so.
        news: Whether the errand is only to report it.
        seen: Whether it is an errand only for a thing that was seen: "share" a story needs words, a meal needs hands.
    """

    thing: str
    to: str
    status: str | None = None
    changer: str = ""
    news: bool = False
    seen: bool = False


class _State(NamedTuple):
    """The resident's place and the location of a thing: held, on furniture, or unknown (None)."""

    place: str
    on: str | None
    held: bool
    changed: bool


@lru_cache(maxsize=4096)
def errand(goal: str, people: frozenset[str]) -> Errand | None:
    """Parse a goal as an errand; None for any other goal.

    Args:
        goal: The goal.
        people: Names of all who live here.
    """
    text = goal.strip().rstrip(".")
    text = text[:1].lower() + text[1:]
    if (match := _NEWS.fullmatch(text)) is not None:
        named = (name for name in people if re.match(whole_name(name), match["to"]))
        to = max(named, key=len, default=None)
        return Errand(thing=match["thing"], to=to, news=True) if to is not None else None
    for form in (*_FORMS, _CHANGED_ONLY):
        if (match := form.fullmatch(text)) is not None and _person(match["thing"], people) is None:
            found = match.groupdict()
            status, changer = _CHANGES.get(found.get("first") or "", (None, ""))
            to, seen = found.get("to") or "", bool(found.get("seen"))
            return Errand(thing=found["thing"], to=to, status=status, changer=changer, seen=seen or not to)
    return None


def steps_on(
    goal: str, actions: Sequence[str], observation: Observation, familiarity: Familiarity
) -> NDArray[np.float64] | None:
    """Return the progress of an errand by each action: whole steps, and nearness to what the next one needs.

    Args:
        goal: What is wanted.
        actions: Admissible ones.
        observation: The current observation.
        familiarity: Known places, people and things.

    Returns:
        Shape (len(actions),); below 0 for what leads away. None for a goal that is no errand, for one that does not
        tell where the thing is to go, and for one to wash, cook or share what was never seen.
    """
    wanted = errand(goal, familiarity.residents)
    ways = _Ways(wanted, observation, familiarity) if wanted is not None else None
    if wanted is None or ways is None or not ways.lead_somewhere:
        return None
    if familiarity.prices and (first := ways.steps_to_pay(list(map(Action, actions)))) is not None:
        return np.array(first, dtype=np.float64)
    things = [percept for percept in observation.percepts if percept.kind == "item" and ways.is_thing(percept.name)]
    nowhere = _State(observation.place, None, False, wanted.status is None)
    states = {"": nowhere} | {
        one.name: _State(observation.place, one.on, one.held, wanted.status is None or wanted.status in one.status)
        for one in things
    }
    value = cache(ways.value)  # most actions change nothing
    now = max(value(state) for state in states.values())
    gains = []
    for action in map(Action, actions):
        gain = max(value(ways.after(action, *state)) for state in states.items()) - now
        # What is to be brought is not for oneself.
        gains.append(gain - _USED * (action.primitive is Primitive.USE and action.target in states))
    return np.array(gains, dtype=np.float64)


class _Ways:
    """Evaluates the progress of one errand from the present knowledge."""

    def __init__(self, wanted: Errand, observation: Observation, familiarity: Familiarity) -> None:
        self._wanted, self._observation, self._familiarity = wanted, observation, familiarity
        self._company = observation.company
        onto, _, place = wanted.to.partition(" in ")
        self._person = _person(wanted.to, familiarity.residents)
        known = next(iter(mentioned(wanted.to, familiarity.places)), None)
        self._place = None if self._person else known or place or None
        self._onto = "" if self._person or mentioned(onto, familiarity.places) else onto
        seen = [(name, where) for name, where in familiarity.seen.items() if not familiarity.is_person(name)]
        self._with_thing = {where for name, where in seen if self.is_thing(name)}
        for what, shops in familiarity.prices.items():
            if self.is_thing(what):
                self._with_thing |= shops.keys()
        self._with_changer = {where for name, where in seen if kind(name) == wanted.changer}
        self._with_target = {where for name, where in seen if self._is_onto(name)}
        visits = [familiarity.places.get(where) for where in self._with_thing]
        self._fresh = any(visit is not None and observation.time - visit <= _FRESH for visit in visits)

    @property
    def lead_somewhere(self) -> bool:
        """Whether the destination is known and, where the errand requires it, a fitting thing was seen."""
        if self._wanted.seen and not self._with_thing:
            return False
        return bool(not self._wanted.to or self._person or self._place or self._with_target)

    def steps_to_pay(self, actions: Sequence[Action]) -> list[float] | None:
        """Return the progress of each action to the money for the thing; None where it needs none, or has it."""
        seen = self._observation
        if self._wanted.news or any(self.is_thing(str(one.item)) for one in actions if one.primitive is Primitive.TAKE):
            return None
        if any(self.is_thing(name) for name in seen.holding):
            return None
        sold = [one for one in self._familiarity.prices if self.is_thing(one)]
        dear = too_dear(sold, seen, self._familiarity)
        if not dear or self._with_thing - dear:
            return None
        to, now = to_money(actions, seen, self._familiarity)
        gains = {one: value - now if one.primitive in _WAYS else value for one, value in to.items()}
        return [gains.get(action, 0.0) for action in actions]

    def is_thing(self, name: str) -> bool:
        """Return whether a name fits the thing of the errand."""
        return _is_meant(self._wanted.thing, name)

    def after(self, action: Action, name: str, state: _State) -> _State:
        """Return the state after an action."""
        target = action.target
        match action.primitive:
            case Primitive.GO_TO:
                return state._replace(place=target, on=state.on if state.held else None)
            case Primitive.LEAVE if target == self._observation.place:
                return state._replace(place="outside", on=state.on if state.held else None)
            case Primitive.TAKE if action.item == name:
                return state._replace(on=None, held=True)
            case Primitive.PUT if action.item == name:
                return state._replace(on=target, held=False)
            case Primitive.CHAT if self._wanted.news and self._fresh and target == self._person:
                return state._replace(on=target)
            case Primitive.USE if target == state.on and kind(target) == self._wanted.changer:
                return state._replace(changed=True)
            case _:
                return state

    def value(self, state: _State) -> float:
        """Return the value of a state: completed steps, plus nearness to what the next one needs."""
        if self._wanted.news:
            if state.on is not None and state.on == self._person:
                return _DONE
            if self._fresh:
                return _READY + self._near_target(state.place)
            return self._near_any(state.place, self._with_thing)
        taken = state.held or (state.on is not None and kind(state.on) != self._wanted.changer)
        if not self._wanted.to and state.changed and taken:
            return _DONE
        if state.held:
            if not state.changed:
                return _HELD + self._near_any(state.place, self._with_changer)
            return _READY + self._near_target(state.place)
        if state.on is None:
            return _DOWN + self._near_any(state.place, self._with_thing)
        if self._wanted.to and state.changed and self._is_target(state):
            return _DONE
        if self._wanted.status is not None and kind(state.on) == self._wanted.changer:
            return _CHANGED if state.changed else _LAID
        return _DOWN + 1.0

    def _is_target(self, state: _State) -> bool:
        if self._person is not None:
            return state.on == self._person
        here = self._place is None or state.place == self._place
        return here and state.on is not None and (not self._onto or self._is_onto(state.on))

    def _is_onto(self, name: str) -> bool:
        return bool(self._onto) and _is_called(self._onto, name)

    def _near_target(self, place: str) -> float:
        if self._person is not None:
            company = self._company if place == self._observation.place else ()
            if not company and self._familiarity.whereabouts(self._person) == place != self._observation.place:
                company = (self._person,)
            return self._familiarity.nearness(self._person, place, company)
        if self._place is None:
            return self._near_any(place, self._with_target)
        known = self._place in self._familiarity.places
        return self._familiarity.nearness(self._place, place, ()) if known else self._search(place)

    def _near_any(self, place: str, places: Iterable[str]) -> float:
        """Return the nearness of the nearest of the places; without any, the value of searching here."""
        return max((self._familiarity.nearness(where, place, ()) for where in places), default=self._search(place))

    def _search(self, place: str) -> float:
        return self._familiarity.chance_to_find(place, self._observation.time)


def _person(words: str, people: frozenset[str]) -> str | None:
    """Return the person that words name first; None for none."""
    text = f" {words} "
    found = [(text.index(f" {name} "), -len(name), name) for name in people if f" {name} " in text]
    return min(found)[2] if found else None


@lru_cache(maxsize=65536)
def _is_meant(thing: str, name: str) -> bool:
    """Return whether a goal's words fit a thing: exactly if they have its number or owner, else by kind."""
    if thing[-1:].isdigit():
        return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", thing) is not None
    if "'s " in thing:
        return speaks_of(thing, [name])
    return speaks_of(thing, [kind(name), lexicon()["sort"].get(kind(name), kind(name))])


@lru_cache(maxsize=65536)
def _is_called(words: str, name: str) -> bool:
    """Return whether words mention a piece of furniture, by its name or its kind."""
    return speaks_of(words, [name, kind(name)])
