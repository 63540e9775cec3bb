"""Settings of an environment's episodes, given to ``make`` and at reset."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

from irollan_env.environments.info import MAX_STEPS, check_options
from irollan_env.hints import check_integer, check_keys, check_known
from irollan_env.map.drawn import LEVELS
from irollan_env.map.valley_map import ValleyMap
from irollan_env.tasks.assigned_task import REWARDS, check_task
from irollan_env.tasks.episode import CREDITS
from irollan_env.tasks.families import SPLITS, check_family, task_from_json
from irollan_env.tasks.instances import check_number, level_of
from irollan_env.tasks.task import Task

_SAVED = ("max_steps", "task", "split", "reward", "credit", "instance", "difficulty")

Tasks = str | Mapping[str, str | Task] | None
"""Task assignment: a family from which everybody gets a task; families and tasks by resident; or None."""


@dataclass(frozen=True, kw_only=True)
class EpisodeSettings:
    """Arguments that ``IrollanValleyParallelEnv`` and its ``reset(options=...)`` share; documented there.

    Raises:
        ValueError: for a value that is invalid in every valley.
    """

    max_steps: int = MAX_STEPS
    task: Tasks = None
    split: str = "train"
    reward: str = "sparse"
    credit: str = "own"
    instance: int | None = None
    difficulty: int | None = None
    expert_plan: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "max_steps", check_integer("max_steps", self.max_steps, 1))
        check_known("split", self.split, SPLITS)
        check_known("reward", self.reward, REWARDS)
        check_known("credit", self.credit, CREDITS)
        if self.instance is not None:
            object.__setattr__(self, "instance", check_number(self.instance))
        if self.difficulty is not None:
            object.__setattr__(self, "difficulty", check_integer("difficulty", self.difficulty, LEVELS[0], LEVELS[-1]))
        if self.instance is not None and self.difficulty not in (None, level_of(self.instance)):
            raise ValueError(
                f"instance {self.instance} is of difficulty {level_of(self.instance)}, not {self.difficulty} as "
                f"difficulty={self.difficulty} asks; leave one of them out (None)"
            )
        if not isinstance(self.expert_plan, bool):
            raise ValueError(f"expert_plan must be True or False, got {self.expert_plan!r}")
        if isinstance(self.task, Task):
            raise ValueError(f"a task needs a resident that has it; say task={{'AY': {self.task!r}}}")
        for task in self.task.values() if isinstance(self.task, Mapping) else (self.task,):
            if task is not None and not isinstance(task, Task):
                check_family(task)

    @property
    def all_drawn(self) -> bool:
        """Whether there are tasks, and each is drawn from a family."""
        tasks = list(self.task.values()) if isinstance(self.task, Mapping) else [self.task]
        return bool(tasks) and all(isinstance(task, str) for task in tasks)

    def by_resident(self, residents: Sequence[str]) -> Mapping[str, str | Task]:
        """Return the family or the task of each resident that has one."""
        if isinstance(self.task, str):
            return dict.fromkeys(residents, self.task)
        return self.task or {}

    def changed(self, options: Mapping[str, Any], valley_map: ValleyMap) -> EpisodeSettings:
        """Return a copy with some settings replaced.

        Args:
            options: Values by the name of the setting.
            valley_map: The valley in which tasks are set.

        Raises:
            ValueError: for an unknown option, an invalid value, a name that is no resident of the valley, or a
                task that cannot be set there.
        """
        # "options" is the key with which PettingZoo's conformance test checks that reset takes options.
        given = {key: value for key, value in options.items() if key != "options"}
        check_options(given, SETTINGS)
        settings = replace(self, **given)
        for name, task in settings.by_resident(()).items():
            check_task(task, valley_map, name)
        return settings

    def to_json(self) -> dict[str, Any]:
        """Return the settings for a saved state: all that later episodes depend on."""
        return {key: tasks_to_json(getattr(self, key)) for key in _SAVED}

    def restored(self, data: Any, valley_map: ValleyMap) -> EpisodeSettings:
        """Return a copy with the settings that ``to_json`` saved.

        Args:
            data: Data from ``to_json``, after any JSON round trip.
            valley_map: In which tasks are set.

        Raises:
            ValueError: for data that is not from ``to_json``, or of another valley.
        """
        check_keys("state.settings", data, _SAVED)
        try:
            return self.changed({**data, "task": tasks_from_json(data["task"])}, valley_map)
        except ValueError as error:
            raise ValueError(f"state.settings: {error}") from error


SETTINGS = tuple(field.name for field in fields(EpisodeSettings))
"""The names of all settings."""


def tasks_to_json(tasks: Tasks | Task) -> Any:
    """Convert the task assignment to JSON-ready data for ``tasks_from_json``."""
    if isinstance(tasks, Mapping):
        return {name: tasks_to_json(task) for name, task in tasks.items()}
    return tasks.to_json() if isinstance(tasks, Task) else tasks


def tasks_from_json(data: Any) -> Any:
    """Read a task assignment after any JSON round trip; invalid entries are left for the settings to reject.

    Raises:
        ValueError: for an invalid task.
    """
    if not isinstance(data, Mapping):
        return data
    return {name: task_from_json(task) if isinstance(task, Mapping) else task for name, task in data.items()}
