"""Interface of minds, and the context that a mind is created with."""

from __future__ import annotations

from collections.abc import Awaitable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeAlias, runtime_checkable

import numpy as np

from irollan_env.resident import Act
from irollan_env.world.observation import Observation
from minds.history import History
from minds.model_client import ModelClient

SETTING = "a small valley"
"""What residents live in where the map says nothing else."""

Answer: TypeAlias = Act | str | None
"""A mind's decision: an action, None to wait, or an ``Act`` with thought, goal and feelings."""


@dataclass(frozen=True, kw_only=True, slots=True)
class MindContext:
    """What a mind is created with: name, model, generator and history.

    Attributes:
        name: Name of the resident.
        model: The language model and the embedder; every call is made in this resident's name, and recorded by the run.
        generator: Source of all random draws of the mind; saved and restored with it.
        history: Who the resident was before it came to the valley.
        setting: What it lives in, as the map says: ``"a small valley"``.
    """

    name: str
    model: ModelClient
    generator: np.random.Generator
    history: History = field(default_factory=History)
    setting: str = SETTING


class Mind(Protocol):
    """Decides for one resident; created with a ``MindContext`` as its only argument.

    A mind that remembers also has ``get_state`` and ``set_state`` (see ``Stateful``); one that has neither begins
    every step with nothing but its observation. A mind that has ``answer`` (``irollan_env.Interviewable``) answers
    interviews itself; for others, the interview reads the state.
    """

    def act(self, observation: Observation) -> Answer | Awaitable[Answer]:
        """Decide on one action for the current observation; ``async`` if the mind calls a model.

        Args:
            observation: What the resident perceives. Where ``observation.admissible`` is empty, the resident cannot act
                in this step, and the answer is None.

        Returns:
            One of ``observation.admissible``, with its own words if it is a chat; None to wait; or an ``Act``.
        """
        ...


@runtime_checkable
class Stateful(Protocol):
    """Interface of a mind that remembers, with two methods."""

    def get_state(self) -> Any:
        """Return everything needed to resume exactly, as JSON-ready data."""
        ...

    def set_state(self, state: Any) -> None:
        """Restore a state from ``get_state``, after a JSON round trip."""
        ...


def state_of(mind: Mind) -> Mapping[str, Any] | Any:
    """Return the state of a mind; None for a mind without memory."""
    return mind.get_state() if isinstance(mind, Stateful) else None


def describe_state(state: Any, label: str = "") -> Iterator[str]:
    """Describe a state in lines, for interviews of minds without ``answer``.

    Args:
        state: JSON-ready data.
        label: Keys that lead to it.

    Returns:
        A line per value, with the keys that lead to it.
    """
    if isinstance(state, Mapping):
        for key, value in state.items():
            yield from describe_state(value, f"{label} {key}".strip())
    elif isinstance(state, Sequence) and not isinstance(state, str):
        for value in state:
            yield from describe_state(value, label)
    elif state not in ("", None):
        yield f"{label}: {state}" if label else str(state)
