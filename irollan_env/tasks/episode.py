"""The tasks of all residents during one episode."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from irollan_env.hints import check_known
from irollan_env.map.valley_map import ValleyMap
from irollan_env.random_streams import stream
from irollan_env.tasks.assigned_task import REWARDS, AssignedTask, check_task
from irollan_env.tasks.families import make_tasks
from irollan_env.tasks.instances import instance_tasks
from irollan_env.tasks.task import Task, executed
from irollan_env.world.mechanic import Mechanic
from irollan_env.world.observation import ObservationTuple
from irollan_env.world.requests import told
from irollan_env.world.world import World

CREDITS = ("own", "team", "both")
"""How rewards are shared: a resident's own, the mean of all who have tasks, or half of each."""


class AssignedTasks:
    """Tasks by resident, for the residents that have one.

    Attributes:
        by_resident: The tasks by resident.
    """

    def __init__(self, by_resident: Mapping[str, AssignedTask] | None = None, credit: str = "own") -> None:
        """Collect the tasks of an episode; none when None.

        Args:
            by_resident: The tasks.
            credit: How rewards are shared, one of ``CREDITS``.
        """
        self.by_resident, self.credit = dict(by_resident or {}), credit
        self._told = {name: assigned.task.goal for name, assigned in self.by_resident.items()}
        for assigned in self.by_resident.values():
            for name, (thing, words) in assigned.task.facts.items():
                fact = told(words)
                self._told[name] = f"{self._told[name]} {fact}" if name in self._told else fact
                if name in self.by_resident:
                    self.by_resident[name].facts = {**self.by_resident[name].facts, thing: words}

    @property
    def solved(self) -> bool:
        """Whether there are tasks, and all of them are solved."""
        return bool(self.by_resident) and all(assigned.solved for assigned in self.by_resident.values())

    @property
    def over(self) -> bool:
        """Whether there are tasks, and each is solved or lost."""
        return bool(self.by_resident) and all(assigned.over for assigned in self.by_resident.values())

    @property
    def goals(self) -> Mapping[str, str]:
        """The goals by resident, each with the facts that others have to ask that resident for."""
        return self._told

    def with_words(self, world: World, actions: Mapping[str, str | None]) -> Mapping[str, str | None]:
        """Replace the dots of ``chat with LL: ...`` in actions by what the goals have the residents say.

        Args:
            world: The world before the step.
            actions: By resident; None waits.
        """
        assigned = self.by_resident
        if not assigned:
            return actions
        return {**actions, **{n: assigned[n].with_words(world, actions[n]) for n in assigned if n in actions}}

    def advance(
        self, world: World, seen: Mapping[str, ObservationTuple], actions: Mapping[str, str | None]
    ) -> dict[str, float]:
        """Update the progress after a step, and return the step's rewards.

        Args:
            world: The world after the step.
            seen: Each resident's observation after the step.
            actions: The actions, after ``with_words``; residents not named waited.

        Returns:
            The reward of each resident that has a task.
        """
        if not self.by_resident:
            return {}
        done = {name: executed(world.outcome_of(name), action) for name, action in actions.items()}
        acts = {name: act for name, act in done.items() if act is not None}
        own = {name: one.advance(world, seen[name].messages, acts) for name, one in self.by_resident.items()}
        if self.credit == "own":
            return own
        mean = sum(own.values()) / len(own)
        return {name: mean if self.credit == "team" else (reward + mean) / 2 for name, reward in own.items()}

    def get_state(self) -> dict[str, Any]:
        """Return the state without the world, as JSON-ready data."""
        return {name: assigned.get_state() for name, assigned in self.by_resident.items()}

    @classmethod
    def from_state(cls, state: Any, world: World, credit: str = "own") -> AssignedTasks:
        """Restore a state from ``get_state``, with the world restored to the same moment.

        Args:
            state: A state from ``get_state``.
            world: The world, restored to the same moment.
            credit: How rewards are shared, one of ``CREDITS``.

        Raises:
            ValueError: for an invalid state, saying where.
        """
        if not isinstance(state, Mapping):
            raise ValueError(f"state.tasks must be a mapping from names to tasks, got {state!r}")
        tasks = {}
        for name, saved in state.items():
            where = f"state.tasks[{name!r}]"
            tasks[name] = assigned = AssignedTask.from_state(saved, world, where)
            if assigned.resident != name:
                raise ValueError(f"{where}.resident is {assigned.resident!r}; make both the same")
            seen, now = (assigned.known.place, assigned.known.time), (world.place_of(name), world.time)
            if seen != now:
                raise ValueError(f"{where}.known is of {seen}, and {name!r} is at {now}; make both the same")
        return cls(tasks, credit)

    def copy(self) -> AssignedTasks:
        """Return an independent copy."""
        return AssignedTasks({name: assigned.copy() for name, assigned in self.by_resident.items()}, self.credit)


