"""Minds that act by a policy of the environment."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from irollan_env.policies.policy_resident import PolicyResident, ScriptedResident
from irollan_env.policies.simple import idle_policy, random_policy
from irollan_env.world.observation import Observation
from minds.mind import MindContext


class _ByPolicy:
    def __init__(self, resident: PolicyResident) -> None:
        self._resident = resident

    def act(self, observation: Observation) -> str | None:
        """Return the policy's action."""
        return self._resident.decide(observation)

    def get_state(self) -> dict[str, Any]:
        """Return the state of the policy's resident."""
        return self._resident.get_state()

    def set_state(self, state: Mapping[str, Any]) -> None:
        """Restore a state from `get_state`."""
        self._resident.set_state(state)


class Scripted(_ByPolicy):
    """Answers messages, brings requested items, follows invitations, and otherwise acts at random."""

    def __init__(self, context: MindContext) -> None:
        super().__init__(ScriptedResident(context.name, context.generator))


class Random(_ByPolicy):
    """Picks a random admissible action; its chats are silences."""

    def __init__(self, context: MindContext) -> None:
        super().__init__(PolicyResident(context.name, random_policy, context.generator))


class Idle(_ByPolicy):
    """Waits in every step."""

    def __init__(self, context: MindContext) -> None:
        super().__init__(PolicyResident(context.name, idle_policy, context.generator))
