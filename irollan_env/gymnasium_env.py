"""The valley as a Gymnasium environment: one resident learns, the others follow a policy."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np

from irollan_env.info import MAX_STEPS, as_map, check_max_steps, check_options, check_render_mode, picture, step_info
from irollan_env.names import did_you_mean
from irollan_env.observation import Observation
from irollan_env.policies import Policy, get_policy
from irollan_env.spaces import action_space, sentence_space
from irollan_env.valley_map import ValleyMap
from irollan_env.world import World

_OPTIONS = ("resident", "map", "max_steps", "others")


class IrollanValleyEnv(gym.Env[str, str]):
    """``gym.make("irollan_env:IrollanValley-v0")``.

    **Observation space.** ``Text``: the sentence of the paper (section 5.1, appendix A).

    **Action space.** ``Text``: one of the six primitives. Every string is taken; one that is no admissible action
    changes nothing, and ``info["result"]`` says why. ``"wait"`` and ``None`` let the step pass. Choose among
    ``info["admissible_actions"]``: what the space itself samples is noise.

    **Rewards.** 0.0: without a task nothing is rewarded.

    **Episode end.** Truncated after ``max_steps`` steps; never terminated without a task.

    **Info.** ``admissible_actions``; ``action_mask`` over ``env.unwrapped.catalogue``, int8; ``place``; ``percepts``;
    ``messages``; ``goal``; ``score``; ``time``; ``doing``; ``outcome`` and ``result`` of the last action.

    **Arguments**, which ``reset(options={...})`` also takes, for that and all later episodes (``percepts`` and
    ``render_mode`` excepted). A map given at reset changes the spaces.
    """

    metadata: dict[str, Any] = {"render_modes": ["ansi"], "render_fps": 1}  # noqa: RUF012  (as Gymnasium declares it)

    def __init__(
        self,
        *,
        resident: str | None = None,
        map: ValleyMap | str | Path | None = None,
        max_steps: int = MAX_STEPS,
        others: str | Policy = "scripted",
        percepts: bool = True,
        render_mode: str | None = None,
    ) -> None:
        """A valley that waits for its first reset.

        Args:
            resident: Who learns; the map's first resident when None.
            map: A map or the path of a map file; the paper's valley when None.
            max_steps: Steps until an episode is truncated.
            others: Policy of all other residents: ``"scripted"``, ``"random"``, ``"idle"``, or a ``Policy``, whose
                observations come without percepts.
            percepts: False leaves ``info["percepts"]`` empty, which is faster.
            render_mode: None or ``"ansi"``.

        Raises:
            ValueError: for a resident, policy, map or number that cannot be.
        """
        self.render_mode = check_render_mode(render_mode)
        self._percepts = percepts
        self._resident = resident
        self._max_steps = check_max_steps(max_steps)
        self._others = get_policy(others)
        self._use_map(as_map(map))

    def _use_map(self, valley_map: ValleyMap) -> None:
        self.map = valley_map
        self.catalogue = valley_map.catalogue
        self.observation_space = sentence_space(valley_map.tables)
        self.action_space = action_space(valley_map.tables)
        names = valley_map.tables.residents
        if self._resident is not None and self._resident not in names:
            hint = did_you_mean(self._resident, names) or f"; known are {list(names)}"
            raise ValueError(f"unknown resident {self._resident!r}{hint}")
        self.resident = self._resident or names[0]

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[str, dict[str, Any]]:
        """Start an episode: everyone at home. Same seed and options give the same episode.

        Raises:
            ValueError: for an unknown option, or a value that cannot be.
        """
        super().reset(seed=seed)
        options = options or {}
        check_options(options, _OPTIONS)
        if "resident" in options:
            self._resident = options["resident"]
        if "max_steps" in options:
            self._max_steps = check_max_steps(options["max_steps"])
        if "others" in options:
            self._others = get_policy(options["others"])
        if "map" in options or "resident" in options:
            self._use_map(as_map(options["map"]) if "map" in options else self.map)
        world_seed, others_seed = (int(number) for number in self.np_random.integers(2**63, size=2))
        self.world = World(self.map, seed=world_seed)
        self._generator = np.random.default_rng(others_seed)
        return self._observe()

    def step(self, action: str | None) -> tuple[str, float, bool, bool, dict[str, Any]]:
        """Act, together with everybody else.

        Raises:
            TypeError: for an action that is neither a string nor None.
            RuntimeError: before the first reset.
        """
        if not hasattr(self, "world"):
            raise RuntimeError("step was called before reset; call reset first")
        actions: dict[str, str | None] = {}
        for name in self.world.residents:
            if name == self.resident:
                actions[name] = None if action == "wait" else action
            else:
                actions[name] = self._others(self.world.observe(name, with_percepts=False), self._generator)
        self.world.step(actions)
        sentence, info = self._observe()
        return sentence, 0.0, False, self.world.time >= self._max_steps, info

    def render(self) -> str | None:
        """What the learning resident sees, as text, with ``render_mode="ansi"``."""
        return picture(self._observation) if self.render_mode == "ansi" else None

    def _observe(self) -> tuple[str, dict[str, Any]]:
        self._observation: Observation = self.world.observe(self.resident, with_percepts=self._percepts)
        mask = self.catalogue.mask(self._observation.admissible)
        return self._observation.sentence, step_info(self._observation, mask, 0.0)