def assign_tasks(
    tasks: Mapping[str, Task], world: World, *, reward: str = "sparse", credit: str = "own"
) -> AssignedTasks:
    """Assign tasks to residents at the start of an episode.

    Args:
        tasks: By resident.
        world: The world at the start of the episode.
        reward: ``"sparse"`` or ``"dense"``.
        credit: ``"own"``, ``"team"`` or ``"both"``.

    Raises:
        ValueError: for a task that this world cannot have, an unknown resident, or an unknown kind of reward or credit.
    """
    check_known("reward", reward, REWARDS)
    check_known("credit", credit, CREDITS)
    for resident, task in tasks.items():
        check_task(task, world.map, resident)
    assigned = {name: AssignedTask(task, name, world, reward=reward) for name, task in tasks.items()}
    return AssignedTasks(assigned, credit)


def begin_episode(
    tasks: Mapping[str, str | Task],
    *,
    valley_map: ValleyMap,
    split: str,
    episode: int,
    instance: int | None = None,
    reward: str = "sparse",
    credit: str = "own",
    mechanics: Sequence[Mechanic] = (),
) -> tuple[World, AssignedTasks]:
    """Create the world and the tasks of an episode.

    Args:
        tasks: For each resident that has one, its task, or the family of which it is drawn.
        valley_map: The valley.
        split: The split from which tasks are drawn.
        episode: The episode's seed, at least 0.
        instance: The number of the instance whose valley this is; None for a valley that was not drawn.
        reward: The kind of reward of all tasks: ``"sparse"`` or ``"dense"``.
        credit: How rewards are shared, one of ``CREDITS``.
        mechanics: Rules beside those that the map names.

    Raises:
        ValueError: when the valley has no such task.
    """
    assigned = {name: task for name, task in tasks.items() if isinstance(task, Task)}
    families = dict.fromkeys(task for task in tasks.values() if isinstance(task, str))
    for family in families:
        names = [name for name, task in tasks.items() if task == family]
        if instance is None:
            seed = int(episode_stream(episode, "task", tasks, split).integers(2**63))
            assigned.update(make_tasks(family, valley_map=valley_map, residents=names, split=split, seed=seed))
        else:
            assigned.update(instance_tasks(family, split, instance, names, valley_map))
    world = World(valley_map, seed=episode_stream(episode, "world", tasks, split), mechanics=mechanics)
    ordered = {name: assigned[name] for name in tasks}
    return world, assign_tasks(ordered, world, reward=reward, credit=credit)


def episode_stream(episode: int, name: str, tasks: Mapping[str, str | Task], split: str) -> np.random.Generator:
    """Create the random generator of a name for an episode.

    Where a task is drawn, an episode of the same number is another one in another split, so that nobody learns from
    what it will be tested on.

    Args:
        episode: The episode's seed, at least 0.
        name: The generator's purpose: ``"world"``, ``"task LL"``, ``"others"``.
        tasks: As for ``begin_episode``.
        split: The split from which tasks are drawn.
    """
    drawn = any(isinstance(task, str) for task in tasks.values())
    return stream(episode, f"{split} {name}" if drawn else name)
