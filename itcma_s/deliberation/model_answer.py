"""A model's answer for one step: thought, goal, plan, action and words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

GoalIs = Literal["kept", "changed", "reached"]

TRIES = 3
"""How often a model is asked until there is something that can be used, the first time included."""


class Unusable(ValueError):
    """An answer that cannot be used; the message says why, as it would go on after "which"."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Answer:
    """A parsed answer.

    Attributes:
        thought: Not empty.
        goal_is: What became of the goal so far.
        goal: What it wants from now on; may be empty.
        plan: At most three steps.
        action: Number of the option, from 1.
        words: What it says; empty where it does not talk.
        about: What it says of people, where it was asked to describe them: a line each.
    """

    thought: str
    goal_is: GoalIs
    goal: str
    plan: tuple[str, ...]
    action: int
    words: str
    about: tuple[str, ...] = ()
