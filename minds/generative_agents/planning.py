"""Plans: broad strokes first, then the current part in steps, revised after a reaction."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from minds.model_client import ModelClient

HORIZON = 30
"""Time steps of a plan in broad strokes, which stands for the paper's day."""

PART = 6
"""Time steps of each part of a plan."""

_SENTENCE = 120


@dataclass(slots=True, kw_only=True)
class Plan:
    """An agent's plan, in broad strokes and in steps for the current part.

    Attributes:
        begun: The time step in which the broad strokes were planned; -1 for none.
        parts: The broad strokes, each for ``PART`` steps.
        refined: The time step of the first of ``steps``; -1 for none.
        steps: The current part, one entry per time step.
    """

    begun: int = -1
    parts: list[str] = field(default_factory=list)
    refined: int = -1
    steps: list[str] = field(default_factory=list)

    def part(self, time: int) -> str:
        """Return the broad stroke for a time step; empty after the plan's end."""
        place = (time - self.begun) // PART
        return self.parts[place] if self.begun >= 0 and place < len(self.parts) else ""

    def step(self, time: int) -> str:
        """Return the planned step for a time step; empty after the last step."""
        place = time - self.refined
        return self.steps[place] if self.refined >= 0 and place < len(self.steps) else ""

    def ahead(self, time: int) -> list[str]:
        """Return the planned steps from a time step on."""
        return self.steps[time - self.refined :] if self.refined >= 0 else []

    def to_json(self) -> dict[str, Any]:
        """Return JSON-ready data."""
        return asdict(self)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Plan:
        """Restore a plan from ``to_json``."""
        return cls(**data)


async def make_plan(summary: str, time: int, model: ModelClient) -> list[str]:
    """Write a plan in broad strokes for the next ``HORIZON`` steps.

    Args:
        summary: The agent's description of itself.
        time: The time step.
        model: Writes the plan.

    Returns:
        The parts, in order.
    """
    count = HORIZON // PART
    prompt = (
        f"{summary}\n\nIt is step {time}. Here is the plan for the next {HORIZON} steps in broad strokes.\n"
        f'Answer with one JSON object whose key "plan" is a list of {count} things to do, one after the other, '
        f"each for {PART} steps."
    )
    answer = await model.generate_json("planning", prompt, {"plan": _texts(count)}, max_tokens=400)
    return [str(one) for one in answer["plan"]]


async def plan_steps(summary: str, part: str, reaction: str, model: ModelClient) -> list[str]:
    """Write one part of a plan as steps.

    Args:
        summary: The agent's description of itself.
        part: The part of the plan.
        reaction: Reaction that comes first; empty for none.
        model: Writes the steps.

    Returns:
        The steps, one action each.
    """
    first = f"\nBefore that, you react to what happened: {reaction}" if reaction else ""
    prompt = (
        f"{summary}\n\nYou plan to: {part}{first}\n\n"
        f'Answer with one JSON object whose key "steps" is a list of at most {PART} small steps, one action each.'
    )
    answer = await model.generate_json("planning", prompt, {"steps": _texts(PART)}, max_tokens=400)
    return [str(one) for one in answer["steps"]]


def _texts(count: int) -> dict[str, object]:
    return {"type": "array", "items": {"type": "string", "maxLength": _SENTENCE}, "minItems": 1, "maxItems": count}
