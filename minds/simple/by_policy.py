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
        """What the policy says."""
        return self._resident.decide(observation)

    def get_state(self) -> dict[str, Any]:
        """That of the policy's resident."""
        return self._resident.get_state()

    def set_state(self, state: Mapping[str, Any]) -> None:
        """Go on from it."""
        self._resident.set_state(state)


class Scripted(_ByPolicy):
    """Answers, brings what others ask for, comes where others invite it, and else acts at random."""

    def __init__(self, context: MindContext) -> None:
        super().__init__(ScriptedResident(context.name, context.generator))


class Random(_ByPolicy):
    """Does any of the admissible actions; its chats are silences."""

    def __init__(self, context: MindContext) -> None:
        super().__init__(PolicyResident(context.name, random_policy, context.generator))


class Idle(_ByPolicy):
    """Waits."""

    def __init__(self, context: MindContext) -> None:
        super().__init__(PolicyResident(context.name, idle_policy, context.generator))
