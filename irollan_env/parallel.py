"""The valley as a PettingZoo parallel environment: all residents act at once."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar, Literal

import numpy as np
from gymnasium import spaces
from gymnasium.error import ResetNeeded
from gymnasium.utils import seeding
from numpy.typing import NDArray
from pettingzoo import ParallelEnv

from irollan_env.catalogue import WAIT, Catalogue
from irollan_env.generator import generator_state, restored_generator
from irollan_env.info import MAX_STEPS, as_map, check_max_steps, check_options, check_render_mode, picture, step_info
from irollan_env.names import check_keys
from irollan_env.slots import Slots
from irollan_env.spaces import sentence_space
from irollan_env.valley_map import ValleyMap
from irollan_env.world import World

ParallelObservation = dict[str, str | NDArray[np.int8]] | str
"""``{"sentence": str, "action_mask": int8 array}``, or the sentence alone with ``observation="text"``."""

ParallelAction = int | str | None
"""A number of the action space, an action's text, or None to wait."""

VERSION = 1
"""Of the layout of a saved environment; a state of another version is refused."""

# "options" is the key with which PettingZoo's conformance test checks that reset takes options.
_OPTIONS = ("max_steps", "options")
_STATE = ("version", "environment", "max_steps", "over", "generator", "world")


