"""A task that a resident has, through one episode: progress, reward, score and the expert's plan."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from irollan_env.hints import did_you_mean
from irollan_env.map.valley_map import ValleyMap
from irollan_env.tasks.families import task_from_json
from irollan_env.tasks.neighbourhood import Neighbourhood, neighbourhood_of
from irollan_env.tasks.task import SOLVED, Progress, Task, executed
from irollan_env.world.observation import Observation
from irollan_env.world.primitives import SILENCE, chat_with, is_chat
from irollan_env.world.world import World

REWARDS = ("sparse", "dense")
"""``sparse``: 1 in the step that solves the task, else 0. ``dense``: by how much each step has shortened the expert's
plan, as a part of its length at the start: negative for steps that lead away, and 1 in sum for any way to solve the
task (potential-based shaping: Ng, Harada and Russell, ICML 1999, with a discount of 1)."""


_DOTS = f": {SILENCE}"


class AssignedTask:
    """The task of one resident, in a world of which it is told after each step.

    An environment keeps one for each of its agents that has a task: it makes them by ``assign_tasks`` at the start of
    an episode, passes each action through ``with_words``, and calls ``advance`` after the world's step.

    Attributes:
        task: The task.
        resident: Who has it.
        progress: What has been reached so far.
    """

    def __init__(self, task: Task, resident: str, world: World, *, reward: str = "sparse") -> None:
        """A task in a world that is ready for it.

        Raises:
            ValueError: for a task that this world cannot have, an unknown resident, or an unknown kind of reward.
        """
        self.reward = check_reward(reward)
        check_task(task, world.map, resident)
        self.task = task
        self.resident = resident
        self.progress: Progress = {}
        self._plan: tuple[str, ...] = task.plan(self.progress, world, resident)
        self._length = len(self._plan)

    @property
    def solved(self) -> bool:
        """Whether the task is done."""
        return SOLVED in self.progress

    @property
    def score(self) -> float:
        """How much of the way to the goal is done, in [0, 1]: 1 when solved, and only then."""
        return min(1.0, max(0.0, 1 - len(self._plan) / self._length))

    @property
    def expert_plan(self) -> tuple[str, ...]:
        """What an expert would do from now on; empty when solved."""
        return self._plan

    def with_words(self, world: World, action: str | None) -> str | None:
        """The action with what the goal has one say now in place of the dots of ``chat with LL: ...``."""
        words = self.task.words(self.progress, world.time)
        if words is None or action is None or not is_chat(action) or not action.endswith(_DOTS):
            return action
        return chat_with(action[len("chat with ") : -len(_DOTS)], words)

    def advance(self, world: World, observation: Observation, action: str | None) -> float:
        """Take note of a step.

        Args:
            world: After the step.
            observation: What the resident perceives after the step; percepts are not needed.
            action: What the resident did, as ``with_words`` gave it.

        Returns:
            The reward of the step.
        """
        if self.solved:
            return 0.0
        before = len(self._plan)
        self.progress = self.task.advance(self.progress, world, observation, executed(observation, action))
        self._plan = () if self.solved else self.task.plan(self.progress, world, self.resident)
        return float(self.solved) if self.reward == "sparse" else (before - len(self._plan)) / self._length

    def get_state(self) -> dict[str, Any]:
        """Everything but the world, as JSON-ready data."""
        return {
            "task": self.task.to_json(),
            "resident": self.resident,
            "reward": self.reward,
            "progress": dict(self.progress),
            "length": self._length,
        }

    @classmethod
    def from_state(cls, state: Mapping[str, Any], world: World, where: str) -> AssignedTask:
        """Go on from what ``get_state`` gave, with the world restored to the same moment.

        Args:
            state: What ``get_state`` gave.
            world: At the same moment.
            where: What errors call the state.

        Raises:
            ValueError: for a state that cannot be, saying where.
        """
        keys = ("task", "resident", "reward", "progress", "length")
        if not isinstance(state, Mapping) or set(state) != set(keys):
            raise ValueError(f"{where} must be a mapping with the keys {keys}, got {state!r}")
        assigned = cls.__new__(cls)
        try:
            assigned.task, assigned.resident = task_from_json(state["task"]), state["resident"]
            assigned.reward = check_reward(state["reward"])
            near = check_task(assigned.task, world.map, assigned.resident)
        except ValueError as error:
            raise ValueError(f"{where}: {error}") from error
        assigned.progress = _progress(assigned.task, near, state["progress"], world.time, f"{where}.progress")
        assigned._plan = () if assigned.solved else assigned.task.plan(assigned.progress, world, assigned.resident)
        assigned._length = state["length"]
        if isinstance(assigned._length, bool) or not isinstance(assigned._length, int) or assigned._length < 1:
            raise ValueError(f"{where}.length must be an integer >= 1, got {assigned._length!r}")
        return assigned

    def copy(self) -> AssignedTask:
        """The same, to go its own way from here."""
        twin = AssignedTask.__new__(AssignedTask)
        twin.__dict__.update(self.__dict__)
        return twin


def check_reward(reward: str) -> str:
    """Refuse a name that is no kind of reward.

    Raises:
        ValueError: for such a name.
    """
    if not isinstance(reward, str) or reward not in REWARDS:
        raise ValueError(f"unknown reward {reward!r}{did_you_mean(str(reward), REWARDS) or f'; known are {REWARDS}'}")
    return reward


def check_task(task: str | Task, valley_map: ValleyMap, resident: str) -> Neighbourhood:
    """Refuse a task that a resident cannot have in a valley; gives the surroundings that it is about.

    Args:
        task: The task; of a family, of which one is drawn later, only the resident is checked.
        valley_map: The valley.
        resident: Who is to have it.

    Raises:
        ValueError: for an unknown resident, a name that is not there, or a goal that nobody could reach.
    """
    if not isinstance(resident, str) or resident not in valley_map.tables.resident_number:
        known = valley_map.tables.residents
        hint = did_you_mean(str(resident), known) or f"; known are {list(known[:12])}"
        raise ValueError(f"unknown resident {resident!r}{hint}")
    near = neighbourhood_of(valley_map.tables, resident)
    if isinstance(task, Task):
        task.check(near, resident)
    return near


def _progress(task: Task, near: Neighbourhood, data: Any, now: int, where: str) -> Progress:
    if not isinstance(data, Mapping):
        raise ValueError(f"{where} must be a mapping, got {data!r}")
    for mark, time in data.items():
        if not isinstance(mark, str) or not task.is_mark(mark, near):
            raise ValueError(f"{where}: a {task.family!r} task has no mark {mark!r}")
        if isinstance(time, bool) or not isinstance(time, int) or not 0 <= time <= now:
            raise ValueError(f"{where}[{mark!r}] must be a time step in [0, {now}], got {time!r}")
    return dict(data)
