"""Protocols of residents, and the record of a decision."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

from irollan_env.actions import Action, Refusal
from irollan_env.world.observation import Observation


@dataclass(frozen=True, kw_only=True, slots=True)
class Act:
    """A resident's decision in one time step, with its explanation for the record.

    Attributes:
        action: One of the six primitives; None waits for one step. A plain text is parsed; what is no action is kept
            as a ``Refusal``, and the world answers that it is inadmissible.
        thought: The resident's thought; untrusted text.
        goal: The goal it pursued.
        plan: Its next steps in its own words, where it has any; untrusted text.
        pleasure: P in (-1, 1).
        arousal: A in (-1, 1).
        dominance: D in (-1, 1).
        driver: d, a finite number.
        relevance: Elimination's score in [1, 5] for each admissible action; None when elimination is off.
        protention: The sentence expected to follow each action that was left.
        memories: Identifiers of the long-term memories that were activated.
        imagination: The present blended with a memory, one row per object: name, theta and phi in radians,
            gamma in metres. None where nothing was blended.
        explanation: Each term that made up this step's pleasure, signed: ``{"met WM": 0.31, "filtered": -0.4}``.
        calls: Identifiers of the model calls made, as in the transcript.
        failure: Why the step failed, when a model call or the mind itself did; the action is then None.
        at_fault: Whether it was the mind, and no model call.
    """

    action: Action | Refusal | None
    thought: str = ""
    goal: str = ""
    plan: tuple[str, ...] = ()
    pleasure: float = 0.0
    arousal: float = 0.0
    dominance: float = 0.0
    driver: float = 0.0
    relevance: Mapping[str, float] | None = None
    protention: Mapping[str, str] = field(default_factory=dict)
    memories: tuple[int, ...] = ()
    imagination: tuple[tuple[str, float, float, float], ...] | None = None
    explanation: Mapping[str, float] = field(default_factory=dict)
    calls: tuple[int, ...] = ()
    failure: str | None = None
    at_fault: bool = False

    def __post_init__(self) -> None:
        if isinstance(self.action, str):
            object.__setattr__(self, "action", Action.parse(self.action))


def check_act(name: str, act: object) -> Act:
    """Check what a resident's ``act`` returned.

    Args:
        name: Name of the resident.
        act: What it returned.

    Raises:
        TypeError: for anything but an ``Act``.
    """
    if isinstance(act, Act):
        return act
    given = f"Act(action={act!r})" if isinstance(act, str) or act is None else "an Act"
    raise TypeError(f"the act method of {name!r} must return an Act, got {act!r}; return {given}")


@runtime_checkable
class Resident(Protocol):
    """An agent that can live in the valley: an ITCMA-S mind, a random policy, a person at a keyboard."""

    name: str

    async def act(self, observation: Observation) -> Act:
        """Decide on one action for the current observation.

        Where nothing is admissible, the resident is filtered in this step: it perceives its surroundings,
        and its action is None, for which no model should be called.
        """
        ...

    def get_state(self) -> dict[str, Any]:
        """Return the complete state as JSON-ready data."""
        ...

    def set_state(self, state: Mapping[str, Any]) -> None:
        """Restore a state from ``get_state``."""
        ...


@runtime_checkable
class Overridable(Protocol):
    """A resident that accepts an action which a person chose for it."""

    def set_action(self, action: str | None) -> None:
        """Accept an action that a person chose for this agent in the step it has just perceived; no model call.

        Args:
            action: As for ``Act``. Given in a step in which the resident's observation had no admissible action.
        """
        ...


@runtime_checkable
class Interviewable(Protocol):
    """A resident that can be interviewed about what it knows."""

    def answer(self) -> Sequence[str]:
        """Return what the resident knows, one line each, the most important last; no model call, no change of state."""
        ...
