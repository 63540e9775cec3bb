"""Goals that a model formed: when and why each arose, and how it ended."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal, Self

Ended = Literal["", "reached", "changed"]


@dataclass(frozen=True, kw_only=True, slots=True)
class OwnGoal:
    """A goal of one's own.

    Attributes:
        text: In the resident's own words; untrusted text.
        since: The time step in which it arose.
        thought: What was thought then.
        heard: What had been said to the resident, or around it, right before.
        ended: How it ended; empty as long as it holds.
        until: The time step in which it ended; None as long as it holds.
    """

    text: str
    since: int
    thought: str = ""
    heard: tuple[str, ...] = ()
    ended: Ended = ""
    until: int | None = None

    def get_state(self) -> dict[str, Any]:
        """JSON-ready state."""
        return {**asdict(self), "heard": list(self.heard)}

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> Self:
        """What ``get_state`` gave."""
        return cls(**{**state, "heard": tuple(state["heard"])})
