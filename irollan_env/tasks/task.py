"""What a task is: a goal in a sentence, a check of what was done, and a plan that an expert would follow."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any, ClassVar, Self

import numpy as np

from irollan_env.hints import did_you_mean
from irollan_env.tasks.neighbourhood import Neighbourhood
from irollan_env.world.observation import Observation
from irollan_env.world.primitives import Action, Refusal, parse
from irollan_env.world.world import World

Progress = Mapping[str, int]
"""What has been reached, and the time step in which it was: ``{"told": 3, "solved": 5}``."""

SOLVED = "solved"
"""The mark of progress that a task which is done has."""

Combination = tuple[str, ...]
"""What of a task the splits keep apart, such as the kind of item and the place."""


@dataclass(frozen=True, kw_only=True)
class Task(ABC):
    """A goal that one resident is given. Tasks are values: they hold names, and nothing of an episode.

    Attributes:
        family: The name of its family, such as ``"fetch"``.
    """

    family: ClassVar[str]

    @property
    @abstractmethod
    def goal(self) -> str:
        """The goal, in a sentence."""

    def words(self, progress: Progress, time: int) -> str | None:
        """What the goal has its resident say now, in place of the dots of ``chat with LL: ...``; None for nothing."""
        return None

    def is_mark(self, mark: str, near: Neighbourhood) -> bool:
        """Whether this is one of the marks of progress that it can have."""
        return mark == SOLVED

    @abstractmethod
    def check(self, near: Neighbourhood, resident: str) -> None:
        """Check that the task can be set in a valley.

        Raises:
            ValueError: for a name that is not there, or a goal that nobody could reach.
        """

    @property
    def moved(self) -> Mapping[str, str]:
        """Items that lie elsewhere at the start than the map says, and the furniture on which."""
        return {}

    @abstractmethod
    def advance(self, progress: Progress, world: World, observation: Observation, action: Action | None) -> Progress:
        """The progress after a step.

        Args:
            progress: Before the step.
            world: After the step.
            observation: What the resident perceives after the step.
            action: What the resident did; None when it waited, or was refused.
        """

    @abstractmethod
    def plan(self, progress: Progress, world: World, resident: str) -> tuple[str, ...]:
        """What an expert who sees all would do from now on, were everybody else to stand still.

        ``"wait"`` stands for a step in which somebody else has to do something. Never empty: it is asked of tasks
        that are not solved.
        """

    @classmethod
    @abstractmethod
    def combinations(cls, near: Neighbourhood) -> list[Combination]:
        """All combinations that tasks of this family are made of, in the order of the map."""

    @classmethod
    @abstractmethod
    def draw(
        cls, near: Neighbourhood, resident: str, combination: Combination, generator: np.random.Generator
    ) -> Self | None:
        """A task of this combination for a resident; None when the combination does not suit it."""

    def to_json(self) -> dict[str, Any]:
        """The task as JSON-ready data, which ``task_from_json`` reads."""
        return {"family": self.family, **asdict(self)}

    @classmethod
    def from_fields(cls, data: Mapping[str, Any]) -> Self:
        """Build a task of this family from its fields, after any JSON round trip.

        Raises:
            ValueError: for a field that is missing, unknown or of the wrong type.
        """
        names = [field.name for field in fields(cls)]
        for key in data:
            if key not in names:
                raise ValueError(f"a {cls.family!r} task has no {key!r}{did_you_mean(str(key), names)}")
        for name in names:
            if name not in data:
                raise ValueError(f"a {cls.family!r} task lacks {name!r}; it has {sorted(data)}")
        several = {field.name for field in fields(cls) if field.type != "str"}
        return cls(**{name: _value(cls.family, name, data[name], name in several) for name in names})


def executed(observation: Observation, text: str | None) -> Action | None:
    """What a resident did in the last step; None when it waited or its action had no effect."""
    if text is None or observation.outcome != "executed":
        return None
    action = parse(text)
    return None if isinstance(action, Refusal) else action


def mentions(text: str, name: str) -> bool:
    """Whether words name something: ``"book 1"`` is in ``"Book 1 is here"`` and not in ``"book 12"``."""
    return re.search(rf"(?<!\w){re.escape(name.casefold())}(?!\w)", text.casefold()) is not None


def check_known(family: str, what: str, name: str, known: Sequence[str]) -> None:
    """Refuse a name that is not there.

    Raises:
        ValueError: when ``name`` is not in ``known``.
    """
    if name not in known:
        hint = did_you_mean(name, known) or f"; known are {list(known)[:12]}"
        raise ValueError(f"a {family!r} task names an unknown {what} {name!r}{hint}")


def _value(family: str, name: str, value: Any, several: bool) -> str | tuple[str, ...]:
    if several and isinstance(value, Sequence) and not isinstance(value, str):
        if all(isinstance(part, str) for part in value):
            return tuple(value)
    elif not several and isinstance(value, str):
        return value
    raise ValueError(
        f"{name!r} of a {family!r} task must be a {'list of strings' if several else 'string'}, got {value!r}"
    )
