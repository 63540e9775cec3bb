"""What a single-agent environment is asked to be, in ``make`` and at reset."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from irollan_env.companions import Others
from irollan_env.info import MAX_STEPS, check_max_steps
from irollan_env.names import check_keys
from irollan_env.tasks.families import check_family, check_split, task_from_json
from irollan_env.tasks.pursuit import check_reward
from irollan_env.tasks.task import Task
from irollan_env.valley_map import ValleyMap

_SAVED = ("max_steps", "task", "split", "reward")


@dataclass(frozen=True, kw_only=True)
class Settings:
    """The arguments of ``IrollanValleyEnv`` that ``reset(options=...)`` takes too; it says what they mean.

    Raises:
        ValueError: for a value that cannot be in any valley.
    """

    resident: str | None = None
    map: ValleyMap | str | Path | None = None
    max_steps: int = MAX_STEPS
    others: Others = "scripted"
    task: str | Task | None = None
    split: str = "train"
    reward: str = "sparse"
    expert_plan: bool = False

    def __post_init__(self) -> None:
        check_max_steps(self.max_steps)
        check_split(self.split)
        check_reward(self.reward)
        if self.task is not None and not isinstance(self.task, Task):
            check_family(self.task)
        if not isinstance(self.expert_plan, bool):
            raise ValueError(f"expert_plan must be True or False, got {self.expert_plan!r}")

    def to_json(self) -> dict[str, Any]:
        """What a saved state keeps of the settings: all that later episodes depend on and that is data."""
        task = self.task.to_json() if isinstance(self.task, Task) else self.task
        return {**{key: getattr(self, key) for key in _SAVED}, "task": task}

    def restored(self, data: Any) -> Settings:
        """These settings with what ``to_json`` kept.

        Raises:
            ValueError: for data that ``to_json`` did not give.
        """
        check_keys("state.settings", data, _SAVED)
        try:
            task = task_from_json(data["task"]) if isinstance(data["task"], Mapping) else data["task"]
            return replace(self, **{**data, "task": task})
        except ValueError as error:
            raise ValueError(f"state.settings: {error}") from error


OPTIONS = tuple(field.name for field in fields(Settings))
"""The names of all settings."""
