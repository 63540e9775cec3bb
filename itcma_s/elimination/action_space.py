"""The reduced action space: the actions that elimination leaves (Eq. 16), and exceptions that always stay."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence

from irollan_env.actions import Action, Primitive
from irollan_env.naming import owner
from irollan_env.world.observation import Observation
from itcma_s.actions import hands_back, without_words
from itcma_s.elimination.elimination import eliminate
from itcma_s.memory.familiarity import Familiarity


def reduce_action_space(
    relevance: Mapping[Action, float],
    threshold: float,
    *,
    goal: str,
    observation: Observation,
    familiarity: Familiarity,
    recent_actions: Sequence[str],
    needed: Container[str] | None = None,
    eases: Container[str] = (),
) -> list[Action]:
    """Return the actions to consider, in the order of the action space.

    Args:
        relevance: The score of each action of the space, in [1, 5].
        threshold: The threshold of Eq. 16, in [1, 5].
        goal: The resident's goal.
        observation: The current observation.
        familiarity: Known places, people and things.
        recent_actions: The resident's own last actions without words, latest last.
        needed: The actions that advance the goal, if its steps are known; else None.
        eases: The actions that ease a strong need.

    Departs from the paper: Eq. 16 keeps the actions that reach the threshold. These stay, too: a chat with a person who
    has just spoken, handing somebody its own thing, what eases a strong need, an alternative to repeated actions, the
    next step of the goal, every way out if the goal names nothing known (it has to be found), the ways to where a
    person named by the goal may be, and one action here if the goal is about the current place.
    """
    left = set(eliminate(relevance, threshold))
    if speakers := observation.speakers:
        left |= {one for one in relevance if one.primitive is Primitive.CHAT and one.target in speakers}
    left |= {action for action in relevance if hands_back(action) or action in eases}
    if worn := looping_actions(recent_actions):
        _keep_one(left, [action for action in relevance if without_words(action) not in worn], relevance)
    spoken_of = familiarity.spoken_of(goal)
    if needed is not None:
        left |= {action for action in relevance if action in needed}
    elif not spoken_of:
        left |= set(_ways(relevance))
    else:
        left |= _to_find(spoken_of, relevance, observation, familiarity)
    if needed is None and observation.place in spoken_of:
        # Other people's things do not count as an action for this place.
        here = [
            action
            for action in relevance
            if not (_leads_away(action, observation.place) or irrelevant_to_goal(action, spoken_of, observation))
        ]
        _keep_one(left, here, relevance)
    return [action for action in relevance if action in left]


def _to_find(
    spoken_of: Sequence[str], actions: Iterable[Action], observation: Observation, familiarity: Familiarity
) -> set[Action]:
    """Return the ways to the named people who are absent: to where each is believed to be, or else all ways."""
    here = (*observation.company, observation.resident)
    people = [name for name in spoken_of if familiarity.is_person(name) and name not in here]
    places = {familiarity.whereabouts(person) for person in people}
    return {action for action, place in _ways(actions).items() if place in places or None in places}


def _ways(actions: Iterable[Action]) -> dict[Action, str]:
    """Return the actions that lead to another place, with that place."""
    return {action: action.target for action in actions if action.primitive is Primitive.GO_TO}


def _keep_one(left: set[Action], wanted: Sequence[Action], relevance: Mapping[Action, float]) -> None:
    """Add the best-scored of the wanted actions if none of them is left."""
    if wanted and left.isdisjoint(wanted):
        left.add(max(wanted, key=lambda action: relevance[action]))


def _leads_away(action: Action, place: str) -> bool:
    leaves = action.primitive is Primitive.LEAVE and action.target == place
    return leaves or action.primitive is Primitive.GO_TO


WITHOUT_END = 4
"""Longest run of one action, or of two alternating ones, while there is an alternative."""


def looping_actions(recent_actions: Sequence[str]) -> frozenset[str]:
    """Return actions to avoid for a step: one taken four times in a row, or two alternating twice each."""
    last = tuple(recent_actions[-WITHOUT_END:])
    again = len(last) == WITHOUT_END and last[: WITHOUT_END // 2] == last[WITHOUT_END // 2 :]
    return frozenset(last) if again else frozenset()


def irrelevant_to_goal(action: Action, mentioned: Sequence[str], observation: Observation) -> bool:
    """Return whether an action uses a thing of a person the goal is about, or takes it in that person's house.

    Args:
        action: An action.
        mentioned: The names that the goal mentions; a thing among them is relevant.
        observation: The current observation.
    """
    item = action.item or action.target
    whose = owner(item)
    takes_at_home = action.primitive is Primitive.TAKE and whose == owner(observation.place)
    if not takes_at_home and action.primitive is not Primitive.USE:
        return False
    if whose in (None, observation.resident) or item in mentioned:
        return False
    return any(whose in (name, owner(name)) for name in mentioned)
