"""The action space that a resident thinks through: what elimination leaves (Eq. 16), and what it may not take away."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence

from irollan_env.actions import Action, Primitive
from irollan_env.naming import is_person, owner
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
) -> list[Action]:
    """The actions to think through, in the order of the action space.

    Args:
        relevance: The score of each action of the space, in [1, 5].
        threshold: Of Eq. 16, in [1, 5].
        goal: What the resident wants.
        observation: What is perceived now.
        familiarity: What is known.
        recent_actions: The resident's own last actions without words, latest last.
        needed: The actions that bring the goal on, where it is known step by step; None where it is not.

    Departs from the paper: Eq. 16 leaves what reaches the threshold. Here these stay, too: talking to whoever has just
    spoken, handing somebody its own thing, something else to do where one is stuck, what the goal needs next, every way
    on where the goal is about nothing that is known (it has to be found), the ways to where somebody may be whom the
    goal names, and one thing to do here where the goal is about the place that one is in.
    """
    left = set(eliminate(relevance, threshold))
    if speakers := observation.speakers:
        left |= {one for one in relevance if one.primitive is Primitive.CHAT and one.target in speakers}
    left |= {action for action in relevance if hands_back(action)}
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
        # What is to be done here is not done with what is somebody else's.
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
    """The ways to the people in question who are not here: to where each is thought to be, or else all."""
    here = (*observation.company, observation.resident)
    people = [name for name in spoken_of if is_person(name) and name not in here]
    places = {familiarity.whereabouts(person) for person in people}
    return {action for action, place in _ways(actions).items() if place in places or None in places}


def _ways(actions: Iterable[Action]) -> dict[Action, str]:
    """The actions that lead to another place -> that place."""
    return {action: action.target for action in actions if action.primitive is Primitive.GO_TO}


def _keep_one(left: set[Action], wanted: Sequence[Action], relevance: Mapping[Action, float]) -> None:
    """Keep the best-scored of the wanted actions where none of them is left."""
    if wanted and left.isdisjoint(wanted):
        left.add(max(wanted, key=lambda action: relevance[action]))


def _leads_away(action: Action, place: str) -> bool:
    leaves = action.primitive is Primitive.LEAVE and action.target == place
    return leaves or action.primitive is Primitive.GO_TO


WITHOUT_END = 4
"""No action is taken more often than this in a row, and no two by turns so long, while there is another one."""


def looping_actions(recent_actions: Sequence[str]) -> frozenset[str]:
    """What has to be left alone for a step: an action taken four times in a row, or two taken by turns, twice each."""
    last = tuple(recent_actions[-WITHOUT_END:])
    again = len(last) == WITHOUT_END and last[: WITHOUT_END // 2] == last[WITHOUT_END // 2 :]
    return frozenset(last) if again else frozenset()


def irrelevant_to_goal(action: Action, mentioned: Sequence[str], observation: Observation) -> bool:
    """Whether a goal is about somebody else, and an action uses a thing of its, or takes it in its house.

    Args:
        action: An action.
        mentioned: What the goal speaks of.
        observation: Who one is, and where.
    """
    item = action.item or action.target
    whose = owner(item)
    takes_at_home = action.primitive is Primitive.TAKE and whose == owner(observation.place)
    if not takes_at_home and action.primitive is not Primitive.USE:
        return False
    if whose in (None, observation.resident) or item in mentioned:
        return False
    return any(whose in (name, owner(name)) for name in mentioned)
