"""Wrappers that record observations and actions in a file of JSON lines."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, TextIO

import gymnasium as gym
from gymnasium.utils import RecordConstructorArgs
from pettingzoo import ParallelEnv
from pettingzoo.utils import BaseParallelWrapper

_KEPT = ("place", "doing", "admissible_actions", "outcome", "result", "goal", "score")


class _Lines:
    """A new JSON-lines file that is flushed after each line, with the episode's number."""

    def __init__(self, path: str | Path) -> None:
        try:
            self._file: TextIO = Path(path).open("x", encoding="utf-8")  # noqa: SIM115  (closed with the environment)
        except FileExistsError:
            raise FileExistsError(
                f"{path} is there already; remove it, or name another file: each environment of a vector needs its own"
            ) from None
        self.episode = -1

    def write(self, agent: str, action: Any, observation: Any, info: Mapping[str, Any], **outcome: Any) -> None:
        line = {
            "episode": self.episode,
            "time": info["time"],
            "agent": agent,
            "action": action if action is None or isinstance(action, str) else int(action),
            **outcome,
            "observation": observation if isinstance(observation, str) else observation["observation"],
            "messages": [asdict(message) for message in info["messages"]],
            "events": [asdict(event) for event in info["events"]],
            **{key: info[key] for key in _KEPT},
        }
        self._file.write(json.dumps(line, ensure_ascii=False) + "\n")
        self._file.flush()

    def close(self) -> None:
        self._file.close()


class RecordTrajectory(gym.Wrapper[Any, Any, Any, Any], RecordConstructorArgs):
    """Writes each reset and step of a text environment to a file.

    A line has ``episode``, ``time``, ``agent``, the ``action`` that led here (null after a reset) with its ``reward``,
    ``terminated`` and ``truncated``, the ``observation`` that followed, ``messages``, ``events``,
    ``admissible_actions``, ``place``, ``doing``, ``outcome``, ``result``, ``goal`` and ``score``. Put it inside
    wrappers that make vectors of sentences.
    """

    def __init__(self, env: gym.Env[Any, Any], path: str | Path) -> None:
        """Create the file.

        Args:
            env: An environment with text observations.
            path: The path of the new file.

        Raises:
            FileExistsError: when there is such a file.
        """
        RecordConstructorArgs.__init__(self, path=path)
        super().__init__(env)
        self._lines = _Lines(path)
        self._agent = str(getattr(env.unwrapped, "resident", "agent"))

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Reset, and write a line."""
        observation, info = self.env.reset(seed=seed, options=options)
        self._lines.episode += 1
        self._agent = str(getattr(self.env.unwrapped, "resident", "agent"))
        self._lines.write(self._agent, None, observation, info, reward=0.0, terminated=False, truncated=False)
        return observation, info

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """Step, and write a line."""
        observation, reward, terminated, truncated, info = self.env.step(action)
        outcome = {"reward": float(reward), "terminated": terminated, "truncated": truncated}
        self._lines.write(self._agent, action, observation, info, **outcome)
        return observation, reward, terminated, truncated, info

    def close(self) -> None:
        """Close the environment and the file."""
        self._lines.close()
        super().close()


class RecordParallelTrajectory(BaseParallelWrapper):  # type: ignore[misc]
    """Writes each reset and step of a parallel environment to a file, one line per agent."""

    def __init__(self, env: ParallelEnv[str, Any, Any], path: str | Path) -> None:
        """Create the file.

        Args:
            env: An environment whose observations are text, or text with a mask.
            path: The path of the new file.

        Raises:
            FileExistsError: when there is such a file.
        """
        super().__init__(env)
        self._lines = _Lines(path)

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
        """Reset, and write a line for each agent."""
        observations, infos = self.env.reset(seed=seed, options=options)
        self._lines.episode += 1
        for agent, observation in observations.items():
            self._lines.write(agent, None, observation, infos[agent], reward=0.0, terminated=False, truncated=False)
        return observations, infos

    def step(
        self, actions: Mapping[str, Any]
    ) -> tuple[dict[str, Any], dict[str, float], dict[str, bool], dict[str, bool], dict[str, dict[str, Any]]]:
        """Step, and write a line for each agent."""
        observations, rewards, terminations, truncations, infos = self.env.step(actions)
        for agent, observation in observations.items():
            outcome = {"terminated": terminations[agent], "truncated": truncations[agent]}
            line = {"reward": float(rewards[agent]), **outcome}
            self._lines.write(agent, actions.get(agent), observation, infos[agent], **line)
        return observations, rewards, terminations, truncations, infos

    def close(self) -> None:
        """Close the environment and the file."""
        self._lines.close()
        self.env.close()
