"""Wrappers that turn text observations into embedding vectors."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium import spaces
from gymnasium.utils import RecordConstructorArgs
from numpy.typing import NDArray
from pettingzoo import ParallelEnv
from pettingzoo.utils import BaseParallelWrapper

Embed = Callable[[Sequence[str]], NDArray[np.floating[Any]]]
"""Takes texts and gives a matrix with one row a text, as the ``embed`` of ``language_models``' embedders."""


class EmbeddedObservation(gym.ObservationWrapper[NDArray[np.float32], Any, str], RecordConstructorArgs):
    """Replaces sentences by embedding vectors, in ``Box(-inf, inf, (dimension,), float32)``."""

    def __init__(self, env: gym.Env[str, Any], embed: Embed) -> None:
        """Wrap an environment; ``embed`` is called once here, to find the dimension.

        Args:
            env: An environment with text observations.
            embed: Takes texts and gives one row of numbers a text.

        Raises:
            ValueError: if ``embed`` does not give one row a text.
        """
        RecordConstructorArgs.__init__(self, embed=embed)
        super().__init__(env)
        self._embed = embed
        self.observation_space = _vectors(embed)

    def observation(self, observation: str) -> NDArray[np.float32]:
        """Return the embedding vector of a sentence."""
        return np.asarray(self._embed([observation])[0], dtype=np.float32)


class EmbeddedParallelObservation(BaseParallelWrapper):  # type: ignore[misc]
    """Replaces sentences by embedding vectors for the agents of a parallel environment; action masks are kept."""

    def __init__(self, env: ParallelEnv[str, Any, Any], embed: Embed) -> None:
        """Wrap an environment; ``embed`` is called once here, and then once a step for all agents together.

        Args:
            env: An environment whose observations are text, or text with a mask.
            embed: Takes texts and gives one row of numbers a text.

        Raises:
            ValueError: if ``embed`` does not give one row a text.
        """
        super().__init__(env)
        self._embed, self._vectors = embed, _vectors(embed)
        self._spaces: dict[str, spaces.Space[Any]] = {}

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """Return the space: ``Box``, or ``Dict(observation=Box, action_mask=Box)`` where there is a mask."""
        if agent not in self._spaces:
            inner = self.env.observation_space(agent)
            masked = isinstance(inner, spaces.Dict)
            self._spaces[agent] = spaces.Dict({**inner, "observation": self._vectors}) if masked else self._vectors
        return self._spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[dict[str, Any], Any]:
        """Reset the environment and embed the observations."""
        observations, infos = self.env.reset(seed=seed, options=options)
        return self._embedded(observations), infos

    def step(self, actions: Mapping[str, Any]) -> tuple[dict[str, Any], Any, Any, Any, Any]:
        """Step the environment and embed the observations."""
        observations, rewards, terminations, truncations, infos = self.env.step(actions)
        return self._embedded(observations), rewards, terminations, truncations, infos

    def _embedded(self, observations: Mapping[str, Any]) -> dict[str, Any]:
        if not observations:
            return {}
        texts = [seen["observation"] if isinstance(seen, dict) else seen for seen in observations.values()]
        rows = np.asarray(self._embed(texts), dtype=np.float32)
        return {
            agent: {**seen, "observation": row} if isinstance(seen, dict) else row
            for (agent, seen), row in zip(observations.items(), rows, strict=True)
        }


def _vectors(embed: Embed) -> Any:
    rows = np.asarray(embed(["You are in a valley."]))
    if rows.ndim != 2 or rows.shape[0] != 1:
        raise ValueError(f"embed must give one row for one text, got an array of shape {rows.shape}")
    return spaces.Box(-np.inf, np.inf, (rows.shape[1],), np.float32)
