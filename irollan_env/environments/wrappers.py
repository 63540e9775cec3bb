"""Wrappers for learners: numbered actions with a mask, embedded observations, and other APIs.

The first three wrap a Gymnasium environment whose observations and actions are text and whose ``info`` has
``admissible_actions``, as ``IrollanValley-v0``; the last two lead from PettingZoo to Gymnasium and back.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, SupportsFloat

import gymnasium as gym
import numpy as np
from gymnasium import spaces
from gymnasium.error import ResetNeeded
from gymnasium.utils import RecordConstructorArgs
from numpy.typing import NDArray
from pettingzoo import ParallelEnv

from irollan_env.environments.slots import Slots
from irollan_env.hints import did_you_mean
from irollan_env.policies.simple import Policy, get_policy
from irollan_env.world.observation import Observation

Embed = Callable[[Sequence[str]], NDArray[np.floating[Any]]]
"""Takes texts and gives a matrix with one row a text, as the ``embed`` of ``language_models``' embedders."""


class CatalogueActions(gym.Wrapper[Any, Any, Any, Any], RecordConstructorArgs):
    """Actions as the numbers of the map's catalogue: a number means the same action in every step.

    For learners whose network has one output an action and never reads what the actions say. The paper's valley has
    about ten thousand; maps of more than a few dozen residents have too many, and need ``SlotActions``.

    ``action_masks()`` is the mask, never all zero, where MaskablePPO of sb3-contrib looks for it;
    ``info["action_mask"]`` is the same.
    """

    def __init__(self, env: gym.Env[str, str]) -> None:
        """Wrap an environment with a ``catalogue``.

        Raises:
            ValueError: for a map whose actions are too many to number.
        """
        RecordConstructorArgs.__init__(self)
        super().__init__(env)
        self._catalogue = env.get_wrapper_attr("catalogue")
        self.action_space = spaces.Discrete(len(self._catalogue))
        self._mask: NDArray[np.int8] | None = None

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[str, dict[str, Any]]:
        """As the environment's, with the mask over the catalogue."""
        observation, info = self.env.reset(seed=seed, options=options)
        return observation, self._masked(info)

    def step(self, action: int | np.integer[Any]) -> tuple[str, SupportsFloat, bool, bool, dict[str, Any]]:
        """Take the action of a number.

        Raises:
            ValueError: for a number that is not in the catalogue.
        """
        text = self._catalogue.action(int(action)) or "wait"
        observation, reward, terminated, truncated, info = self.env.step(text)
        return observation, reward, terminated, truncated, self._masked(info)

    def action_masks(self) -> NDArray[np.bool_]:
        """Shape ``(n,)``: True for what can be done now.

        Raises:
            ResetNeeded: before the first reset.
        """
        if self._mask is None:
            raise ResetNeeded("action_masks was called before reset; call reset first")
        return self._mask.astype(np.bool_)

    def _masked(self, info: dict[str, Any]) -> dict[str, Any]:
        self._mask = self._catalogue.mask(info["admissible_actions"])
        return {**info, "action_mask": self._mask}


class SlotActions(gym.Wrapper[Any, Any, Any, Any], RecordConstructorArgs):
    """Admissible actions in a fixed number of slots: number 0 waits, the others are what can be done now.

    For learners that read the texts of the actions in ``info["slot_actions"]``, and for maps of any size. When there
    are more actions than slots, the primitives share the slots evenly (``Slots.fill``).

    ``action_masks()`` and ``info["action_mask"]`` are the mask, never all zero.
    """

    def __init__(self, env: gym.Env[str, str], slots: int = 64) -> None:
        """Wrap an environment.

        Raises:
            ValueError: for a number of slots below 2.
        """
        RecordConstructorArgs.__init__(self, slots=slots)
        super().__init__(env)
        self._slots = Slots(slots)
        self._filled: tuple[str, ...] | None = None
        self.action_space = spaces.Discrete(slots)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[str, dict[str, Any]]:
        """As the environment's, with the slots and their mask."""
        observation, info = self.env.reset(seed=seed, options=options)
        return observation, self._slotted(info)

    def step(self, action: int | np.integer[Any]) -> tuple[str, SupportsFloat, bool, bool, dict[str, Any]]:
        """Take the action in a slot; that of an empty slot is refused by the world.

        Raises:
            ValueError: for a number that is no slot.
            ResetNeeded: before the first reset.
        """
        if self._filled is None:
            raise ResetNeeded("step was called before reset; call reset first")
        text = self._slots.action(int(action), self._filled)
        observation, reward, terminated, truncated, info = self.env.step(text)
        return observation, reward, terminated, truncated, self._slotted(info)

    def action_masks(self) -> NDArray[np.bool_]:
        """Shape ``(slots,)``: True for each slot that holds an action.

        Raises:
            ResetNeeded: before the first reset.
        """
        if self._filled is None:
            raise ResetNeeded("action_masks was called before reset; call reset first")
        return self._slots.mask(self._filled).astype(np.bool_)

    def _slotted(self, info: dict[str, Any]) -> dict[str, Any]:
        self._filled = self._slots.fill(info["admissible_actions"])
        return {**info, "slot_actions": self._filled, "action_mask": self._slots.mask(self._filled)}


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


