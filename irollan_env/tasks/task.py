"""Base classes of tasks: a goal sentence, a success check, and the expert's plan."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, asdict, dataclass, fields
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np

from irollan_env.actions import Action, Refusal
from irollan_env.hints import check_known, did_you_mean
from irollan_env.map.catalogue import WAIT
from irollan_env.tasks.neighbourhood import Neighbourhood
from irollan_env.tasks.planning import Leg
from irollan_env.tasks.views import View
from irollan_env.world.observation import Message
from irollan_env.world.world import World

Progress = Mapping[str, int]
"""Marks of what was reached, with the time step or a count: ``{"told": 3, "solved": 5}``."""

SOLVED = "solved"
"""The mark of progress of a solved task."""

LOST = "lost"
"""The mark of progress of a task that can no longer be solved."""


class Moment(NamedTuple):
    """One step, with all that a task's check needs.

    Attributes:
        world: The world after the step.
        resident: The resident that has the task.
        action: The resident's executed action; None when it waited, or was refused.
        acts: Executed actions, by resident.
        messages: The messages that the resident heard in this step.
    """

    world: World
    resident: str
    action: Action | None
    acts: Mapping[str, Action]
    messages: Sequence[Message]

    @property
    def time(self) -> int:
        """The time after the step."""
        return self.world.time

    @property
    def place(self) -> str:
        """The resident's place."""
        return self.world.place_of(self.resident)


@dataclass(frozen=True, kw_only=True)
class Task(ABC):
    """A goal for one resident. Tasks are values: they hold names, and no state of an episode.

    Attributes:
        family: The name of its family, such as ``"fetch"``.
        together: Whether one resident alone cannot solve it: all who have it have it in common.
        wording: The goal in other words than its own; empty for its own.
    """

    family: ClassVar[str]
    together: ClassVar[bool] = False
    wording: str = ""

    @property
    def goal(self) -> str:
        """The goal as a sentence: its wording where it has one, or else its own words."""
        return self.wording or self.own_words

    @property
    @abstractmethod
    def own_words(self) -> str:
        """The goal in the task's default wording."""

    @property
    def facts(self) -> Mapping[str, tuple[str, str]]:
        """Facts that others know, and the goal omits: by resident, a thing and the words that say who lost it."""
        return {}

    def words(self, progress: Progress, resident: str, person: str, time: int) -> str | None:
        """Return what the goal has its resident say to a person now, for the dots of ``chat with LL: ...``.

        Args:
            progress: The progress of the task.
            resident: The speaker.
            person: The listener.
            time: Time step.
        """
        return None

    def is_mark(self, mark: str, near: Neighbourhood) -> bool:
        """Return whether a mark of progress is one that this task can have.

        Args:
            mark: A key of ``Progress``.
            near: The surroundings of the resident's home.
        """
        return mark in (SOLVED, LOST)

    @abstractmethod
    def check(self, near: Neighbourhood, resident: str) -> None:
        """Check that the task can be set in a valley.

        Args:
            near: The surroundings of the resident's home.
            resident: The resident that is to have the task.

        Raises:
            ValueError: for a name that is not there, or a goal that nobody could reach.
        """

    @abstractmethod
    def advance(self, progress: Progress, moment: Moment) -> Progress:
        """Return the progress after a step.

        Args:
            progress: The progress before the step.
            moment: The step.
        """

    @abstractmethod
    def leg(self, progress: Progress, view: View, start: Leg) -> Leg:
        """Extend a plan by what is left to do, with everybody else standing still.

        ``"wait"`` stands for a step in which somebody else has to do something.

        Args:
            progress: The progress so far.
            view: The knowledge that the plan relies on.
            start: The plan up to there.
        """

    def plan(self, progress: Progress, view: View) -> tuple[str, ...]:
        """Return the remaining actions of an unsolved task; never empty.

        Args:
            progress: The progress so far.
            view: The knowledge that the plan relies on.
        """
        return self.leg(progress, view, Leg((), view.place)).actions or (WAIT,)

    def to_json(self) -> dict[str, Any]:
        """Return the task as JSON-ready data for ``task_from_json``."""
        return {"family": self.family, **asdict(self)}

    @classmethod
    def from_fields(cls, data: Mapping[str, Any]) -> Self:
        """Build a task of this family from its fields, after any JSON round trip.

        Raises:
            ValueError: for a field that is missing, unknown or of the wrong type.
        """
        known = {field.name: field for field in fields(cls)}
        for key in data:
            if key not in known:
                raise ValueError(f"a {cls.family!r} task has no {key!r}{did_you_mean(str(key), known)}")
        for name, field in known.items():
            if name not in data and field.default is MISSING:
                raise ValueError(f"a {cls.family!r} task lacks {name!r}; it has {sorted(data)}")
        return cls(**{name: cls.field_value(name, str(known[name].type), value) for name, value in data.items()})

    @classmethod
    def field_value(cls, name: str, kind: str, value: Any) -> Any:
        """Parse a field's value from JSON-ready data.

        Args:
            name: The field's name.
            kind: Its type, as it is written.
            value: The value.

        Raises:
            ValueError: for a value of the wrong type.
        """
        if kind == "str" and isinstance(value, str):
            return value
        if kind == "int" and isinstance(value, int) and not isinstance(value, bool) and value >= 0:
            return value
        listed = isinstance(value, Sequence) and not isinstance(value, str)
        if kind.startswith("tuple") and listed and all(isinstance(part, str) for part in value):
            return tuple(value)
        wanted = {"str": "string", "int": "whole number"}.get(kind, "list of strings")
        raise ValueError(f"{name!r} of a {cls.family!r} task must be a {wanted}, got {value!r}")


