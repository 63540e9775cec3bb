"""Shared state of all PIANO modules, and the bottleneck through which the controller sees it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any

SHORT_TERM = 24
"""Most lines of short-term memory; when full, the older half is summarised into long-term memory."""

LONG_TERM = 200
"""Most sentences of long-term memory."""

BOTTLENECK = 160
"""Most characters of each state part that reach the controller; of the current observation, twice as many."""


@dataclass(slots=True, kw_only=True)
class AgentState:
    """State of a PIANO agent, which its stateless modules read and write.

    Attributes:
        working: Working memory: the current observation in lines, the scene last; replaced every step.
        around: A short version of the scene.
        short_term: The latest lines of observations, chats and actions.
        long_term: Sentences that summarise older lines.
        new: Number of short-term memory lines from this step.
        recalled: Long-term memories retrieved for this step.
        goal: The agent's goal.
        social: By name its feeling about somebody, from 0 (dislikes) to 10 (likes), and what it thinks they want.
        awareness: Comparison of the last action's expected and actual results.
        decision: The controller's last decision, which is broadcast.
        expected: Expected result of the decision.
        decided: The time step of the decision; -1 for none.
        wanted: The time step of the goal; -1 for none.
        acted: The last action; None for none.
    """

    working: list[str] = field(default_factory=list)
    around: str = ""
    short_term: list[str] = field(default_factory=list)
    new: int = 0
    long_term: list[str] = field(default_factory=list)
    recalled: list[str] = field(default_factory=list)
    goal: str = ""
    social: dict[str, tuple[int, str]] = field(default_factory=dict)
    awareness: str = ""
    decision: str = ""
    expected: str = ""
    decided: int = -1
    wanted: int = -1
    acted: str | None = None

    def through_bottleneck(self) -> str:
        """Return the controller's input: the latest of each part, cut short."""
        feelings = "; ".join(f"{name} ({feeling} of 10) {wants}" for name, (feeling, wants) in self.social.items())
        before = self.short_term[: max(0, len(self.short_term) - self.new)]
        parts = (
            ("Here", _cut(self.around, BOTTLENECK)),
            ("Now", _cut(" ".join(self.working[:-1]), 2 * BOTTLENECK)),
            ("Lately", _latest([line for line in before if line != self.around])),
            ("You remember", _cut(" ".join(self.recalled), BOTTLENECK)),
            ("Your goal", _cut(self.goal, BOTTLENECK)),
            ("Others", _cut(feelings, BOTTLENECK)),
            ("Your last action", _cut(self.awareness, BOTTLENECK)),
        )
        return "\n".join(f"{part}: {text}" for part, text in parts if text)

    def describe(self) -> list[str]:
        """Describe the agent's knowledge in lines, without the current observation."""
        feelings = [f"You like {name} {feeling} of 10: {wants}" for name, (feeling, wants) in self.social.items()]
        parts = (("Your goal", self.goal), ("You decided", self.decision))
        return [*self.long_term, *self.short_term, *feelings, *(f"{part}: {text}" for part, text in parts if text)]

    def to_json(self) -> dict[str, Any]:
        """Return JSON-ready data."""
        return asdict(self)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> AgentState:
        """Restore a state from ``to_json``.

        Raises:
            KeyError: if a part is missing.
        """
        known = {one.name: data[one.name] for one in fields(cls)}
        known["social"] = {name: (int(feeling), str(wants)) for name, (feeling, wants) in data["social"].items()}
        return cls(**known)


def _cut(text: str, most: int) -> str:
    """Cut a text to at most so many characters, at the end of a word."""
    return text if len(text) <= most else f"{text[: most - 3].rpartition(' ')[0] or text[: most - 3]}..."


def _latest(lines: list[str]) -> str:
    """Return the latest lines that fit through the bottleneck whole; a too long last line is cut."""
    latest = ""
    for line in reversed(lines):
        joined = f"{line} {latest}".strip()
        if len(joined) > BOTTLENECK:
            break
        latest = joined
    return latest or (_cut(lines[-1], BOTTLENECK) if lines else "")
