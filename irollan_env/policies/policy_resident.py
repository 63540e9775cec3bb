"""Residents that follow a policy."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from irollan_env.actions import Action, Primitive
from irollan_env.hints import check_integer, check_keys
from irollan_env.policies.simple import Policy, response, scripted_policy
from irollan_env.random_streams import generator_state, restored_generator
from irollan_env.resident import Act
from irollan_env.world.observation import Observation
from irollan_env.world.requests import INVITATION_STEPS, invited_to


class PolicyResident:
    """A resident that follows a policy and has no memory.

    Attributes:
        name: The resident's name.
        policy: The policy.
    """

    def __init__(self, name: str, policy: Policy, generator: np.random.Generator) -> None:
        self.name = name
        self.policy = policy
        self._generator = generator

    def decide(self, observation: Observation) -> str | None:
        """Return an action, or None to wait; the policy is not called where nothing is admissible."""
        return self.policy(observation, self._generator) if observation.admissible else None

    async def act(self, observation: Observation) -> Act:
        """Implement ``Resident.act``."""
        decided = self.decide(observation)
        return Act(action=None if decided is None else Action.parse(decided))

    def get_state(self) -> dict[str, Any]:
        """Return the generator, as JSON-ready data."""
        return {"generator": generator_state(self._generator)}

    def set_state(self, state: Mapping[str, Any]) -> None:
        """Restore a state from ``get_state``.

        Raises:
            ValueError: for a state that is not from ``get_state``.
        """
        check_keys(f"the state of {self.name!r}", state, ("generator",))
        self._generator = restored_generator(state["generator"])

    def copy(self) -> PolicyResident:
        """Return an independent resident in the same state."""
        return PolicyResident(self.name, self.policy, restored_generator(generator_state(self._generator)))


class ScriptedResident(PolicyResident):
    """A resident that acts as ``scripted_policy``, and follows invitations of the form "come to PLACE".

    It answers first, then goes there, and stays until ``INVITATION_STEPS`` steps have passed. Meanwhile it answers
    those who tell it something. It knows the places behind the doors that it sees, and finds others through the
    outside; a place that is not there it gives up.
    """

    patience = INVITATION_STEPS

    def __init__(self, name: str, generator: np.random.Generator) -> None:
        super().__init__(name, scripted_policy, generator)
        self._invited_to: str | None = None
        self._until = 0

    def decide(self, observation: Observation) -> str | None:
        """Return an action, or None to wait."""
        for message in observation.messages:
            if message.addressee == self.name and (place := invited_to(message.text)) is not None:
                self._invited_to, self._until = place, observation.time + self.patience
        if observation.time >= self._until:
            self._invited_to = None
        if self._invited_to is None:
            return super().decide(observation)
        if (answer := response(observation)) is not None:
            return answer
        if not observation.admissible:
            return None
        if observation.place.casefold() == self._invited_to.casefold():
            return None
        action = _towards(self._invited_to, observation)
        if action is None:
            self._invited_to = None
            return super().decide(observation)
        return action

    def get_state(self) -> dict[str, Any]:
        """Return the generator and the invitation, as JSON-ready data."""
        return {**super().get_state(), "invited_to": self._invited_to, "until": self._until}

    def set_state(self, state: Mapping[str, Any]) -> None:
        """Restore a state from ``get_state``.

        Raises:
            ValueError: for a state that is not from ``get_state``.
        """
        check_keys(f"the state of {self.name!r}", state, ("generator", "invited_to", "until"))
        place, until = state["invited_to"], check_integer(f"'until' of {self.name!r}", state["until"])
        if not (place is None or isinstance(place, str)):
            raise ValueError(f"'invited_to' of {self.name!r} must be null or a place, got {place!r}")
        super().set_state({"generator": state["generator"]})
        self._invited_to, self._until = place, until

    def copy(self) -> ScriptedResident:
        """Return an independent resident in the same state."""
        twin = ScriptedResident(self.name, restored_generator(generator_state(self._generator)))
        twin._invited_to, twin._until = self._invited_to, self._until
        return twin


def _towards(place: str, observation: Observation) -> Action | None:
    doors = [action for action in observation.admissible if action.primitive is Primitive.GO_TO]
    for action in doors:
        if action.target.casefold() == place.casefold():
            return action
    return doors[0] if len(doors) == 1 else None