class Drawing(NamedTuple):
    """The choices and the random generator that tasks are drawn from.

    Attributes:
        near: The surroundings of the resident's home.
        resident: The resident that gets the task.
        generator: The only source of randomness.
        level: The difficulty, 1 to 3.
        taken: Kinds of things reserved for others' tasks.
    """

    near: Neighbourhood
    resident: str
    generator: np.random.Generator
    level: int
    taken: frozenset[str] = frozenset()

    def kinds(self) -> list[str]:
        """Return the kinds of things that one resident can carry, and that no other task needs."""
        return [kind for kind in self.near.kinds if self.near.portable(kind) and kind not in self.taken]

    def items(self) -> list[str]:
        """Return the items of these kinds."""
        return [item for kind in self.kinds() for item in self.near.items[kind]]

    @property
    def others(self) -> list[str]:
        """The other residents nearby."""
        return [person for person in self.near.people if person != self.resident]

    def everybody(self) -> tuple[str, ...]:
        """Return all residents nearby, in random order."""
        return tuple(self.some(self.near.people, len(self.near.people)))

    def any(self, choices: Sequence[str]) -> str:
        """Draw one of several choices uniformly.

        Raises:
            NothingToDraw: for none.
        """
        if not choices:
            raise NothingToDraw
        return choices[int(self.generator.integers(len(choices)))]

    def some(self, choices: Sequence[str], count: int) -> list[str]:
        """Draw several choices without repetition.

        Args:
            choices: The choices.
            count: The number of choices to draw.

        Raises:
            NothingToDraw: for fewer than that.
        """
        if len(choices) < count:
            raise NothingToDraw
        return [choices[n] for n in self.generator.permutation(len(choices))[:count].tolist()]


class NothingToDraw(Exception):
    """Raised when the map lacks what a task needs."""


class Own(Task):
    """A task for a single resident."""

    @classmethod
    @abstractmethod
    def draw(cls, drawing: Drawing) -> Self:
        """Draw a task for a resident.

        Raises:
            NothingToDraw: where the map lacks what it needs.
        """


def executed(outcome: str | None, text: str | None) -> Action | None:
    """Return a resident's executed action; None when it waited or its action had no effect.

    Args:
        outcome: The outcome of its last action.
        text: The action; None where it waited.
    """
    if text is None or outcome != "executed":
        return None
    action = Action.parse(text)
    return None if isinstance(action, Refusal) else action


def mentions(text: str, name: str) -> bool:
    """Return whether words contain a name: ``"book 1"`` is in ``"Book 1 is here"`` and not in ``"book 12"``.

    Args:
        text: The words; untrusted.
        name: The name of a person, thing or place.
    """
    return re.search(rf"(?<!\w){re.escape(name.casefold())}(?!\w)", text.casefold()) is not None


def check_named(family: str, what: str, name: str, known: Sequence[str]) -> None:
    """Check that a name in a task is one of those known.

    Args:
        family: The task's family.
        what: What the name stands for: ``"item"``.
        name: The name.
        known: The known names.

    Raises:
        ValueError: when ``name`` is not in ``known``.
    """
    check_known(what, name, known, f"a {family!r} task names an ")
