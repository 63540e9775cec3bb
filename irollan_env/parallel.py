"""The valley as a PettingZoo parallel environment: all residents act at once."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from gymnasium import spaces
from gymnasium.utils import seeding
from numpy.typing import NDArray
from pettingzoo import ParallelEnv

from irollan_env.info import MAX_STEPS, as_map, check_max_steps, check_options, check_render_mode, picture, step_info
from irollan_env.spaces import sentence_space
from irollan_env.valley_map import ValleyMap
from irollan_env.world import World

ParallelObservation = dict[str, str | NDArray[np.int8]]
"""``{"sentence": str, "action_mask": int8 array}``."""

ParallelAction = int | str | None
"""A number of the catalogue, an action's text, or None to wait."""

# "options" is the key with which PettingZoo's conformance test checks that reset takes options.
_OPTIONS = ("max_steps", "options")


class IrollanValleyParallelEnv(ParallelEnv[str, ParallelObservation, ParallelAction]):  # type: ignore[misc]
    """All residents of a valley, named as in the paper: AY, SG, MD, WL, LL, WM.

    **Observation space.** ``Dict(sentence=Text, action_mask=Box)``. The mask has one number an action of
    ``env.catalogue``; action 0, to wait, is always allowed, so that the mask is never all zero.

    **Action space.** ``Discrete(len(env.catalogue))``: each number means one action, the same in every step. ``step``
    also takes an action's text, which is how an agent chats with words of its own, and None to wait. Residents that are
    not named wait. An action that is not admissible changes nothing, and ``info["result"]`` says why.

    **Rewards, episode end, info.** As in ``IrollanValleyEnv``, one entry a resident.
    """

    metadata: ClassVar[dict[str, Any]] = {
        "name": "irollan_valley_v0",
        "render_modes": ["ansi"],
        "render_fps": 1,
        "is_parallelizable": True,
    }

    def __init__(
        self,
        *,
        map: ValleyMap | str | Path | None = None,
        max_steps: int = MAX_STEPS,
        percepts: bool = False,
        render_mode: str | None = None,
    ) -> None:
        """A valley that waits for its first reset.

        Args:
            map: A map or the path of a map file; the paper's valley when None.
            max_steps: Steps until all residents are truncated.
            percepts: True fills ``infos[name]["percepts"]``, at several times the cost of a step.
            render_mode: None or ``"ansi"``.

        Raises:
            ValueError: for a map or number that cannot be.
        """
        self.map = as_map(map)
        self.catalogue = self.map.catalogue
        self.render_mode = check_render_mode(render_mode)
        self._max_steps = check_max_steps(max_steps)
        self._percepts = percepts
        self._np_random: np.random.Generator | None = None
        self.possible_agents = list(self.map.tables.residents)
        self.agents: list[str] = []
        sentences = sentence_space(self.map.tables)
        size = len(self.catalogue)
        self._observation_spaces = {
            name: spaces.Dict({"sentence": sentences, "action_mask": spaces.Box(0, 1, (size,), np.int8)})
            for name in self.possible_agents
        }
        self._action_spaces = {name: spaces.Discrete(size) for name in self.possible_agents}

    def observation_space(self, agent: str) -> spaces.Dict:
        """The sentence and the action mask of a resident."""
        return self._observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Discrete:
        """The numbers of ``env.catalogue``."""
        return self._action_spaces[agent]

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, ParallelObservation], dict[str, dict[str, Any]]]:
        """Start an episode: everyone at home.

        Args:
            seed: Of all chance in this and later episodes; None goes on with the generator there is.
            options: ``max_steps`` for this and later episodes.

        Raises:
            ValueError: for an unknown option, or a value that cannot be.
        """
        options = options or {}
        check_options(options, _OPTIONS)
        if "max_steps" in options:
            self._max_steps = check_max_steps(options["max_steps"])
        if seed is not None or self._np_random is None:
            self._np_random, _ = seeding.np_random(seed)
        self.world = World(self.map, seed=int(self._np_random.integers(2**63)))
        self.agents = list(self.possible_agents)
        return self._observe()

    def step(
        self, actions: Mapping[str, ParallelAction]
    ) -> tuple[
        dict[str, ParallelObservation],
        dict[str, float],
        dict[str, bool],
        dict[str, bool],
        dict[str, dict[str, Any]],
    ]:
        """Let all residents act once.

        Raises:
            ValueError: for a name that is no resident, or a number that is not in the catalogue.
            RuntimeError: before the first reset.
        """
        if not hasattr(self, "world"):
            raise RuntimeError("step was called before reset; call reset first")
        if not self.agents:
            return {}, {}, {}, {}, {}
        self.world.step({name: self._text(action) for name, action in actions.items()})
        observations, infos = self._observe()
        over = self.world.time >= self._max_steps
        rewards = dict.fromkeys(self.agents, 0.0)
        terminations = dict.fromkeys(self.agents, False)
        truncations = dict.fromkeys(self.agents, over)
        if over:
            self.agents = []
        return observations, rewards, terminations, truncations, infos

    def render(self) -> str | None:
        """What all residents see, as text, with ``render_mode="ansi"``."""
        if self.render_mode != "ansi":
            return None
        views = [self.world.observe(name, with_percepts=False) for name in self.possible_agents]
        return "\n\n".join(picture(view) for view in views)

    def _text(self, action: ParallelAction) -> str | None:
        if isinstance(action, (int, np.integer)):
            return self.catalogue.action(int(action))
        return None if action == "wait" else action

    def _observe(self) -> tuple[dict[str, ParallelObservation], dict[str, dict[str, Any]]]:
        observations: dict[str, ParallelObservation] = {}
        infos = {}
        for name in self.possible_agents:
            seen = self.world.observe(name, with_percepts=self._percepts)
            mask = self.catalogue.mask(seen.admissible)
            observations[name] = {"sentence": seen.sentence, "action_mask": mask}
            infos[name] = step_info(seen, mask, 0.0)
        return observations, infos


def parallel_env(**arguments: Any) -> IrollanValleyParallelEnv:
    """The valley for all residents at once; the arguments are those of ``IrollanValleyParallelEnv``."""
    return IrollanValleyParallelEnv(**arguments)
