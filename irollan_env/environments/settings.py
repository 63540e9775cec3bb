"""What the environments are asked to be, in ``make`` and at reset."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from irollan_env.environments.companions import Others
from irollan_env.environments.info import MAX_STEPS, check_max_steps, check_options
from irollan_env.hints import check_keys
from irollan_env.map.valley_map import ValleyMap
from irollan_env.tasks.families import check_family, check_split, task_from_json
from irollan_env.tasks.pursuit import check_reward, check_task
from irollan_env.tasks.task import Task

_SAVED = ("max_steps", "task", "split", "reward")

Tasks = str | Mapping[str, str | Task] | None
"""Who has which task: a family for everybody, each its own task of it; or families and tasks by resident; or none."""


@dataclass(frozen=True, kw_only=True)
class _Episodes:
    """What all environments are asked.

    Raises:
        ValueError: for a value that cannot be in any valley.
    """

    max_steps: int = MAX_STEPS
    split: str = "train"
    reward: str = "sparse"
    expert_plan: bool = False

    def __post_init__(self) -> None:
        check_max_steps(self.max_steps)
        check_split(self.split)
        check_reward(self.reward)
        if not isinstance(self.expert_plan, bool):
            raise ValueError(f"expert_plan must be True or False, got {self.expert_plan!r}")

    def to_json(self) -> dict[str, Any]:
        """What a saved state keeps of the settings: all that later episodes depend on and that is data."""
        return {key: _to_json(getattr(self, key)) for key in _SAVED}


@dataclass(frozen=True, kw_only=True)
class Settings(_Episodes):
    """The arguments of ``IrollanValleyEnv`` that ``reset(options=...)`` takes too; it says what they mean.

    Raises:
        ValueError: for a value that cannot be in any valley.
    """

    resident: str | None = None
    map: ValleyMap | str | Path | None = None
    others: Others = "scripted"
    task: str | Task | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.task is not None and not isinstance(self.task, Task):
            check_family(self.task)

    def restored(self, data: Any) -> Settings:
        """These settings with what ``to_json`` kept.

        Raises:
            ValueError: for data that ``to_json`` did not give.
        """
        with _saved(data):
            return replace(self, **{**data, "task": _one_from_json(data["task"])})


@dataclass(frozen=True, kw_only=True)
class SocietySettings(_Episodes):
    """The arguments of ``IrollanValleyParallelEnv`` that ``reset(options=...)`` takes too; it says what they mean.

    Raises:
        ValueError: for a value that cannot be in any valley.
    """

    task: Tasks = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if isinstance(self.task, Task):
            raise ValueError(f"a task needs a resident that has it; say task={{'AY': {self.task!r}}}")
        for task in self.task.values() if isinstance(self.task, Mapping) else (self.task,):
            if task is not None and not isinstance(task, Task):
                check_family(task)

    def by_resident(self, residents: Sequence[str]) -> Mapping[str, str | Task]:
        """The family or the task of each resident that has one."""
        if isinstance(self.task, str):
            return dict.fromkeys(residents, self.task)
        return self.task or {}

    def changed(self, options: Mapping[str, Any], valley_map: ValleyMap) -> SocietySettings:
        """These settings with others in their place.

        Raises:
            ValueError: for an unknown option, a value that cannot be, a name that is no resident of the valley, or a
                task that cannot be set there.
        """
        # "options" is the key with which PettingZoo's conformance test checks that reset takes options.
        given = {key: value for key, value in options.items() if key != "options"}
        check_options(given, [field.name for field in fields(self)])
        settings = replace(self, **given)
        for name, task in settings.by_resident(()).items():
            check_task(task, valley_map, name)
        return settings

    def restored(self, data: Any, valley_map: ValleyMap) -> SocietySettings:
        """These settings with what ``to_json`` kept.

        Raises:
            ValueError: for data that ``to_json`` did not give, or of another valley.
        """
        with _saved(data):
            return self.changed({**data, "task": tasks_from_json(data["task"])}, valley_map)


OPTIONS = tuple(field.name for field in fields(Settings))
"""The names of all settings of an environment in which one resident learns."""


def tasks_to_json(tasks: Tasks) -> Any:
    """Who has which task as JSON-ready data, which ``tasks_from_json`` reads."""
    return _to_json(tasks)


def tasks_from_json(data: Any) -> Any:
    """Who has which task, after any JSON round trip; what is no task is left for the settings to refuse.

    Raises:
        ValueError: for data that looks like a task and is none.
    """
    return {name: _one_from_json(task) for name, task in data.items()} if isinstance(data, Mapping) else data


@contextmanager
def _saved(data: Any) -> Iterator[None]:
    """Reads what ``to_json`` kept; errors say where."""
    check_keys("state.settings", data, _SAVED)
    try:
        yield
    except ValueError as error:
        raise ValueError(f"state.settings: {error}") from error


def _to_json(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _to_json(task) for name, task in value.items()}
    return value.to_json() if isinstance(value, Task) else value


def _one_from_json(data: Any) -> Any:
    return task_from_json(data) if isinstance(data, Mapping) else data
