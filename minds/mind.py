"""What a mind is, and what it is given to live with."""

from __future__ import annotations

from collections.abc import Awaitable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias, runtime_checkable

import numpy as np

from irollan_env.resident import Act
from irollan_env.world.observation import Observation
from minds.history import History
from minds.model_client import ModelClient

Answer: TypeAlias = Act | str | None
"""What a mind decides: an action as the world reads it, None to wait, or an ``Act`` that says more of how it came."""

_NOBODY = History()


@dataclass(frozen=True, kw_only=True, slots=True)
class MindContext:
    """What a mind is given when it is made.

    Attributes:
        name: The resident whose mind it is.
        ask: The models: every call is made in this resident's name, recorded and paid for by the run.
        generator: Source of all its draws; saved and restored with the mind.
        history: Who it was before it came to the valley; nobody by default.
    """

    name: str
    ask: ModelClient
    generator: np.random.Generator
    history: History = _NOBODY


class Mind(Protocol):
    """Whatever decides for one resident. It is made with a ``MindContext`` as its only argument.

    One that remembers has ``get_state`` and ``set_state`` beside (see ``Remembering``); one that has neither begins
    every step with nothing but what it observes. One that has ``tell`` (``irollan_env.resident.Interviewable``) says
    itself what it knows when it is interviewed; of others, the state is told.
    """

    def act(self, observation: Observation) -> Answer | Awaitable[Answer]:
        """One action for what is observed now; ``async`` where it asks a model.

        Where nothing is admissible, the resident is held back in this step: it perceives, and waits.
        """
        ...


@runtime_checkable
class Remembering(Protocol):
    """The two methods of a mind that remembers."""

    def get_state(self) -> Any:
        """Everything needed to go on exactly, as JSON-ready data."""
        ...

    def set_state(self, state: Any) -> None:
        """Go on from what ``get_state`` gave, after a JSON round trip."""
        ...


def state_of(mind: Mind) -> Mapping[str, Any] | Any:
    """The state of a mind; None for one that remembers nothing."""
    return mind.get_state() if isinstance(mind, Remembering) else None


def told_by_state(state: Any, label: str = "") -> Iterator[str]:
    """What a state says, a line a value with the keys before it: how a mind without ``tell`` tells what it knows."""
    if isinstance(state, Mapping):
        for key, value in state.items():
            yield from told_by_state(value, f"{label} {key}".strip())
    elif isinstance(state, Sequence) and not isinstance(state, str):
        for value in state:
            yield from told_by_state(value, label)
    elif state not in ("", None):
        yield f"{label}: {state}" if label else str(state)
