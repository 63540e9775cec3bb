"""A model's answer for one step: thought, goal, plan, action and words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

GoalIs = Literal["kept", "changed", "reached"]

TRIES = 3
"""Maximum number of requests until an answer is usable, including the first."""


class Unusable(ValueError):
    """Raised for an unusable answer; the message is a verb phrase, such as "has no thought"."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Answer:
    """A parsed answer.

    Attributes:
        thought: The thought, not empty.
        goal_is: What became of the previous goal.
        goal: The goal from now on; may be empty.
        plan: At most three next steps.
        action: Number of the option, from 1.
        words: The spoken words; empty without a chat.
        about: Descriptions of people, if requested, a line each.
    """

    thought: str
    goal_is: GoalIs
    goal: str
    plan: tuple[str, ...]
    action: int
    words: str
    about: tuple[str, ...] = ()
