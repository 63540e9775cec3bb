"""Goals that a model formed: when and why each arose, and how it ended."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal, Self

Ended = Literal["", "reached", "changed"]


@dataclass(frozen=True, kw_only=True, slots=True)
class OwnGoal:
    """A goal that the model formed, with its origin and its end.

    Attributes:
        text: In the resident's own words; untrusted text.
        since: The time step in which it arose.
        thought: The thought of that step.
        heard: What had been said to the resident, or around it, right before.
        ended: How it ended; empty while it is active.
        until: The time step in which it ended; None while it is active.
    """

    text: str
    since: int
    thought: str = ""
    heard: tuple[str, ...] = ()
    ended: Ended = ""
    until: int | None = None

    def get_state(self) -> dict[str, Any]:
        """Return the state as JSON-ready data."""
        return {**asdict(self), "heard": list(self.heard)}

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> Self:
        """Return the object with a state from ``get_state``."""
        return cls(**{**state, "heard": tuple(state["heard"])})