class SingleAgent(gym.Env[Any, Any]):
    """One agent of a parallel environment as a Gymnasium environment; the others follow a policy.

    For environments whose infos have the keys of ``IrollanValleyParallelEnv``, such as that one behind other wrappers
    or on another machine; ``IrollanValley-v0`` is the same for the valley itself.
    """

    metadata: dict[str, Any] = {"render_modes": ["ansi"], "render_fps": 1}  # noqa: RUF012  (as Gymnasium declares it)

    def __init__(self, env: ParallelEnv[str, Any, Any], agent: str, *, others: str | Policy = "scripted") -> None:
        """Wrap a parallel environment.

        Raises:
            ValueError: for an unknown agent or policy.
        """
        if agent not in env.possible_agents:
            hint = did_you_mean(agent, env.possible_agents) or f"; known are {env.possible_agents[:12]}"
            raise ValueError(f"unknown agent {agent!r}{hint}")
        self.env, self.agent = env, agent
        self._others = get_policy(others)
        self.observation_space = env.observation_space(agent)
        self.action_space = env.action_space(agent)
        self.render_mode = getattr(env, "render_mode", None)
        self._views: dict[str, Observation] = {}

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Start an episode; the seed is that of the environment and of the others' policy."""
        super().reset(seed=seed)
        self._generator = np.random.default_rng(int(self.np_random.integers(2**63)))
        observations, infos = self.env.reset(seed=seed, options=options)
        self._views = _views(observations, infos)
        return observations[self.agent], infos[self.agent]

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Act, together with everybody else.

        Raises:
            ResetNeeded: before the first reset, and after the end of an episode.
        """
        if self.agent not in self._views:
            raise ResetNeeded("step was called before reset or after the end; call reset first")
        actions = {
            name: self._others(view, self._generator) for name, view in self._views.items() if name != self.agent
        }
        observations, rewards, terminations, truncations, infos = self.env.step({**actions, self.agent: action})
        self._views = _views(observations, infos) if self.agent in self.env.agents else {}
        agent = self.agent
        return observations[agent], rewards[agent], terminations[agent], truncations[agent], infos[agent]

    def render(self) -> Any:
        """What the parallel environment shows."""
        return self.env.render()

    def close(self) -> None:
        """Close the parallel environment."""
        self.env.close()


class ParallelOfOne(ParallelEnv[str, Any, Any]):  # type: ignore[misc]
    """A Gymnasium environment as a PettingZoo parallel environment with one agent, for tools that take only those."""

    metadata: dict[str, Any] = {"name": "parallel_of_one", "render_modes": ["ansi"], "is_parallelizable": True}  # noqa: RUF012

    def __init__(self, env: gym.Env[Any, Any], agent: str = "agent_0") -> None:
        """Wrap a Gymnasium environment; its agent gets a name."""
        self.env, self.possible_agents = env, [agent]
        self.agents: list[str] = []
        self.render_mode = env.render_mode
        self._agent = agent

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """That of the environment."""
        return self.env.observation_space

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """That of the environment."""
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
        """Let the one agent act; nothing once the episode has ended.

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
        """What the environment shows."""
        return self.env.render()

    def close(self) -> None:
        """Close the environment."""
        self.env.close()


def _views(observations: dict[str, Any], infos: dict[str, dict[str, Any]]) -> dict[str, Observation]:
    """What policies take, put together again from what a parallel environment gives."""
    return {name: _view(name, observation, infos[name]) for name, observation in observations.items()}


def _view(name: str, observation: Any, info: dict[str, Any]) -> Observation:
    return Observation(
        time=info["time"],
        resident=name,
        place=info["place"],
        sentence=observation if isinstance(observation, str) else observation["sentence"],
        percepts=tuple(info["percepts"]),
        messages=tuple(info["messages"]),
        admissible=tuple(info["admissible_actions"]),
        doing=info["doing"],
        outcome=info["outcome"],
        result=info["result"],
        goal=info["goal"],
    )
