"""The observation text of a learner: the paper's sentence, optionally after goal, result and messages."""

from __future__ import annotations

import string
from collections.abc import Set as AbstractSet
from typing import Literal

from irollan_env.world.observation import Observation, ObservationTuple

Content = Literal["full", "sentence"]
CONTENTS = ("full", "sentence")


class ShownText(str):
    """A string with a ``dtype``, which PettingZoo's ``api_test`` requires of observations."""

    __slots__ = ()
    dtype = str


VISIBLE = frozenset(string.ascii_letters + string.digits + string.punctuation + " ")
"""The characters of a keyboard."""

UNKNOWN = "\N{REPLACEMENT CHARACTER}"
"""Replacement for characters outside the observation space; ``info["messages"]`` has the original words."""

LONGEST_GOAL = 4000
LONGEST_RESULT = 4000
"""Characters that these lines can have; both quote what was said, which is shorter."""


def check_content(content: str | None, *, tasks: bool) -> bool:
    """Return whether observations have goal, result and messages besides the sentence.

    Args:
        content: ``"full"``, ``"sentence"``, or None to choose by ``tasks``.
        tasks: Whether there are tasks; without any, None means the sentence.

    Raises:
        ValueError: for any other content.
    """
    if content is None:
        return tasks
    if content not in CONTENTS:
        raise ValueError(f"observation must be one of {CONTENTS}, got {content!r}")
    return content == "full"


def full_text(seen: Observation | ObservationTuple, characters: AbstractSet[str]) -> str:
    """Join goal, result of the last action, messages and sentence, one a line; empty parts are left out.

    ``Goal: Bring a book to WM.`` / ``You go to outside.`` / ``LL to AY: "Hello!"`` / ``You are in outside. ...``

    Args:
        seen: The observation.
        characters: The characters allowed in the text; others are replaced by ``UNKNOWN``.
    """
    lines = [] if seen.goal is None else [f"Goal: {seen.goal}"]
    if seen.result:
        lines.append(_readable(seen.result, characters))
    lines += [f'{said.sender} to {said.addressee}: "{_readable(said.text, characters)}"' for said in seen.messages]
    lines.append(seen.sentence)
    return "\n".join(lines)


def _readable(text: str, characters: AbstractSet[str]) -> str:
    """Replace line breaks and characters outside the observation space."""
    if text.isascii() and text.isprintable():
        return text
    return "".join([" " if c.isspace() else c if c in characters else UNKNOWN for c in text])
