"""The valley as a Gymnasium environment: one resident learns, the others follow policies or minds of their own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from pathlib import Path
from typing import Any, cast

import numpy as np
from gymnasium.envs.registration import EnvSpec
from numpy.typing import NDArray

from irollan_env.environments.info import MAX_STEPS, check_options, check_render_mode, picture
from irollan_env.environments.others import OtherResidents, Others, populated
from irollan_env.environments.parallel import IrollanValleyParallelEnv
from irollan_env.environments.settings import SETTINGS
from irollan_env.environments.shown_text import Content, check_content
from irollan_env.environments.single_agent import SingleAgent
from irollan_env.hints import check_keys, check_version
from irollan_env.map.catalogue import Catalogue
from irollan_env.map.loading import load_map
from irollan_env.map.valley_map import ValleyMap
from irollan_env.random_streams import generator_state, restored_generator
from irollan_env.tasks.families import task_from_json
from irollan_env.tasks.task import Task
from irollan_env.world.observation import Observation
from irollan_env.world.world import World
from irollan_env.world.world_classes import WorldClasses

VERSION = 2
"""Version of the saved-state layout; states of other versions are rejected."""

_STATE = ("version", "resident", "np_random", "valley", "others")
_POPULATION = ("resident", "map", "world", "others")


class IrollanValleyEnv(SingleAgent):
    """The environment behind ``IrollanValley-v0`` and the task environments such as ``IrollanValleyFetch-v1``.

    It has 16 methods: those of Gymnasium's API, and those for saving, restoring and copying.

    **Observation space.** ``Text``: goal, result of the last action, messages and the sentence of the paper
    (section 5.1, appendix A), or the sentence alone.

    **Action space.** ``Text``: one of the six primitives. Every string is taken; one that is no admissible action
    changes nothing, and ``info["result"]`` says why. ``"wait"`` and ``None`` let the step pass. Choose among
    ``info["admissible_actions"]``: what the space itself samples is noise. Where a task has something to be said,
    ``"chat with LL: ..."`` says it to LL.

    **Rewards.** With a task, sparse (1.0 when it is solved) or dense (how much nearer the expert's plan has come to
    its end; 1.0 in sum). Without a task 0.0.

    **Episode end.** Terminated when the task is solved, or a mechanic ends the world; truncated after ``max_steps``
    steps. To step on is an error.

    **Info.** ``admissible_actions``; ``action_mask`` over ``env.unwrapped.catalogue``, int8 (None on a map whose
    actions are too many to number; ``SlotActions`` numbers what is admissible); ``sentence``; ``place``; ``percepts``;
    ``messages``; ``events``; ``goal``, the task in a sentence; ``score``, how much of the task is done, in [0, 1];
    ``time``; ``doing``; ``outcome`` and ``result`` of the last action; ``expert_plan``, when asked for.

    **The others** are agents of the parallel environment inside, ``parallel``: with the same seed, tasks and world are
    those of ``irollan_env.parallel_env``.

    **Arguments**, which ``reset(options={...})`` also takes, for that and all later episodes (``observation``,
    ``percepts`` and ``render_mode`` excepted). Another map, or others, given at reset change the spaces.
    """

    parallel: IrollanValleyParallelEnv
    _spec: EnvSpec | None = None

    def __init__(
        self,
        *,
        resident: str | None = None,
        map: ValleyMap | str | Path | None = None,
        world: WorldClasses = (),
        max_steps: int = MAX_STEPS,
        others: Others = "scripted",
        task: str | Task | Mapping[str, Any] | None = None,
        split: str = "train",
        reward: str = "sparse",
        instance: int | None = None,
        difficulty: int | None = None,
        expert_plan: bool = False,
        observation: Content | None = None,
        percepts: bool = True,
        render_mode: str | None = None,
    ) -> None:
        """Create the valley; call ``reset`` before anything else.

        Args:
            resident: The learner; the map's first resident when None.
            map: What ``load_map`` takes; when None the paper's valley, or for tasks of a family the valley
                of the instance.
            world: World classes, which ``docs/worlds.md`` describes: ``"module:Class"``, the name of an installed one,
                or the class; one or several.
            max_steps: Steps until an episode is truncated.
            others: Who else lives there: ``"scripted"``, ``"random"``, ``"idle"`` or a ``Policy`` for everybody of
                the map; or a list of residents, or a mapping from names to policies or residents, for these alone.
                Policies get observations without percepts and events.
            task: A family of tasks, of which each episode gets one; ``"random"`` for any family, ``"random_seen"`` for
                any that is not held out; a ``Task``, or its JSON form, for the same in each episode; None for no task.
            split: ``"train"``, ``"validation"``, ``"test_seen"`` or ``"test_unseen"``.
            reward: ``"sparse"`` or ``"dense"``.
            instance: The number of the instance that every episode plays, in [0, 499]; None draws one.
            difficulty: 1 to 3; None for any.
            expert_plan: True adds ``info["expert_plan"]``: the plan of an expert with the learner's knowledge.
            observation: ``"full"`` for goal, result, messages and sentence, ``"sentence"`` for the sentence alone; by
                default full where there is a task.
            percepts: False leaves ``info["percepts"]`` and ``info["events"]`` empty, which is faster.
            render_mode: None, ``"ansi"`` or ``"rgb_array"``.

        Raises:
            ValueError: for an invalid resident, policy, map, task or number.
            TypeError: for others of an unknown kind.
        """
        check_render_mode(render_mode)
        self._percepts, self._render_mode = percepts, render_mode
        self._content: Content = "full" if check_content(observation, tasks=task is not None) else "sentence"
        self._population: dict[str, Any] = {"resident": resident, "map": map, "world": world, "others": others}
        episodes = {"max_steps": max_steps, "split": split, "reward": reward, "expert_plan": expert_plan}
        episodes |= {"instance": instance, "difficulty": difficulty}
        self._take(*self._made(self._population, {**episodes, "task": task}))

    def _made(
        self, population: Mapping[str, Any], settings: Mapping[str, Any]
    ) -> tuple[IrollanValleyParallelEnv, str, OtherResidents]:
        """Create a valley with these residents; return it with the learner's name and the other residents."""
        valley_map, resident = populated(load_map(population["map"]), population["resident"], population["others"])
        others = OtherResidents(population["others"], [n for n in valley_map.tables.residents if n != resident])
        valley = IrollanValleyParallelEnv(
            map=valley_map,
            world=population["world"],
            observation=self._content,
            actions="text",
            draws=population["map"] is None,
            percepts=(*others.thinking, *((resident,) if self._percepts else ())),
            render_mode=self._render_mode,
            **_for_one(resident, settings),
        )
        return valley, resident, others

    @property
    def spec(self) -> EnvSpec | None:
        """The spec passed to ``gymnasium.make``, with tasks in their JSON form for ``EnvSpec.to_json``."""
        return self._spec

    @spec.setter
    def spec(self, spec: EnvSpec | None) -> None:
        if spec is not None and isinstance(task := spec.kwargs.get("task"), Task):
            spec.kwargs["task"] = task.to_json()
        self._spec = spec

    @property
    def resident(self) -> str:
        """Name of the resident that learns."""
        return self.agent

    @property
    def map(self) -> ValleyMap:
        """The map, with only the residents of this environment."""
        return self.parallel.map

    @property
    def world(self) -> World:
        """The simulated world of the current episode.

        Raises:
            gymnasium.error.ResetNeeded: before the first reset.
        """
        return self.parallel.world

    @property
    def catalogue(self) -> Catalogue:
        """All actions of the map by number; the numbers of ``info["action_mask"]`` index it.

        Raises:
            ValueError: for a map with too many actions to number.
        """
        return self.parallel.catalogue

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[str, dict[str, Any]]:
        """Start an episode, with everyone at home. Same seed and options give the same episode.

        Args:
            seed: Seed of this and later episodes, at least 0; None continues with the current generator.
            options: For this and later episodes, as the arguments of the environment.

        Raises:
            ValueError: for an unknown option, or an invalid value.
        """
        options = options or {}
        check_options(options, (*_POPULATION, *SETTINGS))
        population = {**self._population, **{key: options[key] for key in _POPULATION if key in options}}
        settings = {key: value for key, value in options.items() if key not in _POPULATION}
        if not options.keys().isdisjoint(_POPULATION):
            before = self.parallel
            current = {key: getattr(before.episodes.settings, key) for key in SETTINGS}
            task = before.episodes.settings.by_resident(()).get(self.resident)
            taken = self._made(population, {**current, "task": task, **settings})
            taken[0].episodes.np_random = before.episodes.np_random
            self.close()
            self._take(*taken)
            self._population = population
        observation, info = super().reset(seed=seed, options=_for_one(self.resident, settings))
        return observation, info

    def _step_all(self, actions: Mapping[str, Any], failed: AbstractSet[str]) -> tuple[float, bool, bool]:
        reward = self.parallel.act(actions, failed=failed).get(self.agent, 0.0)
        finished = self.parallel.finished
        return reward, finished, not self.parallel.agents and not finished

    def observe(self) -> tuple[str, dict[str, Any]]:
        """Return the current observation and info, as ``reset`` and ``step`` do; useful after ``set_state``.

        Raises:
            gymnasium.error.ResetNeeded: before the first reset.
        """
        self.parallel.episodes.look()
        return self._own()

    def _own(self) -> tuple[str, dict[str, Any]]:
        observations, infos = self.parallel.show([self.agent])
        info = infos[self.agent]
        info["action_mask"] = self._mask(info["admissible_actions"])
        return cast(str, observations[self.agent]), info

    def _mask(self, admissible: Sequence[str]) -> NDArray[np.int8] | None:
        """Return the action mask; None where numbers would change their meaning between episodes."""
        if self.parallel.episodes.instance is not None or not self.map.has_catalogue:
            return None
        return self.catalogue.mask(admissible)

    def observation_of(self, resident: str | None = None) -> Observation:
        """Return a resident's current observation; None selects the learner.

        Raises:
            gymnasium.error.ResetNeeded: before the first reset.
            ValueError: for an unknown resident.
        """
        return self.parallel.observation_of(resident or self.resident)

    def _view(self, name: str) -> Observation:
        return self.parallel.episodes.perceived[name].of(name)

    def render(self) -> Any:
        """Render the learner's observation as text, or the world from above.

        Returns:
            With ``render_mode="ansi"`` a string; with ``"rgb_array"`` an array of shape ``(height, 1000, 3)``, uint8;
            None without a render mode.

        Raises:
            gymnasium.error.ResetNeeded: before the first reset.
            ModuleNotFoundError: for ``"rgb_array"`` without Matplotlib.
        """
        seen = self._view(self.resident)
        return picture(seen) if self.render_mode == "ansi" else self.parallel.render()

    def get_state(self) -> dict[str, Any]:
        """Return the complete state, generators and settings included, as JSON-ready data.

        Raises:
            gymnasium.error.ResetNeeded: before the first reset.
        """
        valley = self.parallel.get_state()
        return {
            "version": VERSION,
            "resident": self.resident,
            "np_random": generator_state(self.np_random),
            "valley": valley,
            "others": self._others.get_state(),
        }

    def set_state(self, state: Mapping[str, Any]) -> None:
        """Restore a state from ``get_state``, in an environment made with the same resident, map and others.

        An environment from ``gymnasium.make`` has to be reset once before, because of its wrappers.

        Raises:
            ValueError: for another version, resident or map, or a state that contradicts itself, saying where; the
                environment has not changed then.
        """
        check_version(state, VERSION)
        check_keys("state", state, _STATE)
        if state["resident"] != self.resident:
            raise ValueError(f"state.resident is {state['resident']!r}, but {self.resident!r} learns here")
        generator = restored_generator(state["np_random"])
        try:
            valley = self.parallel.episodes.restored(state["valley"])
        except ValueError as error:
            raise ValueError(f"state.valley: {error}") from error
        for name in (*valley.settings.by_resident(valley.map.tables.residents), *state["valley"]["tasks"]):
            if name != self.resident:
                raise ValueError(f"state.valley has a task of {name!r}, but {self.resident!r} learns here")
        self._others.set_state(state["others"])
        self.np_random = generator
        self.parallel.take(valley)
        self._running = not valley.over

    def copy(self) -> IrollanValleyEnv:
        """Return an independent environment in the same state, for search; only immutable parts are shared.

        Raises:
            gymnasium.error.ResetNeeded: before the first reset.
            TypeError: for user-made residents that cannot be copied.
        """
        self._view(self.agent)  # there is something to copy once somebody sees something
        twin = IrollanValleyEnv.__new__(IrollanValleyEnv)
        twin.__dict__.update(self.__dict__)
        twin.np_random = restored_generator(generator_state(self.np_random))
        twin.parallel, twin._others = self.parallel.copy(), self._others.copy()
        return twin


def _for_one(resident: str, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return settings that assign the task to one resident."""
    task = settings.get("task")
    if task is None:
        return dict(settings)
    return {**settings, "task": {resident: task_from_json(task) if isinstance(task, Mapping) else task}}
