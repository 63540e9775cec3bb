"""Descriptions of the resident and of others, updated when a segment of memory is compressed (section 3.2.2)."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Self

from irollan_env.english import within
from itcma_s.deliberation.channel_in_words import happened, when
from itcma_s.deliberation.conversation import Conversation
from itcma_s.deliberation.llm_policy.answer_format import MOST_DESCRIPTIONS, Form
from itcma_s.deliberation.llm_policy.remembering import in_full
from itcma_s.memory.memory import Memory

MYSELF = "me"

_TOLD = 60
"""Maximum tokens of the lines of speech in the text of a memory."""

_LINE = re.compile(r"(?P<who>[^:\[\]]{1,60}?)\s*:\s*(?P<text>.*?)\s*(?:\[(?P<rests>[^\[\]]*)\])?\.?")
_WHAT = (
    f"at most {MOST_DESCRIPTIONS} of the form NAME: TEXT [NUMBERS]. NAME: {{names}}. TEXT: what you now know of them, "
    'or of yourself as "you", in at most 20 words. NUMBERS: the memories that it rests on.'
)
_HOW: Mapping[Form, str] = {
    "json": 'Add one key after the others, "about": a list of texts, ' + _WHAT,
    "plain": 'Add lines after the others, each beginning with "About: ", ' + _WHAT,
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Description:
    """A resident's description of a person or of itself.

    Attributes:
        text: In the mind's own words; untrusted text.
        memories: Identifiers of the memories that it rests on.
        time: The time step in which it was written.
    """

    text: str
    memories: tuple[int, ...]
    time: int

    def get_state(self) -> dict[str, Any]:
        """Return the state as JSON-ready data."""
        return {**asdict(self), "memories": list(self.memories)}

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> Self:
        """Return the object with a state from ``get_state``."""
        return cls(**{**state, "memories": tuple(state["memories"])})


@dataclass(frozen=True, kw_only=True, slots=True)
class Segment:
    """Newly compressed memories from which one request asks the model to update descriptions.

    Attributes:
        memory_texts: Memory id -> the memory in words.
        names: The people who can be described.
    """

    memory_texts: Mapping[int, str]
    names: tuple[str, ...]

    @classmethod
    def of(cls, new: Sequence[Memory], me: str, known: Collection[str], conversation: Conversation) -> Self | None:
        """Make the segment of new memories; None if nothing was said in them, or nobody is known yet."""
        whole = (in_full(memory, conversation, {me}, (), _TOLD) for memory in new if memory.said)
        told = {memory.id: _told(memory, me) for memory in whole}
        return cls(memory_texts=told, names=tuple(known)) if told and known else None

    def text(self, form: Form) -> str:
        """Return the text to append to the request."""
        lines = [f"- memory {number}: {text}" for number, text in self.memory_texts.items()]
        how = _HOW[form].format(names=", ".join((MYSELF, *self.names)))
        return "\n".join(["", "Over, and now part of what you know:", *lines, how])

    def read(self, about: Sequence[str], time: int) -> dict[str, Description]:
        """Parse the new descriptions by person.

        A line of another form, without a memory, or about somebody unknown is ignored, and the decision stays valid.

        Args:
            about: The lines of the answer, ``Answer.about``.
            time: The time step.
        """
        found: dict[str, Description] = {}
        for line in about:
            match = _LINE.fullmatch(line)
            if match is None or not match["text"] or match["who"] not in (MYSELF, *self.names):
                continue
            numbers = (int(number) for number in re.findall(r"\d{1,9}", match["rests"] or ""))
            cited = tuple(dict.fromkeys(number for number in numbers if number in self.memory_texts))
            if cited:
                found[match["who"]] = Description(text=match["text"], memories=cited, time=time)
        return found


def _told(memory: Memory, me: str) -> str:
    return f"{when(memory)}, {within(memory.place, you=me)}: {'; '.join(happened(memory, me))}"
