"""Action values: terms of the mechanisms for the predicted field of each action, and rules.

A resident without a large model takes the action with the highest value. The terms of the mechanisms are computed in
feelings_ahead.py (sections 3.1 to 3.3) and decision.py (section 4); docs/heuristics.md lists all other ones.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from itcma_s.deliberation.easing import easing
from itcma_s.deliberation.protocol import Context
from itcma_s.deliberation.similarity_policy.decision import urges
from itcma_s.deliberation.similarity_policy.decision_weights import DecisionWeights
from itcma_s.deliberation.similarity_policy.feelings_ahead import (
    expected_arousal,
    goal_likeness,
    recalled,
    unsteadiness,
)
from itcma_s.deliberation.similarity_policy.pursuit import called_for, compared, pursuit
from itcma_s.fields.phenomenal_field import Field
from language_models.prefetching import prefetch
from language_models.protocol import Embedder


async def action_values(context: Context, embedder: Embedder, weights: DecisionWeights) -> NDArray[np.float64]:
    """Return the value of each action that elimination left; shape (len(context.protended),)."""
    goal, protended, observation = context.goal, context.protended, context.observation
    await prefetch(embedder, compared(goal, protended, observation, context.familiarity))
    called = called_for(protended, observation, embedder)
    return (
        pursuit(goal, protended, observation, context.familiarity, embedder, weights)
        + weights.asked * called
        + urges(
            protended,
            observation,
            context.recent_actions,
            weights,
            called=float(called.max(initial=0.0)),
            awaited=context.waiting,
        )
        + value_of_expected_fields(context, embedder, weights)
        + weights.eases * np.array(easing([one.action for one in protended], observation, context.familiarity))
    )


def value_of_expected_fields(context: Context, embedder: Embedder, weights: DecisionWeights) -> NDArray[np.float64]:
    """Return the value of each predicted field: similarity to the goal, feelings, and departure from the present.

    The value of a departure grows with the driver and is negative for a negative driver (section 3.3).

    Returns:
        Shape (len(context.protended),).
    """
    emotion, parameters, table, lacks = context.emotion, context.parameters, context.table, context.lacks
    expected = _fields(context)
    imagined = [
        field if one.imagine is None else one.imagine() for one, field in zip(context.protended, expected, strict=True)
    ]
    past = [*(frame.field for frame in context.channel.retention), context.present]
    aroused = expected_arousal(expected, past, table, parameters.field_weights)
    (goal,) = embedder.embed([context.goal])
    return (
        weights.imagines * goal_likeness(goal, imagined, table, parameters.field_weights)
        + weights.recalls * recalled(expected, context.activated, context.present, emotion, parameters, table, lacks)
        - (0.0 if "arousal" in lacks else weights.steady * unsteadiness(aroused, emotion, parameters.driver_weights))
        + weights.departs * math.tanh(context.driver) * aroused
    )


def _fields(context: Context) -> list[Field]:
    """Return the predicted field of each action, computed once per destination."""
    arrivals: dict[str, Field] = {}
    fields: list[Field] = []
    for one in context.protended:
        if one.place == context.observation.place:
            fields.append(one.field)
            continue
        if one.place not in arrivals:
            arrivals[one.place] = one.field
        fields.append(arrivals[one.place])
    return fields
