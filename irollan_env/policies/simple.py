"""Simple policies, for the other residents of a single-agent environment, for baselines and for tests.

A policy maps an observation to an action, or None to wait; all its chance comes from the generator it is given.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from typing import Protocol, TypeVar

import numpy as np

from irollan_env.actions import SILENCE, Action, Primitive, chat_with
from irollan_env.hints import check_known
from irollan_env.world.observation import Observation
from irollan_env.world.requests import ACKNOWLEDGEMENT, asked_who_lost, requested_item, told_owner

_LONGEST_REPEAT = 200
ActionT = TypeVar("ActionT", bound=str)


class Policy(Protocol):
    """A function that chooses one action for an observation."""

    def __call__(self, observation: Observation, generator: np.random.Generator) -> str | None:
        """Choose one of the admissible actions, a chat with any words, or None to wait.

        Args:
            observation: The resident's observation.
            generator: The only source of randomness.
        """
        ...


def idle_policy(observation: Observation, generator: np.random.Generator) -> str | None:
    """Wait."""
    return None


def random_policy(observation: Observation, generator: np.random.Generator) -> str | None:
    """Choose uniformly among the admissible actions; chats keep ``...`` as their words."""
    return any_of(observation.admissible, generator)


def scripted_policy(observation: Observation, generator: np.random.Generator) -> str | None:
    """Answer speakers, greet company, and otherwise act at random.

    It hands over an item when told "give me the ITEM", and acknowledges whatever it is told by repeating it.
    To greetings, silences and answers it answers half of the times, so that two such residents do not talk for ever.

    Of what else there is to do it first draws one of the primitives and then one of its actions, so that the many ways
    to put a thing somewhere do not crowd out the few ways to go somewhere.
    """
    kinds = by_primitive(observation.admissible)
    people = [chat.partner for chat in kinds.pop(Primitive.CHAT, ()) if chat.partner is not None]
    if (answer := response(observation)) is not None:
        return answer
    for message in observation.messages:
        if message.addressee == observation.resident and message.sender in people and generator.random() < 0.5:
            return chat_with(
                message.sender, f"{message.sender}, {ACKNOWLEDGEMENT}. I am in {observation.place} for now."
            )
    if people and generator.random() < 0.2:
        person = people[int(generator.integers(len(people)))]
        return chat_with(person, _greeting(person))
    groups = tuple(kinds.values())
    return any_of(groups[int(generator.integers(len(groups)))], generator) if groups else None


def by_primitive(admissible: Sequence[Action]) -> dict[Primitive | str, Sequence[Action]]:
    """Group admissible actions by primitive; primitives without actions are left out.

    Args:
        admissible: Grouped by primitive, as those of an observation are: only the bounds of the groups are looked for.
    """
    groups: dict[Primitive | str, Sequence[Action]] = {}
    start = 0
    while start < len(admissible):
        primitive = admissible[start].primitive

        def is_past(action: Action, own: Primitive | str = primitive) -> bool:
            return action.primitive != own

        end = bisect_left(admissible, True, start, key=is_past)
        groups[primitive], start = admissible[start:end], end
    return groups


def response(observation: Observation) -> str | None:
    """Return the reply to the first message that calls for one and can be answered now; None if there is none."""
    for message in observation.messages:
        if message.addressee == observation.resident and _tells(message.text, observation.resident):
            if (fact := _known(observation, asked_who_lost(message.text))) is not None:
                return chat_with(message.sender, fact)
            if (wanted := requested_item(message.text)) is not None:
                handing_over = f"put {wanted} in/on {message.sender}"
                if handing_over in observation.admissible:
                    return handing_over
            if f"chat with {message.sender}: {SILENCE}" in observation.admissible:
                return chat_with(
                    message.sender, f"{message.sender}, {ACKNOWLEDGEMENT}: {message.text[:_LONGEST_REPEAT]}"
                )
    return None


def _known(observation: Observation, item: str | None) -> str | None:
    """Return a sentence that says who lost a thing, if the observer was told; None otherwise."""
    return told_owner(observation.goal, item) if item is not None and observation.goal is not None else None


def _tells(text: str, resident: str) -> bool:
    return text not in (SILENCE, _greeting(resident)) and ACKNOWLEDGEMENT not in text


def _greeting(person: str) -> str:
    return f"Hello {person}, what are you doing?"


POLICIES: dict[str, Policy] = {"scripted": scripted_policy, "random": random_policy, "idle": idle_policy}
"""Policies by name."""


def get_policy(policy: str | Policy) -> Policy:
    """Return the policy of a name; a policy itself is returned unchanged.

    Raises:
        ValueError: for a name that is not in ``POLICIES``.
    """
    if not isinstance(policy, str):
        return policy
    return POLICIES[check_known("policy", policy, POLICIES)]


def any_of(actions: Sequence[ActionT], generator: np.random.Generator) -> ActionT | None:
    """Draw one of some actions; None of none."""
    return actions[int(generator.integers(len(actions)))] if actions else None
