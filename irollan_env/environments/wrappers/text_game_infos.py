"""Wrapper that adds the info keys of ALFWorld and TextWorld."""

from __future__ import annotations

from typing import Any, SupportsFloat

import gymnasium as gym
from gymnasium.utils import RecordConstructorArgs


class TextGameInfos(gym.Wrapper[Any, Any, Any, Any], RecordConstructorArgs):
    """Adds to each info the keys of ALFWorld and TextWorld.

    ``admissible_commands`` (a list), ``won`` and ``lost`` (whether the task was solved, or can no longer be),
    ``goal_condition_success_rate`` (how much of the task is done, in [0, 1], as ``score`` is), ``max_score`` (1),
    ``inventory`` and ``look`` (sentences). For ``IrollanValleyEnv``, behind any wrappers.
    """

    def __init__(self, env: gym.Env[Any, Any]) -> None:
        """Wrap an environment."""
        RecordConstructorArgs.__init__(self)
        super().__init__(env)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Reset the environment and add the keys to its info."""
        observation, info = self.env.reset(seed=seed, options=options)
        return observation, self._with_keys(info, terminated=False, truncated=False)

    def step(self, action: Any) -> tuple[Any, SupportsFloat, bool, bool, dict[str, Any]]:
        """Step the environment and add the keys to its info."""
        observation, reward, terminated, truncated, info = self.env.step(action)
        keys = self._with_keys(info, terminated=terminated, truncated=truncated)
        return observation, reward, terminated, truncated, keys

    def _with_keys(self, info: dict[str, Any], *, terminated: bool, truncated: bool) -> dict[str, Any]:
        world, resident = self.get_wrapper_attr("world"), self.get_wrapper_attr("resident")
        held = ", ".join(f"a {item}" for item in world.holding(resident))
        return {
            **info,
            "admissible_commands": list(info["admissible_actions"]),
            "won": terminated and info["score"] == 1.0,
            "lost": truncated or (terminated and info["score"] < 1.0),
            "goal_condition_success_rate": info["score"],
            "max_score": 1.0,
            "inventory": f"You are carrying: {held}." if held else "You are not carrying anything.",
            "look": info["sentence"],
        }
