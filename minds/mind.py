"""What a mind is, and what it is given when it is made."""

from __future__ import annotations

from collections.abc import Awaitable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeAlias, runtime_checkable

import numpy as np

from irollan_env.resident import Act
from irollan_env.world.observation import Observation
from minds.model_client import ModelClient

Answer: TypeAlias = Act | str | None
"""What a mind decides: an action, None to wait, or an ``Act`` that says more of how the decision came."""


@dataclass(frozen=True, kw_only=True, slots=True)
class History:
    """Who a resident was before it came to the valley; nobody in particular by default.

    Attributes:
        name: What it calls itself, beside its designation in the valley; empty for nothing.
        traits: What it is like, in a few words.
        memories: What it remembers, a sentence each, the oldest first.
        relations: By resident, what this is to it.
    """

    name: str = ""
    traits: str = ""
    memories: Sequence[str] = ()
    relations: Mapping[str, str] = field(default_factory=dict)

    def lines(self) -> list[str]:
        """All of it in sentences in the first person, each once."""
        called = [f"I am called {self.name}."] if self.name else []
        like = [f"I am {self.traits.rstrip('.')}."] if self.traits else []
        others = [f"{who} is {what.rstrip('.')} to me." for who, what in self.relations.items()]
        return list(dict.fromkeys([*called, *like, *self.memories, *others]))

    def introduction(self) -> str:
        """Name and traits in the second person: "You are called Lena."; empty for neither."""
        called = [f"You are called {self.name}."] if self.name else []
        like = [f"You are {self.traits.rstrip('.')}."] if self.traits else []
        return " ".join([*called, *like])

    def to_prompt(self) -> str:
        """All of it as the part of a prompt, with an empty line behind it; empty for nothing."""
        lines = self.lines()
        return "What you know of yourself:\n" + "\n".join(f"- {line}" for line in lines) + "\n\n" if lines else ""

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> History:
        """A history from keys that are the attributes, any of which may be missing."""
        return cls(**{**data, "memories": tuple(data.get("memories", ()))})


@dataclass(frozen=True, kw_only=True, slots=True)
class MindContext:
    """What a mind is given when it is made.

    Attributes:
        name: The resident whose mind it is.
        model: The language model and the embedder; every call is made in this resident's name, and recorded by the run.
        generator: Source of all random draws of the mind; saved and restored with it.
        history: Who the resident was before it came to the valley.
    """

    name: str
    model: ModelClient
    generator: np.random.Generator
    history: History = field(default_factory=History)


class Mind(Protocol):
    """Decides for one resident; made with a ``MindContext`` as its only argument.

    A mind that remembers also has ``get_state`` and ``set_state`` (see ``Stateful``); one that has neither begins
    every step with nothing but its observation. A mind that has ``answer`` (``irollan_env.Interviewable``) says
    itself what it knows when it is interviewed; of others, the interview reads the state.
    """

    def act(self, observation: Observation) -> Answer | Awaitable[Answer]:
        """Decide on one action for what is observed now; ``async`` where the mind calls a model.

        Args:
            observation: What the resident perceives. Where ``observation.admissible`` is empty, the resident cannot act
                in this step, and the answer is None.

        Returns:
            One of ``observation.admissible``, with words of its own where it is a chat; None to wait; or an ``Act``.
        """
        ...


@runtime_checkable
class Stateful(Protocol):
    """The two methods of a mind that remembers."""

    def get_state(self) -> Any:
        """Return everything needed to go on exactly, as JSON-ready data."""
        ...

    def set_state(self, state: Any) -> None:
        """Go on from what ``get_state`` returned, after a JSON round trip."""
        ...


def state_of(mind: Mind) -> Mapping[str, Any] | Any:
    """The state of a mind; None for one that remembers nothing."""
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
