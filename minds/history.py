"""Who somebody was before it came to the valley."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, kw_only=True, slots=True)
class History:
    """What a mind begins with; nothing by default.

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
        """All of it in sentences, each once."""
        called = [f"I am called {self.name}."] if self.name else []
        like = [f"I am {self.traits.rstrip('.')}."] if self.traits else []
        others = [f"{who} is {what.rstrip('.')} to me." for who, what in self.relations.items()]
        return list(dict.fromkeys([*called, *like, *self.memories, *others]))

    def myself(self) -> str:
        """Name and traits as one tells them to oneself: "You are called Lena."; empty for neither."""
        called = [f"You are called {self.name}."] if self.name else []
        like = [f"You are {self.traits.rstrip('.')}."] if self.traits else []
        return " ".join([*called, *like])

    def told(self) -> str:
        """The same for a prompt, with an empty line behind it; empty for nothing."""
        lines = self.lines()
        return "What you know of yourself:\n" + "\n".join(f"- {line}" for line in lines) + "\n\n" if lines else ""

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> History:
        """A history from keys that are the attributes, any of which may be missing."""
        return cls(**{**data, "memories": tuple(data.get("memories", ()))})
