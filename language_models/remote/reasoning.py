"""Separation of what a model thought from what it answered, in the forms that servers leave in a text.

Servers that know a model's form put its thinking beside the answer. Others leave it in the text: as a block at its
beginning, of which only the end is there where the model's template opens it; or as channels (OpenAI's harmony), of
which the one named final is the answer.
"""

from __future__ import annotations

import re
from typing import NamedTuple

MOST_BLOCKS = 16
"""Most blocks of thinking that are removed from one text."""

_BLOCKS = tuple(
    (re.compile(re.escape(begin), re.IGNORECASE), re.compile(re.escape(end), re.IGNORECASE))
    for begin, end in (
        ("<think>", "</think>"),
        ("<thinking>", "</thinking>"),
        ("<thought>", "</thought>"),
        ("<reasoning>", "</reasoning>"),
        ("<seed:think>", "</seed:think>"),
        ("[THINK]", "[/THINK]"),
        ("◁think▷", "◁/think▷"),
        ("<|START_THINKING|>", "<|END_THINKING|>"),
        ("<|begin_of_thought|>", "<|end_of_thought|>"),
    )
)
_CHANNEL = re.compile(
    r"<\|channel\|>\s*(\w{1,40})(?:[^<]|<\|constrain\|>){0,80}?<\|message\|>"
    r"(.*?)(?=<\|(?:end|return|call|start|channel)\|>|\Z)",
    re.DOTALL,
)
_CHANNEL_IN_WORDS = re.compile(r"\A\s*(?:assistant)?analysis(.*)assistant\s{0,9}final(.*)\Z", re.DOTALL)
"""Channels whose special tokens were removed."""
_END_OF_TEXT = re.compile(r"(?:<\|[a-z_]{1,30}\|>|</s>|<end_of_turn>)\Z")
"""A special token that marks a text's end."""


class Said(NamedTuple):
    """A text in two parts.

    Attributes:
        answer: The answer; None if all of the text is thinking.
        thought: What the model thought before; empty for nothing.
    """

    answer: str | None
    thought: str


def split_thought(text: str) -> Said:
    """Separate an answer from the thinking before it.

    A text that begins as a JSON object does is an answer from its first character on, whatever words it holds.
    """
    if text.lstrip().startswith("{"):
        return Said(_without_end(text), "")
    if (channels := _CHANNEL.findall(text)) or "<|channel|>" in text:
        finals = [said for channel, said in channels if channel == "final"]
        thought = "\n".join(said.strip() for channel, said in channels if channel != "final")
        return Said(finals[-1].strip() or None if finals else None, thought or text)
    if (words := _CHANNEL_IN_WORDS.match(text)) is not None:
        return Said(words[2].strip() or None, words[1].strip())
    return _without_blocks(text)


def _without_blocks(text: str) -> Said:
    """Remove blocks of thinking at the beginning of a text."""
    thoughts: list[str] = []
    rest = text
    while len(thoughts) < MOST_BLOCKS and (
        opened := next((one for one in _BLOCKS if one[0].match(rest.lstrip())), None)
    ):
        begin, end = opened
        inside = begin.sub("", rest.lstrip(), count=1)
        if (closed := end.search(inside)) is None:
            return Said(None, "\n".join([*thoughts, inside.strip()]))
        thoughts.append(inside[: closed.start()].strip())
        rest = inside[closed.end() :].lstrip()
    if not thoughts:
        for begin, end in _BLOCKS:
            if (closed := end.search(rest)) is not None and begin.search(rest, 0, closed.start()) is None:
                thoughts.append(rest[: closed.start()].strip())
                rest = rest[closed.end() :].lstrip()
                break
    rest = _without_end(rest)
    return Said(rest if rest.strip() or not thoughts else None, "\n".join(thoughts))


def _without_end(text: str) -> str:
    """Remove the special tokens at the end of a text."""
    while (mark := _END_OF_TEXT.search(rest := text.rstrip(), max(0, len(rest) - 40))) is not None:
        text = rest[: mark.start()].rstrip()
    return text
