"""A resident's task during one episode: progress, reward, score and the expert's plan."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from irollan_env.actions import SILENCE, Action, Refusal, chat_with
from irollan_env.hints import check_integer, check_known
from irollan_env.map.valley_map import ValleyMap
from irollan_env.tasks.duties import duty
from irollan_env.tasks.families import task_from_json
from irollan_env.tasks.known import Known
from irollan_env.tasks.neighbourhood import Neighbourhood, neighbourhood_of
from irollan_env.tasks.task import LOST, SOLVED, Moment, Progress, Task
from irollan_env.tasks.views import Truth
from irollan_env.world.observation import Message
from irollan_env.world.world import World

REWARDS = ("sparse", "dense")
"""``sparse``: 1 in the step that solves the task, else 0. ``dense``: by how much each step has shortened the expert's
plan, as a part of its length at the start: negative for steps that lead away, and 1 in sum for any way to solve the
task (potential-based shaping: Ng, Harada and Russell, ICML 1999, with a discount of 1)."""

_NEARLY = 0.99


class AssignedTask:
    """The task of one resident, updated after each step of the world.

    An environment keeps one for each of its agents that has a task: it makes them by ``assign_tasks`` at the start of
    an episode, passes each action through ``with_words``, and calls ``advance`` after the world's step.

    Attributes:
        task: The task.
        resident: The resident that has it.
        progress: The progress so far.
        known: The resident's knowledge: what it has seen and heard so far.
        facts: Sentences that say who lost a thing, by thing.
    """

    def __init__(self, task: Task, resident: str, world: World, *, reward: str = "sparse") -> None:
        """Assign a task at the start of an episode.

        Args:
            task: The task.
            resident: The resident that gets it.
            world: The world at the start of the episode.
            reward: ``"sparse"`` or ``"dense"``.

        Raises:
            ValueError: for a task that is impossible in this world, an unknown resident, or an unknown kind of reward.
        """
        self.reward = check_known("reward", reward, REWARDS)
        check_task(task, world.map, resident)
        self.task = task
        self.resident = resident
        self.progress: Progress = {}
        self.facts: Mapping[str, str] = {}
        self.known = Known(world.map.tables, resident)
        self.known.look(world)
        self._left = self._length = len(self.oracle_plan(world))

    @property
    def solved(self) -> bool:
        """Whether the task is done."""
        return SOLVED in self.progress

    @property
    def over(self) -> bool:
        """Whether the task is solved or lost."""
        return self.solved or LOST in self.progress

    @property
    def score(self) -> float:
        """The share of the way to the goal done so far, in [0, 1]; 1 only when solved."""
        return 1.0 if self.solved else min(_NEARLY, max(0.0, 1 - self._left / self._length))

    @property
    def oracle_steps(self) -> int:
        """Length of the oracle's plan at the start, with full knowledge and everybody else standing still."""
        return self._length

    @property
    def expert_plan(self) -> tuple[str, ...]:
        """The next actions of an expert who knows the goal and what the resident has seen and heard.

        Empty when nothing is left to do, for itself or for others. It goes as far as that knowledge does: where
        something has to be looked for, it ends with the next look.
        """
        owed = duty(self.known, self.facts, own_over=self.over)
        return owed or (() if self.over else self.task.plan(self.progress, self.known))

    def oracle_plan(self, world: World) -> tuple[str, ...]:
        """Return the plan with full knowledge, with everybody else standing still; for tasks that are not over."""
        return self.task.plan(self.progress, Truth(world, self.resident))

    def with_words(self, world: World, action: str | None) -> str | None:
        """Replace the dots of ``chat with LL: ...`` by what the goal has the resident say now.

        Args:
            world: The world before the step.
            action: The resident's action; None waits.
        """
        parsed = Action.parse(action or "")
        if isinstance(parsed, Refusal) or parsed.words != SILENCE or parsed != parsed.listed:
            return action
        words = self.task.words(self.progress, self.resident, parsed.target, world.time)
        return action if words is None else chat_with(parsed.target, words)

    def advance(self, world: World, messages: Sequence[Message], acts: Mapping[str, Action]) -> float:
        """Update the progress after a step, and return the step's reward.

        Args:
            world: The world after the step.
            messages: The messages that the resident heard in the step.
            acts: The executed actions of all residents, by name, after ``with_words``.

        Returns:
            The reward of the step.
        """
        self.known.look(world)
        self.known.listen(messages, acts.get(self.resident))
        if self.over:
            return 0.0
        before = self._left
        moment = Moment(world, self.resident, acts.get(self.resident), acts, messages)
        self.progress = self.task.advance(self.progress, moment)
        if self.over:
            self._left = 0 if self.solved else before
        else:
            self._left = len(self.oracle_plan(world))
        return float(self.solved) if self.reward == "sparse" else (before - self._left) / self._length

    def get_state(self) -> dict[str, Any]:
        """Return the state without the world, as JSON-ready data."""
        return {
            "task": self.task.to_json(),
            "resident": self.resident,
            "reward": self.reward,
            "progress": dict(self.progress),
            "length": self._length,
            "known": self.known.get_state(),
        }

    @classmethod
    def from_state(cls, state: Mapping[str, Any], world: World, where: str) -> AssignedTask:
        """Restore a state from ``get_state``, with the world restored to the same moment.

        Args:
            state: A state from ``get_state``.
            world: The world, restored to the same moment.
            where: The name of the state in error messages.

        Raises:
            ValueError: for an invalid state, saying where.
        """
        keys = ("task", "resident", "reward", "progress", "length", "known")
        if not isinstance(state, Mapping) or set(state) != set(keys):
            raise ValueError(f"{where} must be a mapping with the keys {keys}, got {state!r}")
        assigned = cls.__new__(cls)
        try:
            assigned.task, assigned.resident = task_from_json(state["task"]), state["resident"]
            assigned.reward = check_known("reward", state["reward"], REWARDS)
            near = check_task(assigned.task, world.map, assigned.resident)
        except ValueError as error:
            raise ValueError(f"{where}: {error}") from error
        assigned.progress = _progress(assigned.task, near, state["progress"], world.time, f"{where}.progress")
        assigned._length = check_integer(f"{where}.length", state["length"], 1)
        assigned.facts = {}
        assigned.known = Known(world.map.tables, assigned.resident)
        try:
            assigned.known.set_state(state["known"])
        except ValueError as error:
            raise ValueError(f"{where}.{error}") from error
        assigned._left = 0 if assigned.over else len(assigned.oracle_plan(world))
        return assigned

    def copy(self) -> AssignedTask:
        """Return an independent copy."""
        twin = AssignedTask.__new__(AssignedTask)
        twin.__dict__.update(self.__dict__)
        twin.known = self.known.copy()
        return twin


def check_task(task: str | Task, valley_map: ValleyMap, resident: str) -> Neighbourhood:
    """Check that a resident can have a task in a valley, and return the task's neighbourhood.

    Args:
        task: The task; of a family, of which one is drawn later, only the resident is checked.
        valley_map: The valley.
        resident: The resident that is to have it.

    Raises:
        ValueError: for an unknown resident, a name that is not there, or a goal that nobody could reach.
    """
    check_known("resident", resident, valley_map.tables.resident_number)
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
            raise ValueError(f"{where}[{mark!r}] must be a time step or a count in [0, {now}], got {time!r}")
    return dict(data)
