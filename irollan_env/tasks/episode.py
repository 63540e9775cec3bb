"""The tasks of an episode: who has which, from the world's first step to the last."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from irollan_env.map.valley_map import ValleyMap
from irollan_env.random_streams import stream
from irollan_env.tasks.assigned_task import AssignedTask, check_reward, check_task
from irollan_env.tasks.families import make_task
from irollan_env.tasks.task import Task
from irollan_env.world.observation import ObservationTuple
from irollan_env.world.world import World


class AssignedTasks:
    """The task of each resident that has one; whoever has none is passed over.

    Attributes:
        by_resident: The tasks by resident.
    """

    def __init__(self, by_resident: Mapping[str, AssignedTask] | None = None) -> None:
        """Tasks that have begun; none when None."""
        self.by_resident = dict(by_resident or {})

    @property
    def solved(self) -> bool:
        """Whether there are tasks, and all of them are solved."""
        return bool(self.by_resident) and all(assigned.solved for assigned in self.by_resident.values())

    @property
    def goals(self) -> dict[str, str]:
        """The goal of each resident that has a task."""
        return {name: assigned.task.goal for name, assigned in self.by_resident.items()}

    def with_words(self, world: World, actions: Mapping[str, str | None]) -> Mapping[str, str | None]:
        """Actions with what the goals have their residents say in place of the dots of ``chat with LL: ...``."""
        assigned = self.by_resident
        if not assigned:
            return actions
        return {**actions, **{n: assigned[n].with_words(world, actions[n]) for n in assigned if n in actions}}

    def advance(
        self, world: World, seen: Mapping[str, ObservationTuple], actions: Mapping[str, str | None]
    ) -> dict[str, float]:
        """Take note of a step.

        Args:
            world: After the step.
            seen: What each resident perceives after the step.
            actions: What they did, as ``with_words`` gave it; who is not named waited.

        Returns:
            The reward of each resident that has a task.
        """
        return {
            name: assigned.advance(world, seen[name].of(name), actions.get(name))
            for name, assigned in self.by_resident.items()
        }

    def get_state(self) -> dict[str, Any]:
        """Everything but the world, as JSON-ready data."""
        return {name: assigned.get_state() for name, assigned in self.by_resident.items()}

    @classmethod
    def from_state(cls, state: Any, world: World) -> AssignedTasks:
        """Go on from what ``get_state`` gave, with the world restored to the same moment.

        Raises:
            ValueError: for a state that cannot be, saying where.
        """
        if not isinstance(state, Mapping):
            raise ValueError(f"state.tasks must be a mapping from names to tasks, got {state!r}")
        tasks = {}
        for name, saved in state.items():
            where = f"state.tasks[{name!r}]"
            tasks[name] = assigned = AssignedTask.from_state(saved, world, where)
            if assigned.resident != name:
                raise ValueError(f"{where}.resident is {assigned.resident!r}; make both the same")
        return cls(tasks)

    def copy(self) -> AssignedTasks:
        """The same, to go their own way from here."""
        return AssignedTasks({name: assigned.copy() for name, assigned in self.by_resident.items()})


def assign_tasks(tasks: Mapping[str, Task], world: World, *, reward: str = "sparse") -> AssignedTasks:
    """Give residents their tasks at the start of an episode, and move what they want elsewhere.

    Of two who are to find the same thing, the later in ``tasks`` says where it is hidden.

    Raises:
        ValueError: for a task that this world cannot have, an unknown resident, or an unknown kind of reward; the
            world has not changed then.
    """
    check_reward(reward)
    moved: dict[str, str] = {}
    for resident, task in tasks.items():
        check_task(task, world.map, resident)
        moved.update(task.moved)
    if moved:
        state = world.get_state()
        for item, furniture in moved.items():
            state["items"][item]["on"] = furniture
        world.set_state(state)
    return AssignedTasks({name: AssignedTask(task, name, world, reward=reward) for name, task in tasks.items()})


def begin_episode(
    tasks: Mapping[str, str | Task], *, valley_map: ValleyMap, split: str, reward: str, episode: int
) -> tuple[World, AssignedTasks]:
    """The world and the tasks of an episode.

    Args:
        tasks: For each resident that has one, its task, or the family of which it is drawn.
        valley_map: Where they live.
        split: Of the tasks that are drawn.
        reward: Of all of them: ``"sparse"`` or ``"dense"``.
        episode: The seed of everything, at least 0.

    Raises:
        ValueError: when the valley has no such task.
    """
    first = valley_map.tables.residents[0]
    assigned = {}
    for name, task in tasks.items():
        if isinstance(task, str):
            # Figures are published of the map's first resident, whose stream had no name when it alone had a task.
            generator = episode_stream(episode, "task" if name == first else f"task {name}", tasks, split)
            task = make_task(task, valley_map=valley_map, resident=name, split=split, seed=generator)
        assigned[name] = task
    world = World(valley_map, seed=episode_stream(episode, "world", tasks, split))
    return world, assign_tasks(assigned, world, reward=reward)


def episode_stream(episode: int, name: str, tasks: Mapping[str, str | Task], split: str) -> np.random.Generator:
    """The generator of this name in an episode.

    Where a task is drawn, an episode of the same number is another one in another split, so that nobody learns from
    what it will be tested on.

    Args:
        episode: The seed of everything, at least 0.
        name: Who draws from it: ``"world"``, ``"task LL"``, ``"others"``.
        tasks: As for ``begin_episode``.
        split: Of the tasks that are drawn.
    """
    drawn = any(isinstance(task, str) for task in tasks.values())
    return stream(episode, f"{split} {name}" if drawn else name)
