"""A resident that stays mostly at home and helps those who ask."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from irollan_env.actions import Action, Primitive
from irollan_env.hints import check_keys
from irollan_env.policies.policy_resident import ScriptedResident
from irollan_env.policies.simple import any_of, response
from irollan_env.random_streams import generator_state, restored_generator
from irollan_env.world.observation import Observation
from irollan_env.world.requests import PATIENCE

_LEAVE, _RETURN, _ENTER, _TAKE, _PUT, _SIT = 0.08, 0.15, 0.5, 0.03, 0.7, 0.1


class Neighbour(ScriptedResident):
    """A resident near its home that sometimes moves a thing, and answers as ``ScriptedResident`` does.

    It says who lost a thing where it knows that, hands over what it is asked for, repeats what it is told, and comes
    where it is invited, and stays for ``PATIENCE`` steps. It never opens, eats or washes anything, so that it spoils
    nobody's task.
    """

    patience = PATIENCE

    def __init__(self, name: str, generator: np.random.Generator) -> None:
        super().__init__(name, generator)
        self.policy = self._day
        self._trail: list[str] = []

    def decide(self, observation: Observation) -> str | None:
        """Return an action, or None to wait."""
        if observation.place in self._trail:
            del self._trail[self._trail.index(observation.place) :]
        self._trail.append(observation.place)
        return super().decide(observation)

    def _day(self, observation: Observation, generator: np.random.Generator) -> str | None:
        """Answer others, or else act occasionally at random."""
        if (answer := response(observation)) is not None:
            return answer
        chance, actions = float(generator.random()), observation.admissible
        puts = [action for action in actions if action.primitive is Primitive.PUT]
        if puts and chance < _PUT:
            return any_of(puts, generator)
        if len(self._trail) == 1:
            return self._at_home(actions, chance, generator)
        back = f"go to {self._trail[-2]}"
        if len(self._trail) == 2:
            ways = [action for action in actions if action.primitive is Primitive.GO_TO and action != back]
            doors = [way for way in ways if not _is_road(way, observation)]
            return any_of(doors, generator) if chance < _ENTER and doors else back
        return back if chance < _RETURN and back in actions else self._at_home(actions, 1.0 - chance, generator)

    def _at_home(self, actions: tuple[Action, ...], chance: float, generator: np.random.Generator) -> Action | None:
        """Go out, take a thing, sit down, or do nothing, at random."""
        for prefix, share in (
            ("go to ", _LEAVE if len(self._trail) == 1 else 0.0),
            ("take ", _TAKE),
            ("use chair", _SIT),
        ):
            if chance < share:
                return any_of([action for action in actions if action.startswith(prefix)], generator)
            chance -= share
        return None

    def get_state(self) -> dict[str, Any]:
        """Return the generator, the invitation and the way home, as JSON-ready data."""
        return {**super().get_state(), "trail": list(self._trail)}

    def set_state(self, state: Mapping[str, Any]) -> None:
        """Restore a state from ``get_state``.

        Raises:
            ValueError: for a state that is not from ``get_state``.
        """
        check_keys(f"the state of {self.name!r}", state, ("generator", "invited_to", "until", "trail"))
        trail = state["trail"]
        if not isinstance(trail, list) or not all(isinstance(place, str) for place in trail):
            raise ValueError(f"'trail' of {self.name!r} must be a list of places, got {trail!r}")
        super().set_state({key: value for key, value in state.items() if key != "trail"})
        self._trail = list(trail)

    def copy(self) -> Neighbour:
        """Return an independent resident in the same state."""
        twin = Neighbour(self.name, restored_generator(generator_state(self._generator)))
        twin._invited_to, twin._until, twin._trail = self._invited_to, self._until, list(self._trail)
        return twin


def _is_road(action: Action, observation: Observation) -> bool:
    return f"a road to {action.target}" in observation.sentence