class IrollanValleyParallelEnv(ParallelEnv[str, ParallelObservation, ParallelAction]):  # type: ignore[misc]
    """All residents of a valley, named as in the paper: AY, SG, MD, WL, LL, WM.

    **Observation space.** ``Dict(sentence=Text, action_mask=Box)``, or ``Text`` with ``observation="text"``. The mask
    has one entry a number of the action space, and stands in ``infos[name]["action_mask"]`` in either case. Number 0,
    to wait, is always allowed, so that the mask is never all zero.

    **Action space.** ``Discrete(len(env.catalogue))``: each number means one action, the same in every step. With
    ``slots=K`` it is ``Discrete(K)``: number 0 waits, and the others stand for the actions that are admissible now, as
    ``infos[name]["slot_actions"]`` lists them. ``step`` also takes an action's text, which is how an agent chats with
    words of its own, and None to wait. Residents that are not named wait. An action that is not admissible changes
    nothing, and ``info["result"]`` says why.

    **Turn order.** Each step draws an order of the residents from the seed, and their acts meet the world one after the
    other. Of two who reach for one thing the first gets it, and the other is told who did.

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
        observation: Literal["dict", "text"] = "dict",
        slots: int | None = None,
        percepts: bool = False,
        render_mode: str | None = None,
    ) -> None:
        """A valley that waits for its first reset.

        Args:
            map: A map or the path of a map file; the paper's valley when None.
            max_steps: Steps until all residents are truncated.
            observation: ``"dict"`` for the sentence and the mask, ``"text"`` for the sentence alone.
            slots: None numbers every action of the map. An integer K >= 2 numbers what is admissible now, K at most;
                maps of more than a few dozen residents need it.
            percepts: True fills ``infos[name]["percepts"]``, at several times the cost of a step.
            render_mode: None or ``"ansi"``.

        Raises:
            ValueError: for a map or number that cannot be, or a map whose actions are too many to number.
        """
        if observation not in ("dict", "text"):
            raise ValueError(f"observation must be 'dict' or 'text', got {observation!r}")
        self.map = as_map(map)
        self.render_mode = check_render_mode(render_mode)
        self.possible_agents = list(self.map.tables.residents)
        self.agents: list[str] = []
        self._slots = None if slots is None else Slots(slots)
        self._size = len(self.catalogue) if self._slots is None else self._slots.size
        self._max_steps = check_max_steps(max_steps)
        self._text_only = observation == "text"
        self._percepts = percepts
        self._np_random: np.random.Generator | None = None
        self._sentences = sentence_space(self.map.tables)
        self._slot_actions: dict[str, tuple[str, ...]] = {}
        self._observation_spaces: dict[str, spaces.Dict | spaces.Text] = {}
        self._action_spaces: dict[str, spaces.Discrete] = {}

    @property
    def catalogue(self) -> Catalogue:
        """Every action of the map, numbered: what the numbers of the action space mean without slots.

        Raises:
            ValueError: for a map whose actions are too many to number.
        """
        return self.map.catalogue

    def observation_space(self, agent: str) -> spaces.Dict | spaces.Text:
        """The sentence, and the action mask beside it unless ``observation="text"``."""
        if agent not in self._observation_spaces:
            mask = spaces.Box(0, 1, (self._size,), np.int8)
            both = spaces.Dict({"sentence": self._sentences, "action_mask": mask})
            self._observation_spaces[agent] = self._sentences if self._text_only else both
        return self._observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Discrete:
        """The numbers of ``env.catalogue``, or those of the slots."""
        if agent not in self._action_spaces:
            self._action_spaces[agent] = spaces.Discrete(self._size)
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
        return self.observe()

    def step(
        self, actions: Mapping[str, ParallelAction]
    ) -> tuple[
        dict[str, ParallelObservation],
        dict[str, float],
        dict[str, bool],
        dict[str, bool],
        dict[str, dict[str, Any]],
    ]:
        """Let all residents act once. After the last step there is nobody left to act, and ``step({})`` gives nothing.

        Raises:
            ValueError: for a name that is no resident, or a number that is not in the action space.
            TypeError: for an action that is neither a number, a string nor None.
            ResetNeeded: before the first reset, and for actions after the last step.
        """
        if not hasattr(self, "world"):
            raise ResetNeeded("step was called before reset; call reset first")
        if not self.agents:
            if actions:
                raise ResetNeeded(f"step was called after the last step, {self.world.time}; call reset first")
            return {}, {}, {}, {}, {}
        self.world.step({name: self._text(name, action) for name, action in actions.items()})
        observations, infos = self.observe()
        over = self.world.time >= self._max_steps
        rewards = dict.fromkeys(self.agents, 0.0)
        terminations = dict.fromkeys(self.agents, False)
        truncations = dict.fromkeys(self.agents, over)
        if over:
            self.agents = []
        return observations, rewards, terminations, truncations, infos

    def observe(self) -> tuple[dict[str, ParallelObservation], dict[str, dict[str, Any]]]:
        """What all residents see now, and their infos: what ``reset`` or ``step`` gave last.

        Raises:
            ResetNeeded: before the first reset.
        """
        if not hasattr(self, "world"):
            raise ResetNeeded("observe was called before reset; call reset first")
        observations: dict[str, ParallelObservation] = {}
        infos = {}
        for name in self.possible_agents:
            seen = self.world.glance(name, with_percepts=self._percepts)
            if self._slots is None:
                mask = self.map.catalogue.mask(seen.admissible)
            else:
                self._slot_actions[name] = filled = self._slots.fill(seen.admissible)
                mask = self._slots.mask(filled)
            infos[name] = step_info(seen, mask, 0.0)
            if self._slots is not None:
                infos[name]["slot_actions"] = self._slot_actions[name]
            observations[name] = seen.sentence if self._text_only else {"sentence": seen.sentence, "action_mask": mask}
        return observations, infos

    def render(self) -> str | None:
        """What all residents see, as text, with ``render_mode="ansi"``."""
        if self.render_mode != "ansi":
            return None
        views = [self.world.observe(name, with_percepts=False) for name in self.possible_agents]
        return "\n\n".join(picture(view) for view in views)

    def get_state(self) -> dict[str, Any]:
        """Everything needed to go on exactly, all generators included, as JSON-ready data.

        What is not in it are the arguments that the environment was made with, ``max_steps`` excepted, and the
        generators of its spaces, which are the learner's.

        Raises:
            ResetNeeded: before the first reset.
        """
        if not hasattr(self, "world") or self._np_random is None:
            raise ResetNeeded("get_state was called before reset; call reset first")
        return {
            "version": VERSION,
            "environment": self.metadata["name"],
            "max_steps": self._max_steps,
            "over": not self.agents,
            "generator": generator_state(self._np_random),
            "world": self.world.get_state(),
        }

    def set_state(self, state: Mapping[str, Any]) -> None:
        """Go on from what ``get_state`` gave, in this or another process, after any JSON round trip.

        Raises:
            ValueError: for another version, environment or map, or a state that contradicts itself, saying where; the
                environment has not changed then.
        """
        if not isinstance(state, Mapping):
            raise ValueError(f"a state must be a mapping, got {type(state).__name__}")
        if state.get("version") != VERSION:
            raise ValueError(f"state has version {state.get('version')!r}, this is version {VERSION}; save it again")
        check_keys("state", state, _STATE)
        if state["environment"] != self.metadata["name"]:
            raise ValueError(f"state.environment is {state['environment']!r}, this is {self.metadata['name']!r}")
        max_steps = check_max_steps(state["max_steps"])
        world, generator = World(self.map, seed=0), restored_generator(state["generator"])
        world.set_state(state["world"])
        if state["over"] is not (world.time >= max_steps):
            raise ValueError(f"state.over is {state['over']!r} at step {world.time} of {max_steps}")
        self.world, self._np_random, self._max_steps = world, generator, max_steps
        self.agents = [] if state["over"] else list(self.possible_agents)
        self.observe()

    def copy(self) -> IrollanValleyParallelEnv:
        """An independent environment in the same state, for search; only the map is shared."""
        twin = copy.copy(self)
        twin.agents, twin.possible_agents = list(self.agents), list(self.possible_agents)
        twin._slot_actions, twin._observation_spaces, twin._action_spaces = dict(self._slot_actions), {}, {}
        if self._np_random is not None:
            twin._np_random = restored_generator(generator_state(self._np_random))
            twin.world = self.world.copy()
        return twin

    def _text(self, name: str, action: ParallelAction) -> str | None:
        if isinstance(action, (int, np.integer)):
            if self._slots is None:
                return self.catalogue.action(int(action))
            action = self._slots.action(int(action), self._slot_actions.get(name, ()))
        return None if action == WAIT else action


def parallel_env(*, max_cycles: int | None = None, **arguments: Any) -> IrollanValleyParallelEnv:
    """The valley for all residents at once.

    Args:
        max_cycles: PettingZoo's name for ``max_steps``, which ``pettingzoo.make`` passes.
        arguments: Those of ``IrollanValleyParallelEnv``.
    """
    if max_cycles is not None:
        arguments.setdefault("max_steps", max_cycles)
    return IrollanValleyParallelEnv(**arguments)
