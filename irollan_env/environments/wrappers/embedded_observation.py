"""Observations as vectors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium import spaces
from gymnasium.utils import RecordConstructorArgs
from numpy.typing import NDArray

Embed = Callable[[Sequence[str]], NDArray[np.floating[Any]]]
"""Takes texts and gives a matrix with one row a text, as the ``embed`` of ``language_models``' embedders."""


class EmbeddedObservation(gym.ObservationWrapper[NDArray[np.float32], Any, str], RecordConstructorArgs):
    """Sentences as vectors: ``Box(-inf, inf, (dimension,), float32)``."""

    def __init__(self, env: gym.Env[str, Any], embed: Embed) -> None:
        """Wrap an environment; ``embed`` is asked once, for the dimension.

        Raises:
            ValueError: if ``embed`` does not give one row a text.
        """
        RecordConstructorArgs.__init__(self, embed=embed)
        super().__init__(env)
        self._embed = embed
        rows = np.asarray(embed(["You are in a valley."]))
        if rows.ndim != 2 or rows.shape[0] != 1:
            raise ValueError(f"embed must give one row for one text, got an array of shape {rows.shape}")
        self.observation_space = spaces.Box(-np.inf, np.inf, (rows.shape[1],), np.float32)

    def observation(self, observation: str) -> NDArray[np.float32]:
        """The vector of a sentence."""
        return np.asarray(self._embed([observation])[0], dtype=np.float32)
