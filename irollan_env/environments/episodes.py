"""Episodes of a valley: world, tasks and random numbers, independent of the agents' spaces."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import replace
from typing import Any

import numpy as np
from gymnasium.error import ResetNeeded
from gymnasium.utils import seeding

from irollan_env.environments.settings import EpisodeSettings
from irollan_env.hints import check_keys, check_known, check_version
from irollan_env.map.valley_map import ValleyMap
from irollan_env.random_streams import generator_state, restored_generator, stream
from irollan_env.tasks.episode import AssignedTasks, begin_episode
from irollan_env.tasks.instances import PER_SPLIT, check_number, instance_map, level_of
from irollan_env.world.mechanic import Mechanic
from irollan_env.world.numbered_actions import NO_CLASSES
from irollan_env.world.observation import Observation, ObservationTuple
from irollan_env.world.world import World
from irollan_env.world.world_classes import make_world_classes

VERSION = 4
"""Version of the saved-state layout; states of other versions are rejected."""

_STATE = ("version", "environment", "settings", "instance", "over", "generator", "world", "tasks")


class ValleyEpisodes:
    """Runs episodes in one valley, one after the other.

    Attributes:
        map: The valley; where tasks of a family are drawn and no map was given, another one in each episode.
        settings: The settings of this and later episodes.
        np_random: The generator of all randomness; None before the first episode.
        tasks: The tasks of this episode.
        instance: The current instance's number; None where no valley was drawn.
        classes: World classes by name.
    """

    def __init__(
        self,
        name: str,
        valley_map: ValleyMap,
        settings: EpisodeSettings,
        percepts: bool | Collection[str],
        *,
        drawn: bool = False,
        classes: Mapping[str, type[Mechanic]] = NO_CLASSES,
    ) -> None:
        """Set up a valley before its first episode.

        Args:
            name: The environment's name, which saved states record.
            valley_map: The valley.
            settings: The settings of the episodes.
            percepts: The residents that perceive positions and events: all, none, or those named.
            drawn: Whether tasks of a family have valleys of their own, with these residents.
            classes: World classes by name, of which every episode has new objects.

        Raises:
            ValueError: for an unknown resident.
        """
        self.map, self.settings, self._name = valley_map, settings, name
        self._given, self._drawn, self.classes = valley_map, drawn, classes
        self.instance: int | None = None
        self.np_random: np.random.Generator | None = None
        self.tasks = AssignedTasks()
        self._with_percepts = _with_percepts(percepts, valley_map.tables.residents)
        self._world: World | None = None
        self._perceived: _Perceived | None = None

    @property
    def world(self) -> World:
        """The simulated world of the current episode.

        Raises:
            ResetNeeded: before the first episode.
        """
        if self._world is None:
            raise ResetNeeded("there is no episode yet; call reset first")
        return self._world

    def begin(self, seed: int | None, options: Mapping[str, Any]) -> None:
        """Start an episode, with everyone at home.

        Args:
            seed: Seed of this and later episodes, at least 0; None continues with the current generator.
            options: Settings for this and later episodes, by name.

        Raises:
            ValueError: for an unknown option, or an invalid value.
        """
        settings = self.settings.changed(options, self._given)
        if seed is not None or self.np_random is None:
            self.np_random, _ = seeding.np_random(seed)
        episode = int(self.np_random.integers(2**63))
        instance = self._number_of(settings, episode)
        valley_map = self._map_of(settings, instance)
        self._world, self.tasks = begin_episode(
            settings.by_resident(valley_map.tables.residents),
            valley_map=valley_map,
            split=settings.split,
            instance=instance,
            reward=settings.reward,
            credit=settings.credit,
            episode=episode,
            mechanics=make_world_classes(self.classes),
        )
        self.map, self.instance = valley_map, instance
        self.settings, self._perceived = settings, None

    def _number_of(self, settings: EpisodeSettings, episode: int) -> int | None:
        """Return the instance number of an episode; None where no valley is drawn."""
        if not (self._drawn and settings.all_drawn):
            return None
        if settings.instance is not None:
            return settings.instance
        number = int(stream(episode, f"{settings.split} instance").integers(PER_SPLIT))
        if settings.difficulty is None:
            return number
        number += settings.difficulty - level_of(number)
        return number if 0 <= number < PER_SPLIT else settings.difficulty - 1

    def _map_of(self, settings: EpisodeSettings, instance: int | None) -> ValleyMap:
        if instance is None:
            return self._given
        drawn, here = instance_map(settings.split, instance), self._given.tables.residents
        if set(here) == set(drawn.tables.residents):
            return drawn
        return replace(drawn, residents=tuple(r for r in drawn.residents if r.name in here))

    def act(self, actions: Mapping[str, str | None], failed: AbstractSet[str] = frozenset()) -> dict[str, float]:
        """Let all residents act once.

        Args:
            actions: The actions by resident, as for ``World.step``.
            failed: Residents that reached no decision.

        Returns:
            The reward of each resident that has a task.
        """
        world, tasks = self.world, self.tasks
        actions = tasks.with_words(world, actions)
        world.step(actions, failed=failed)
        return tasks.advance(world, self.look(), actions)

    @property
    def perceived(self) -> Mapping[str, ObservationTuple]:
        """Each resident's latest observation, with the goal of its task."""
        return self.look() if self._perceived is None else self._perceived

    def look(self) -> Mapping[str, ObservationTuple]:
        """Observe the current world for each resident, with its task's goal; use it before the next step."""
        self._perceived = _Perceived(self.world, self._with_percepts, self.tasks.goals)
        return self._perceived

    def observation_of(self, name: str) -> Observation:
        """Return a resident's current observation, with percepts, events and the goal of its task.

        Raises:
            ResetNeeded: before the first episode.
        """
        if name in self._with_percepts:
            return self.perceived[name].of(name)
        return replace(self.world.observe(name), goal=self.tasks.goals.get(name))

    @property
    def over(self) -> bool:
        """Whether the episode has ended."""
        return self.finished or self.world.time >= self.settings.max_steps

    @property
    def finished(self) -> bool:
        """Whether there are tasks, and each is solved or lost; or a mechanic has ended the world."""
        return self.tasks.over or bool(self.world.ended)

    def get_state(self) -> dict[str, Any]:
        """Return the complete state, all generators included, as JSON-ready data.

        Raises:
            ResetNeeded: before the first episode.
        """
        world = self.world.get_state()
        assert self.np_random is not None  # since the first episode
        return {
            "version": VERSION,
            "environment": self._name,
            "settings": self.settings.to_json(),
            "instance": self.instance,
            "over": self.over,
            "generator": generator_state(self.np_random),
            "world": world,
            "tasks": self.tasks.get_state(),
        }

    def restored(self, state: Mapping[str, Any]) -> ValleyEpisodes:
        """Return episodes of the same valley restored from a state of ``get_state``.

        Raises:
            ValueError: for another version, environment or map, or a state that contradicts itself, saying where.
        """
        check_version(state, VERSION)
        check_keys("state", state, _STATE)
        if state["environment"] != self._name:
            raise ValueError(f"state.environment is {state['environment']!r}, this is {self._name!r}")
        twin = self._twin()
        twin.settings = self.settings.restored(state["settings"], self._given)
        if (instance := state["instance"]) is not None:
            check_number(instance)
            if not self._drawn:
                raise ValueError("state.instance is of a valley that was drawn; make the environment without a map")
        twin.map, twin.instance = twin._map_of(twin.settings, instance), instance
        world = World(twin.map, seed=0, mechanics=make_world_classes(self.classes))
        twin.np_random = restored_generator(state["generator"])
        world.set_state(state["world"])
        twin._world, twin._perceived = world, None
        when = f"at step {world.time} of {twin.settings.max_steps}"
        if world.time > twin.settings.max_steps:
            raise ValueError(f"state.world.time cannot be {when}; the episode ends before")
        twin.tasks = AssignedTasks.from_state(state["tasks"], world, twin.settings.credit)
        if state["over"] is not twin.over:
            raise ValueError(f"state.over is {state['over']!r} {when}{', with all tasks over' * twin.tasks.over}")
        return twin

    def copy(self) -> ValleyEpisodes:
        """Return an independent copy; only the map is shared."""
        twin = self._twin()
        if self.np_random is not None and self._world is not None:
            twin.np_random = restored_generator(generator_state(self.np_random))
            twin._world, twin.tasks = self._world.copy(), self.tasks.copy()
        return twin

    def _twin(self) -> ValleyEpisodes:
        twin = ValleyEpisodes.__new__(ValleyEpisodes)
        twin.__dict__.update(self.__dict__)
        twin._perceived = None  # it looks at a world of its own
        return twin


class _Perceived(dict[str, ObservationTuple]):
    """Observations of one moment, created lazily: with one learner, most are never needed."""

    def __init__(self, world: World, percepts: Collection[str], goals: Mapping[str, str]) -> None:
        super().__init__()
        self._world, self._percepts, self._goals = world, percepts, goals

    def __missing__(self, name: str) -> ObservationTuple:
        seen = self._world.observe_tuple(name, with_percepts=name in self._percepts)
        self[name] = seen = seen._replace(goal=self._goals[name]) if name in self._goals else seen
        return seen


def _with_percepts(percepts: bool | Collection[str], residents: Collection[str]) -> frozenset[str]:
    if isinstance(percepts, bool):
        return frozenset(residents if percepts else ())
    for name in percepts:
        check_known("resident", name, residents, "percepts names an ")
    return frozenset(percepts)
