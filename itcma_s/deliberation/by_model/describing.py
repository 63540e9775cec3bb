"""Descriptions of oneself and of others, brought up to date when a segment of memory is compressed (section 3.2.2)."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Self

from itcma_s.deliberation.by_model.answer import Form, Unusable, one_line
from itcma_s.deliberation.by_model.recollection import remembered
from itcma_s.memory.memory import Memory

MYSELF = "me"
LONGEST = 220
"""Characters that are kept of a description: two lines."""

MOST = 3
"""How many descriptions one answer brings up to date."""

_WHAT = (
    "what you now know of them in at most 30 words (what they like, what they did, what you owe each other), or of "
    "yourself (what you care about and do, in the second person)"
)
_HOW: Mapping[Form, str] = {
    "json": (
        'Add one key after the others, "about": a list of at most three objects with "who" (one of {names}), "text" ('
        + _WHAT
        + '), and "from" (the numbers of the memories that it rests on). Leave out those of whom you learned nothing.'
    ),
    "plain": (
        "Add at most three lines after the others, each as: About NAME: TEXT [NUMBERS], where NAME is one of {names}, "
        "TEXT is " + _WHAT + ", and NUMBERS are those of the memories that it rests on. Leave out those of whom you "
        "learned nothing."
    ),
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Description:
    """What one thinks of somebody, or of oneself.

    Attributes:
        text: In the mind's own words; untrusted text.
        memories: Identifiers of the memories that it rests on.
        time: The time step in which it was written.
    """

    text: str
    memories: tuple[int, ...]
    time: int

    def get_state(self) -> dict[str, Any]:
        """JSON-ready state."""
        return {**asdict(self), "memories": list(self.memories)}

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> Self:
        """What ``get_state`` gave."""
        return cls(**{**state, "memories": tuple(state["memories"])})


@dataclass(frozen=True, kw_only=True, slots=True)
class Segment:
    """Memories that were compressed and are to be taken up, by a key that is added to the answer of one step.

    Attributes:
        told: Memory id -> the memory in words.
        names: The people who can be described.
    """

    told: Mapping[int, str]
    names: tuple[str, ...]

    @classmethod
    def of(cls, new: Sequence[Memory], me: str, known: Collection[str]) -> Self | None:
        """The segment of some new memories; None where they tell nothing, or nobody is known yet."""
        told = {memory.id: text for memory in new if memory.said and (text := remembered(memory, me))}
        return cls(told=told, names=tuple(known)) if told and known else None

    def text(self, form: Form) -> str:
        """What is added to the request."""
        names = ", ".join((MYSELF, *self.names))
        lines = [f"- memory {number}: {text}" for number, text in self.told.items()]
        return "\n".join(
            [
                "",
                "These steps are over, and become part of what you know:",
                *lines,
                _HOW[form].format(names=names),
            ]
        )

    def schema(self) -> dict[str, Any]:
        """The JSON schema of the key."""
        item = {
            "type": "object",
            "properties": {
                "who": {"type": "string", "enum": [MYSELF, *self.names]},
                "text": {"type": "string", "maxLength": LONGEST},
                "from": {
                    "type": "array",
                    "items": {"type": "integer", "enum": list(self.told)},
                    "maxItems": len(self.told),
                },
            },
            "required": ["who", "text", "from"],
            "additionalProperties": False,
        }
        return {"type": "array", "items": item, "maxItems": MOST}

    def read(self, about: Sequence[Mapping[str, Any]], time: int) -> dict[str, Description]:
        """Who -> its new description.

        Args:
            about: What the answer says, as ``Answer.about``.
            time: The time step.

        Raises:
            Unusable: if it describes somebody unknown, or has parts of another kind.
        """
        found: dict[str, Description] = {}
        for entry in about[:MOST]:
            who, text, rests = entry.get("who"), entry.get("text"), entry.get("from")
            if who not in (MYSELF, *self.names):
                raise Unusable(f"describes {str(who)[:40]!r}, who is none of {', '.join((MYSELF, *self.names))}")
            if not isinstance(text, str) or not isinstance(rests, list):
                raise Unusable(f"describes {who} by {str(dict(entry))[:60]!r}, which lacks a text or memories")
            if line := one_line(text, LONGEST):
                cited = tuple(one for one in rests if isinstance(one, int) and one in self.told)
                found[str(who)] = Description(text=line, memories=cited, time=time)
        return found
