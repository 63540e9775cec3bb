"""The one state that all modules read and write, and the bottleneck through which the controller sees it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any

SHORT_TERM = 24
"""Lines of short-term memory; the older half goes over into long-term memory when it is full."""

LONG_TERM = 200
"""Sentences of long-term memory."""

BOTTLENECK = 160
"""Characters of each part of the state that reach the cognitive controller; of the present, twice as many."""


@dataclass(slots=True, kw_only=True)
class AgentState:
    """What a PIANO agent has in mind; modules are functions of it and hold nothing themselves.

    Attributes:
        working: Working memory: what is perceived now, a line each, the scene last; made anew every step.
        around: The scene in short.
        short_term: The last lines of what was perceived, said and done.
        long_term: Sentences that older lines were summed up in.
        new: How many lines of short-term memory are of now.
        recalled: Those of long-term memory that the present called up.
        goal: What the agent is after.
        social: By name how it feels about somebody, from 0 (dislikes) to 10 (likes), and what it takes them to want.
        awareness: How what came compares with what was expected of the last action.
        decision: The controller's last decision, which is broadcast.
        expected: What the decision is expected to bring.
        decided: The time step of the decision; -1 for none.
        wanted: The time step in which the goal was generated; -1 for none.
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
        """What reaches the controller: the latest of each part, cut short."""
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
        """What the agent knows, a line each, without what it perceives now."""
        feelings = [f"You like {name} {feeling} of 10: {wants}" for name, (feeling, wants) in self.social.items()]
        parts = (("Your goal", self.goal), ("You decided", self.decision))
        return [*self.long_term, *self.short_term, *feelings, *(f"{part}: {text}" for part, text in parts if text)]

    def to_json(self) -> dict[str, Any]:
        """JSON-ready data."""
        return asdict(self)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> AgentState:
        """The state that ``to_json`` wrote down.

        Raises:
            KeyError: if a part is missing.
        """
        known = {one.name: data[one.name] for one in fields(cls)}
        known["social"] = {name: (int(feeling), str(wants)) for name, (feeling, wants) in data["social"].items()}
        return cls(**known)


def _cut(text: str, most: int) -> str:
    """A text of at most so many characters, cut behind a word."""
    return text if len(text) <= most else f"{text[: most - 3].rpartition(' ')[0] or text[: most - 3]}..."


def _latest(lines: list[str]) -> str:
    """The last lines that go through together, each whole; of the very last, as much as goes through."""
    latest = ""
    for line in reversed(lines):
        joined = f"{line} {latest}".strip()
        if len(joined) > BOTTLENECK:
            break
        latest = joined
    return latest or (_cut(lines[-1], BOTTLENECK) if lines else "")
