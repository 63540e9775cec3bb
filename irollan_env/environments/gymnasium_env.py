"""The valley as a Gymnasium environment: one resident learns, the others follow policies or minds of their own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import gymnasium as gym
from gymnasium.error import ResetNeeded

from irollan_env.environments.companions import Companions, Others, inhabited
from irollan_env.environments.info import MAX_STEPS, as_map, check_options, check_render_mode, picture, step_info
from irollan_env.environments.settings import OPTIONS, Settings
from irollan_env.environments.spaces import action_space, sentence_space
from irollan_env.hints import check_keys, check_version
from irollan_env.map.catalogue import MOST_ACTIONS, Catalogue, at_least
from irollan_env.map.valley_map import ValleyMap
from irollan_env.random_streams import generator_state, restored_generator, stream
from irollan_env.tasks.families import make_task
from irollan_env.tasks.pursuit import Pursuit, check_task, set_tasks
from irollan_env.tasks.task import Task
from irollan_env.world.observation import Observation
from irollan_env.world.world import World

STATE_VERSION = 1
"""Of the layout of ``get_state``; a state of another version is refused."""

_STATE = ("version", "resident", "settings", "over", "np_random", "world", "others", "pursuit")


class IrollanValleyEnv(gym.Env[str, str]):
    """``gym.make("irollan_env:IrollanValley-v0")``, and ``IrollanValleyFetch-v0`` and the like for families of tasks.

    **Observation space.** ``Text``: the sentence of the paper (section 5.1, appendix A).

    **Action space.** ``Text``: one of the six primitives. Every string is taken; one that is no admissible action
    changes nothing, and ``info["result"]`` says why. ``"wait"`` and ``None`` let the step pass. Choose among
    ``info["admissible_actions"]``: what the space itself samples is noise. Where a task has something to be said,
    ``"chat with LL: ..."`` says it to LL.

    **Rewards.** With a task, sparse (1.0 when it is solved) or dense (how much nearer the expert's plan has come to
    its end; 1.0 in sum). Without a task 0.0.

    **Episode end.** Terminated when the task is solved; truncated after ``max_steps`` steps. To step on is an error.

    **Info.** ``admissible_actions``; ``action_mask`` over ``env.unwrapped.catalogue``, int8 (None on a map whose
    actions are too many to number; ``SlotActions`` numbers what is admissible); ``place``; ``percepts``; ``messages``;
    ``goal``, the task in a sentence; ``score``, how much of the task is done, in [0, 1]; ``time``; ``doing``;
    ``outcome`` and ``result`` of the last action; ``expert_plan``, when asked for.

    **Arguments**, which ``reset(options={...})`` also takes, for that and all later episodes (``percepts`` and
    ``render_mode`` excepted). Another map, or others, given at reset change the spaces.
    """

    metadata: dict[str, Any] = {"render_modes": ["ansi"], "render_fps": 1}  # noqa: RUF012  (as Gymnasium declares it)

    def __init__(
        self,
        *,
        resident: str | None = None,
        map: ValleyMap | str | Path | None = None,
        max_steps: int = MAX_STEPS,
        others: Others = "scripted",
        task: str | Task | None = None,
        split: str = "train",
        reward: str = "sparse",
        expert_plan: bool = False,
        percepts: bool = True,
        render_mode: str | None = None,
    ) -> None:
        """A valley that waits for its first reset.

        Args:
            resident: Who learns; the map's first resident when None.
            map: A map or the path of a map file; the paper's valley when None.
            max_steps: Steps until an episode is truncated.
            others: Who else lives there: ``"scripted"``, ``"random"``, ``"idle"`` or a ``Policy`` for everybody of
                the map; or a list of residents, or a mapping from names to policies or residents, for these alone.
                Policies get observations without percepts.
            task: A family of tasks, of which each episode gets one; ``"random"`` for any family; a ``Task`` for the
                same one in each episode; None for no task.
            split: ``"train"``, ``"eval_seen"`` or ``"eval_unseen"``.
            reward: ``"sparse"`` or ``"dense"``.
            expert_plan: True adds ``info["expert_plan"]``: what an expert who sees all would do from now on.
            percepts: False leaves ``info["percepts"]`` empty, which is faster.
            render_mode: None or ``"ansi"``.

        Raises:
            ValueError: for a resident, policy, map, task or number that cannot be.
            TypeError: for others of an unknown kind.
        """
        self.render_mode = check_render_mode(render_mode)
        self._percepts = percepts
        self._others: Companions | None = None
        self._pursuit: Pursuit | None = None
        self._over = True
        self._settle(
            Settings(
                resident=resident,
                map=map,
                max_steps=max_steps,
                others=others,
                task=task,
                split=split,
                reward=reward,
                expert_plan=expert_plan,
            )
        )

    def _settle(self, settings: Settings) -> None:
        """Take on settings; nothing has changed when they are refused."""
        valley_map, resident = inhabited(as_map(settings.map), settings.resident, settings.others)
        others = Companions(settings.others, valley_map, resident)
        if settings.task is not None:
            check_task(settings.task, valley_map, resident)
        self.close()
        self._settings, self._others, self.resident = settings, others, resident
        if getattr(self, "map", None) is not valley_map:
            self.map = valley_map
            self.observation_space = sentence_space(valley_map.tables)
            self.action_space = action_space(valley_map.tables)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[str, dict[str, Any]]:
        """Start an episode: everyone at home. Same seed and options give the same episode.

        Raises:
            ValueError: for an unknown option, or a value that cannot be.
        """
        options = options or {}
        check_options(options, OPTIONS)
        settings = replace(self._settings, **options)
        if {"map", "resident", "others"}.isdisjoint(options):
            if settings.task is not None:
                check_task(settings.task, self.map, self.resident)
            self._settings = settings
        else:
            self._settle(settings)
        super().reset(seed=seed)
        episode, task, split = int(self.np_random.integers(2**63)), settings.task, settings.split
        # The same seed must not give the same episode to learn from and to be tested on.
        prefix = f"{split} " if isinstance(task, str) else ""
        if isinstance(task, str):
            drawn = stream(episode, f"{prefix}task")
            task = make_task(task, valley_map=self.map, resident=self.resident, split=split, seed=drawn)
        self.world = World(self.map, seed=stream(episode, f"{prefix}world"))
        self._companions.start(int(stream(episode, f"{prefix}others").integers(2**63)))
        tasks = {self.resident: task} if task else {}
        self._pursuit = set_tasks(tasks, self.world, reward=settings.reward).get(self.resident)
        self._over = False
        return self.observe()

    def step(self, action: str | None) -> tuple[str, float, bool, bool, dict[str, Any]]:
        """Act, together with everybody else.

        Raises:
            TypeError: for an action that is neither a string nor None.
            gymnasium.error.ResetNeeded: before the first reset, and when the episode is over.
        """
        if self._over:
            raise ResetNeeded("there is no episode, or it is over; call reset before step")
        if action is not None and not isinstance(action, str):
            raise TypeError(f"the action of {self.resident!r} must be a string or None, got {action!r}")
        action = None if action == "wait" else self._pursuit.worded(self.world, action) if self._pursuit else action
        actions, failed = self._companions.act(self.world)
        self.world.step({**actions, self.resident: action}, failed=failed)
        seen = self._look()
        reward = self._pursuit.advance(self.world, seen, action) if self._pursuit else 0.0
        terminated = self._pursuit is not None and self._pursuit.solved
        truncated = not terminated and self.world.time >= self._settings.max_steps
        self._over = terminated or truncated
        return seen.sentence, reward, terminated, truncated, self._info(seen)

    def observe(self) -> tuple[str, dict[str, Any]]:
        """The observation and the info of now, as ``reset`` and ``step`` give them; of use after ``set_state``.

        Raises:
            gymnasium.error.ResetNeeded: before the first reset.
        """
        seen = self._look()
        return seen.sentence, self._info(seen)

    def render(self) -> str | None:
        """What the learning resident sees, as text, with ``render_mode="ansi"``.

        Raises:
            gymnasium.error.ResetNeeded: before the first reset.
        """
        seen = self._look()
        return picture(seen) if self.render_mode == "ansi" else None

    def close(self) -> None:
        """End what residents that think in the background have started."""
        if self._others is not None:
            self._others.close()

    def get_state(self) -> dict[str, Any]:
        """Everything needed to go on exactly, generators and settings included, as JSON-ready data.

        Raises:
            gymnasium.error.ResetNeeded: before the first reset.
        """
        self._look()
        return {
            "version": STATE_VERSION,
            "resident": self.resident,
            "settings": self._settings.to_json(),
            "over": self._over,
            "np_random": generator_state(self.np_random),
            "world": self.world.get_state(),
            "others": self._companions.get_state(),
            "pursuit": self._pursuit.get_state() if self._pursuit else None,
        }

    def set_state(self, state: Mapping[str, Any]) -> None:
        """Go on from what ``get_state`` gave, in an environment made with the same resident, map and others.

        An environment that ``gymnasium.make`` gave wants to be reset once before: its wrappers ask for it.

        Raises:
            ValueError: for another version, resident or map, or a state that contradicts itself, saying where; the
                environment has not changed then.
        """
        check_version(state, STATE_VERSION)
        check_keys("state", state, _STATE)
        if state["resident"] != self.resident:
            raise ValueError(f"state.resident is {state['resident']!r}, but {self.resident!r} learns here")
        if not isinstance(state["over"], bool):
            raise ValueError(f"state.over must be true or false, got {state['over']!r}")
        settings = self._settings.restored(state["settings"])
        generator = restored_generator(state["np_random"])
        world = World(self.map)
        world.set_state(state["world"])
        pursuit = None if state["pursuit"] is None else Pursuit.from_state(state["pursuit"], world)
        if pursuit is not None and pursuit.resident != self.resident:
            raise ValueError(f"state.pursuit.resident is {pursuit.resident!r}, but {self.resident!r} learns here")
        if pursuit is not None and pursuit.solved and not state["over"]:
            raise ValueError("state.over is false, but the task of state.pursuit is solved; set it to true")
        self._companions.set_state(state["others"])
        self._settings, self.np_random, self.world, self._pursuit = settings, generator, world, pursuit
        self._over = state["over"]

    def copy(self) -> IrollanValleyEnv:
        """An independent environment in the same state, for search; only what never changes is shared.

        Raises:
            gymnasium.error.ResetNeeded: before the first reset.
            TypeError: for residents of one's own that cannot be copied.
        """
        self._look()
        twin = IrollanValleyEnv.__new__(IrollanValleyEnv)
        twin.__dict__.update(self.__dict__)
        twin.np_random = restored_generator(generator_state(self.np_random))
        twin.world = self.world.copy()
        twin._others = self._companions.copy()
        twin._pursuit = self._pursuit.copy() if self._pursuit else None
        return twin

    @property
    def catalogue(self) -> Catalogue:
        """Every action of the map, numbered: what the numbers of ``info["action_mask"]`` mean.

        Raises:
            ValueError: for a map whose actions are too many to number.
        """
        return self.map.catalogue

    @property
    def _companions(self) -> Companions:
        assert self._others is not None  # since the constructor
        return self._others

    def _look(self) -> Observation:
        if not hasattr(self, "world"):
            raise ResetNeeded("there is no episode yet; call reset first")
        seen = self.world.observe(self.resident, with_percepts=self._percepts)
        return self._pursuit.told(seen) if self._pursuit else seen

    def _info(self, seen: Observation) -> dict[str, Any]:
        numbered = at_least(self.map.tables) <= MOST_ACTIONS
        mask = self.catalogue.mask(seen.admissible) if numbered else None
        return step_info(seen, mask, self._pursuit, expert_plan=self._settings.expert_plan)
