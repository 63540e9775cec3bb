"""Formatting of observations and options for prompts, and parsing of actions from a model's answer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from itertools import chain
from typing import Any

from irollan_env.actions import LONGEST_CHAT, SILENCE, Action, Primitive, Refusal
from irollan_env.english import phrase
from irollan_env.naming import kind, many, owner
from irollan_env.world.observation import Observation

LONGEST_WORDS = 300
"""Most characters of one chat."""


def perceived_lines(observation: Observation) -> list[str]:
    """Format an observation in lines: the result of the last action, events, messages, then the scene."""
    me = observation.resident
    said = [
        f'{message.sender} says to {"you" if message.addressee == me else message.addressee}: "{message.text}"'
        for message in observation.messages
    ]
    result = [observation.result] if observation.result else []
    return [
        *result,
        *(event.describe(me, observation.places) for event in observation.events),
        *said,
        observation.sentence,
    ]


def scene(observation: Observation) -> str:
    """Format the full scene and the goal that was set, in lines."""
    lines = perceived_lines(observation)
    return "\n".join([*lines, f"You were set this goal: {observation.goal}"] if observation.goal else lines)


def short_scene(observation: Observation) -> str:
    """Describe the scene in two sentences: place, company, held items, and kinds of things present."""
    with_whom = f" with {', '.join(observation.company)}" if observation.company else ""
    holding = [
        " ".join([*one.status, one.name if one.count == 1 else many(kind(one.name), one.count)])
        for one in observation.percepts
        if one.held
    ]
    held = f", holding {', '.join(holding)}" if holding else ""
    sorts = Counter(
        " ".join([*one.status, one.name if owner(one.name) else kind(one.name)])
        for wanted in ("item", "furniture")
        for one in observation.percepts
        if one.kind == wanted and not one.held
        for _ in range(one.count)
    )
    there = ", ".join(name if count == 1 else f"{name} ({count})" for name, count in sorts.items())
    told = [f"You are in {observation.place}{with_whom}{held}.", *([f"There: {there}."] if there else [])]
    return " ".join([*told, *chain.from_iterable(observation.notices.values())])


def options(observation: Observation) -> str:
    """Format the admissible actions, numbered from 1."""
    return "\n".join(f"{number}. {option(action)}" for number, action in enumerate(observation.admissible, 1))


def option(action: Action) -> str:
    """Format an admissible action for a prompt."""
    if not isinstance(action.primitive, Primitive):
        return phrase(action)
    if action.primitive is not Primitive.CHAT:
        return action
    return f"write on {action.target}" if action.partner is None else f"say something to {action.target}"


def decision_schema(observation: Observation, **before: int) -> dict[str, Mapping[str, Any]]:
    """Return the JSON schema of a decision: some texts, the number of an action, and the words of a chat.

    Args:
        observation: The observation, with at least one admissible action.
        before: Most characters of each text that precedes the number, by key.
    """
    return {
        **{key: {"type": "string", "maxLength": most} for key, most in before.items()},
        "number": {"type": "integer", "minimum": 1, "maximum": len(observation.admissible)},
        "words": {"type": "string", "maxLength": LONGEST_WORDS},
    }


def decided(observation: Observation, answer: Mapping[str, Any]) -> Action:
    """Read the chosen action from an answer to ``decision_schema``.

    Args:
        observation: The observation in the prompt.
        answer: The model's answer.

    Returns:
        The action, with its words if it is a chat.
    """
    return with_words(observation.admissible[int(answer["number"]) - 1], str(answer["words"]))


def with_words(action: Action, words: str) -> Action:
    """Add words to a chat.

    Args:
        action: An admissible action.
        words: The words; invalid or empty words become a silence.

    Returns:
        The action, unchanged if it is no chat.
    """
    if action.primitive is not Primitive.CHAT:
        return action
    said = " ".join(words.split())[:LONGEST_CHAT]
    spoken = Action.parse(f'chat with {action.target}: "{said or SILENCE}"')
    return action if isinstance(spoken, Refusal) else spoken
