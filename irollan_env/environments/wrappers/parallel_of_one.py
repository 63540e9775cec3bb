"""Adapter from Gymnasium to PettingZoo."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
from gymnasium import spaces
from pettingzoo import ParallelEnv

from irollan_env.environments.info import RENDER_MODES


class ParallelOfOne(ParallelEnv[str, Any, Any]):  # type: ignore[misc]
    """A Gymnasium environment as a PettingZoo parallel environment with one agent, for tools that take only those."""

    metadata: dict[str, Any] = {"name": "parallel_of_one", "render_modes": [*RENDER_MODES], "is_parallelizable": True}  # noqa: RUF012

    def __init__(self, env: gym.Env[Any, Any], agent: str = "agent_0") -> None:
        """Wrap a Gymnasium environment and name its agent.

        Args:
            env: The environment.
            agent: The name of its agent.
        """
        self.env, self.possible_agents = env, [agent]
        self.agents: list[str] = []
        self.render_mode = env.render_mode
        self._agent = agent

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """Return the environment's observation space."""
        return self.env.observation_space

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """Return the environment's action space."""
        return self.env.action_space

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
        """Start an episode."""
        # "options" is the key with which PettingZoo's conformance test checks that reset takes options.
        known = {key: value for key, value in (options or {}).items() if key != "options"}
        observation, info = self.env.reset(seed=seed, options=known)
        self.agents = [self._agent]
        return {self._agent: observation}, {self._agent: info}

    def step(
        self, actions: dict[str, Any]
    ) -> tuple[dict[str, Any], dict[str, float], dict[str, bool], dict[str, bool], dict[str, dict[str, Any]]]:
        """Let the one agent act; return empty results once the episode has ended.

        Raises:
            ValueError: for actions that are not the agent's.
        """
        if not self.agents:
            return {}, {}, {}, {}, {}
        if set(actions) != {self._agent}:
            raise ValueError(f"step needs the action of {self._agent!r} alone, got those of {sorted(actions)}")
        observation, reward, terminated, truncated, info = self.env.step(actions[self._agent])
        if terminated or truncated:
            self.agents = []
        agent = self._agent
        return {agent: observation}, {agent: float(reward)}, {agent: terminated}, {agent: truncated}, {agent: info}

    def render(self) -> Any:
        """Render the environment."""
        return self.env.render()

    def close(self) -> None:
        """Close the environment."""
        self.env.close()
