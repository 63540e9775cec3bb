"""The tasks of a society: several residents, each on a task of its own, through one episode."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from irollan_env.map.valley_map import ValleyMap
from irollan_env.random_streams import stream
from irollan_env.tasks.families import make_task
from irollan_env.tasks.pursuit import Pursuit, set_tasks
from irollan_env.tasks.task import Task
from irollan_env.world.observation import Glance, Observation
from irollan_env.world.world import World


class Pursuits:
    """One pursuit for each resident that has a task; whoever has none is passed over.

    Attributes:
        of: The pursuits by resident.
    """

    def __init__(self, of: Mapping[str, Pursuit] | None = None) -> None:
        """Pursuits that have begun; none when None."""
        self.of = dict(of or {})

    @property
    def solved(self) -> bool:
        """Whether there are tasks, and all of them are solved."""
        return bool(self.of) and all(pursuit.solved for pursuit in self.of.values())

    def told(self, name: str, seen: Glance) -> Glance:
        """What a resident perceives, with the goal of its task."""
        return seen._replace(goal=self.of[name].task.goal) if name in self.of else seen

    def worded(self, world: World, actions: Mapping[str, str | None]) -> dict[str, str | None]:
        """Actions with what the goals have their residents say in place of the dots of ``chat with LL: ...``."""
        pursuing = {name: self.of[name].worded(world, actions[name]) for name in self.of if name in actions}
        return {**actions, **pursuing}

    def advance(self, world: World, seen: Mapping[str, Glance], actions: Mapping[str, str | None]) -> dict[str, float]:
        """Take note of a step.

        Args:
            world: After the step.
            seen: What each resident perceives after the step.
            actions: What they did, as ``worded`` gave it; who is not named waited.

        Returns:
            The reward of each resident that has a task.
        """
        return {
            name: pursuit.advance(world, Observation(resident=name, **seen[name]._asdict()), actions.get(name))
            for name, pursuit in self.of.items()
        }

    def get_state(self) -> dict[str, Any]:
        """Everything but the world, as JSON-ready data."""
        return {name: pursuit.get_state() for name, pursuit in self.of.items()}

    @classmethod
    def from_state(cls, state: Any, world: World) -> Pursuits:
        """Go on from what ``get_state`` gave, with the world restored to the same moment.

        Raises:
            ValueError: for a state that cannot be, saying where.
        """
        if not isinstance(state, Mapping):
            raise ValueError(f"state.pursuits must be a mapping from names to pursuits, got {state!r}")
        pursuits = {}
        for name, saved in state.items():
            where = f"state.pursuits[{name!r}]"
            pursuits[name] = pursuit = Pursuit.from_state(saved, world, where)
            if pursuit.resident != name:
                raise ValueError(f"{where}.resident is {pursuit.resident!r}; make both the same")
        return cls(pursuits)

    def copy(self) -> Pursuits:
        """Independent pursuits in the same state."""
        return Pursuits({name: pursuit.copy() for name, pursuit in self.of.items()})


def begin(
    tasks: Mapping[str, str | Task], *, valley_map: ValleyMap, split: str, reward: str, episode: int
) -> tuple[World, Pursuits]:
    """The world and the tasks of an episode.

    Args:
        tasks: For each resident that has one, its task, or the family of which it is drawn.
        valley_map: Where they live.
        split: Of the tasks that are drawn. An episode of the same number is another one in another split, so that
            nobody learns from what it will be tested on.
        reward: Of all of them: ``"sparse"`` or ``"dense"``.
        episode: The seed of everything, at least 0.

    Raises:
        ValueError: when the valley has no such task.
    """
    drawn = {}
    for name, task in tasks.items():
        if isinstance(task, str):
            generator = stream(episode, f"{split} task {name}")
            task = make_task(task, valley_map=valley_map, resident=name, split=split, seed=generator)
        drawn[name] = task
    world = World(valley_map, seed=stream(episode, f"{split} world") if tasks else episode)
    return world, Pursuits(set_tasks(drawn, world, reward=reward))
