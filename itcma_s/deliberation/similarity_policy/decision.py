"""The choice of an action by its value, and by a model among those that come close.

A small language model cannot pick the sensible one of many actions (docs/models.md). It is therefore not asked, and a
large one is asked among those that are close to the best. Everything before that costs no tokens: how well an action
serves the goal (pursuit.py), and the urges of the moment.
"""

from __future__ import annotations

import math
from collections.abc import Container, Sequence

import numpy as np
from numpy.typing import NDArray

from irollan_env.actions import Action, Primitive
from irollan_env.naming import is_numbered, owner
from irollan_env.world.observation import Observation
from itcma_s.actions import without_words
from itcma_s.deliberation.similarity_policy.decision_weights import DecisionWeights
from itcma_s.deliberation.similarity_policy.feelings_ahead import capital
from itcma_s.elimination.action_space import looping_actions
from itcma_s.fields.phenomenal_field import Field
from itcma_s.protention.protention import Protention
from language_models.protocol import Caller, Choice, LanguageModel

SURENESS = 20.0
"""How many nats of a model's probability weigh as much as a difference of 1 in value."""


def urges(
    protended: Sequence[Protention],
    observation: Observation,
    recent_actions: Sequence[str],
    weights: DecisionWeights,
    called: float = 0.0,
    awaited: Container[str] = (),
) -> NDArray[np.float64]:
    """Return the part of each action's value that does not depend on the goal; shape (len(protended),).

    Args:
        protended: The actions.
        observation: The current observation.
        recent_actions: The resident's own last actions without words, latest last.
        weights: What counts how much.
        called: How like the action is that is most like what was said to the resident, in [0, 1].
        awaited: Those whom the resident has spoken to, and who have not answered yet, or who wanted to speak to it.
    """
    hosts = {owner(observation.place)} - {None, observation.resident}
    speakers = observation.speakers
    uniform = 1.0 / max(len(observation.admissible), 1)
    mood = weights.atmosphere * (observation.topic or 0.0)
    habit = weights.habit * capital(observation.resources)
    talking = any(person in speakers or person in awaited for person in observation.company)
    values: list[float] = []
    for expected in protended:
        action = expected.action
        value = -weights.repeat * recent_actions.count(without_words(action))
        if action.primitive is Primitive.CHAT:
            value += weights.answer * (1.0 - called * called) * (action.partner in speakers)
            value += mood
        elif expected.place != observation.place:
            value -= mood + weights.part * talking
        elif action.primitive is Primitive.LEAVE and not is_numbered(action.target):
            value -= mood + weights.part
        elif action.primitive is Primitive.TAKE:
            whose = owner(str(action.item))
            if hosts:
                value -= weights.not_mine * (whose in hosts) + weights.nobodys * (whose is None)
            value -= weights.hands_full * len(observation.holding)
        elif action.primitive is Primitive.PUT and action.partner is None:
            whose = owner(str(action.item))
            if whose in hosts:
                value += weights.not_mine
            elif whose not in (None, observation.resident):
                value -= weights.not_mine
        if observation.habitus is not None:
            disposed = observation.habitus.get(action, uniform)
            value += habit * min(max(math.log2(max(disposed, 1e-9) / uniform), -3.0), 3.0)
        values.append(value)
    return np.array(values, dtype=np.float64)


async def decide(
    protended: Sequence[Protention],
    values: Sequence[float],
    *,
    goal: str,
    situation: str,
    recent_actions: Sequence[str],
    model: LanguageModel,
    weights: DecisionWeights,
    caller: Caller,
) -> tuple[Action, Choice | None]:
    """Choose the best action, or have the model choose among those that come close to it.

    Args:
        protended: The actions that are left, at least one.
        values: Their values from ``pursuit`` and ``urges``.
        goal: The resident's goal.
        situation: The prompt before the choice.
        recent_actions: The resident's own last actions without words, latest last.
        model: Who chooses.
        weights: Margin and length of the shortlist, and whether actions wear out.
        caller: Who asks.

    Returns:
        The action, and the model's choice when it was asked.

    Raises:
        ValueError: if there is no action.
        ModelError: if the model was asked and failed.

    Departs from the paper: the language model acts there. Here it is asked only about what is close to the best, and
    with a margin of 0, which a small model has, not at all: its choice is near chance (docs/models.md).
    """
    if not protended:
        raise ValueError("there is no action to decide on; the action space is never empty")
    order = sorted(range(len(protended)), key=lambda i: (-values[i], protended[i].action))
    if worn := _worn_out(recent_actions, weights):
        order = [i for i in order if without_words(protended[i].action) not in worn] or order
    if weights.margin == 0:
        return protended[order[0]].action, None
    outcomes: dict[tuple[str, str, Field], int] = {}
    for i in (i for i in order if values[order[0]] - values[i] <= weights.margin):
        # Of actions that bring just the same, such as leaving a place and going out of it, one is enough.
        outcomes.setdefault((protended[i].sentence, protended[i].place, protended[i].field), i)
    close = list(outcomes.values())[: max(weights.shortlist, 1)]
    if len(close) == 1:
        return protended[close[0]].action, None
    choice = await model.choose(
        situation,
        [protended[i].action for i in close],
        caller=caller,
        query=f"I want to {goal}.",
        descriptions=_distinct([protended[i].sentence for i in close]),
    )
    # A model that is sure decides; one that is not leaves the difference to what is expected.
    logs = [math.log(max(probability, 1e-12)) / SURENESS for probability in choice.probabilities]
    chosen = max(range(len(close)), key=lambda place: (values[close[place]] + logs[place], -place))
    return protended[close[chosen]].action, choice


async def choose_by_protention(
    protended: Sequence[Protention],
    *,
    situation: str,
    goal: str,
    recent_actions: Sequence[str],
    model: LanguageModel,
    weights: DecisionWeights,
    caller: Caller,
) -> Choice:
    """Have the model choose among all actions by their predictions, as ITCMA does (section 3.3).

    Args:
        protended: The actions, at least one.
        situation: The prompt before the choice, with the protentions.
        goal: The resident's goal.
        recent_actions: The resident's own last actions without words, latest last.
        model: Who chooses.
        weights: Whether actions wear out.
        caller: Who asks.

    Raises:
        ModelError: if the model fails.
    """
    actions = [p.action for p in protended]
    worn = _worn_out(recent_actions, weights)
    actions = [action for action in actions if without_words(action) not in worn] or actions
    return await model.choose(situation, actions, caller=caller, query=f"I want to {goal}.")


def _worn_out(recent_actions: Sequence[str], weights: DecisionWeights) -> frozenset[str]:
    """Return the repeated actions to avoid in this step."""
    return looping_actions(recent_actions) if weights.worn_out else frozenset()


def _distinct(sentences: Sequence[str]) -> list[str]:
    """Make sentences distinct by appending a count to repetitions."""
    seen: dict[str, int] = {}
    result = []
    for sentence in sentences:
        seen[sentence] = seen.get(sentence, 0) + 1
        result.append(sentence if seen[sentence] == 1 else f"{sentence} ({seen[sentence]})")
    return result
