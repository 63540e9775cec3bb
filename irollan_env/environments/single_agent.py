"""Single-agent view of a parallel environment: one agent learns, the others act by themselves."""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium.error import ResetNeeded
from pettingzoo import ParallelEnv

from irollan_env.environments.agent_interface import Shown
from irollan_env.environments.info import RENDER_MODES, observation_from, observation_of
from irollan_env.environments.others import OtherResidents, Others
from irollan_env.environments.parallel import IrollanValleyParallelEnv
from irollan_env.hints import check_known
from irollan_env.random_streams import stream
from irollan_env.tasks.episode import episode_stream
from irollan_env.world.observation import Observation


class SingleAgent(gym.Env[Any, Any]):
    """One agent of a parallel environment as a Gymnasium environment; the others follow policies or their own minds.

    For environments whose infos have the keys of ``IrollanValleyParallelEnv``, such as that environment in wrappers
    or on another machine. ``IrollanValley-v0`` is this class around a valley that it makes itself.

    Attributes:
        parallel: The parallel environment.
        agent: Name of the resident that learns.
    """

    metadata: dict[str, Any] = {"render_modes": [*RENDER_MODES], "render_fps": 1}  # noqa: RUF012  (as Gymnasium declares it)

    def __init__(self, parallel: ParallelEnv[str, Any, Any], agent: str, *, others: Others = "scripted") -> None:
        """Wrap a parallel environment.

        Args:
            parallel: The environment. User-made residents get percepts only if it provides them.
            agent: Name of the resident that learns.
            others: A policy or its name for all others, a mapping from names to policies or residents, or residents.

        Raises:
            ValueError: for an unknown agent or policy, or when it is not said how one of the others acts.
            TypeError: for others of an unknown kind.
        """
        check_known("agent", agent, parallel.possible_agents)
        names = [name for name in parallel.possible_agents if name != agent]
        self._take(parallel, agent, OtherResidents(others, names))

    def _take(self, parallel: ParallelEnv[str, Any, Any], agent: str, others: OtherResidents) -> None:
        """Switch to another environment at the next reset."""
        self.parallel, self.agent, self._others = parallel, agent, others
        self.render_mode = getattr(parallel, "render_mode", None)
        self._shown: Shown | None = None
        self._running = False
        for name, space in (
            ("observation_space", parallel.observation_space(agent)),
            ("action_space", parallel.action_space(agent)),
        ):
            if getattr(self, name, None) != space:  # an unchanged one continues sampling where it was
                setattr(self, name, space)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Start an episode; the seed also seeds the other residents.

        Args:
            seed: Seed of this and later episodes, at least 0; None continues with the current generator.
            options: The options of the parallel environment's reset.
        """
        shown = self.parallel.reset(seed=seed, options=options)
        super().reset(seed=seed)
        others = self._generator_of_others(int(self.np_random.integers(2**63)))
        self._others.start(int(others.integers(2**63)))
        self._shown, self._running = shown, True
        return self._own()

    def _generator_of_others(self, episode: int) -> np.random.Generator:
        valley = self.parallel.unwrapped
        if not isinstance(valley, IrollanValleyParallelEnv):
            return stream(episode, "others")
        settings = valley.episodes.settings
        return episode_stream(episode, "others", settings.by_resident(()), settings.split)

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Act, at the same time as all others.

        Raises:
            ResetNeeded: before the first reset, and when the episode is over.
            RuntimeError: when another resident fails to decide, and the environment cannot represent that.
        """
        if not self._running:
            raise ResetNeeded("there is no episode, or it is over; call reset before step")
        others = [name for name in self.parallel.agents if name != self.agent]
        actions, failed = self._others.act(self._view, others)
        reward, terminated, truncated = self._step_all({**actions, self.agent: action}, failed)
        self._running = self.agent in self.parallel.agents
        observation, info = self._own()
        return observation, reward, terminated, truncated, info

    def _step_all(self, actions: Mapping[str, Any], failed: AbstractSet[str]) -> tuple[float, bool, bool]:
        """Let everybody act; return the learner's reward, and whether its episode is terminated or truncated."""
        if isinstance(self.parallel, IrollanValleyParallelEnv):
            everything = self.parallel.step(actions, failed=failed)
        elif failed:
            kind = type(self.parallel).__name__
            raise RuntimeError(f"{min(failed)!r} reached no decision, which {kind} cannot be told")
        else:
            everything = self.parallel.step(actions)
        observations, rewards, terminations, truncations, infos = everything
        self._shown = observations, infos
        return rewards[self.agent], terminations[self.agent], truncations[self.agent]

    def _own(self) -> tuple[Any, dict[str, Any]]:
        """Return the learner's latest observation and info."""
        observations, infos = self._need_episode()
        return observations[self.agent], infos[self.agent]

    def observation_of(self, resident: str | None = None) -> Observation:
        """Return a resident's current observation; None selects the learner.

        Raises:
            ResetNeeded: before the first reset.
            ValueError: for an unknown resident, or an info without percepts.
        """
        return observation_of(self._need_episode()[1], resident or self.agent)

    def _view(self, name: str) -> Observation:
        """Return the latest observation of another resident."""
        _, infos = self._need_episode()
        return observation_from(name, infos[name])

    def _need_episode(self) -> Shown:
        if self._shown is None:
            raise ResetNeeded("there is no episode yet; call reset first")
        return self._shown

    def render(self) -> Any:
        """Render the parallel environment."""
        return self.parallel.render()

    def close(self) -> None:
        """Close the parallel environment."""
        self.parallel.close()
