"""Answers that a server cut off when their tokens were spent."""

from __future__ import annotations

from typing import Any, NamedTuple

from language_models.remote.prompt_length import LONGER_CONTEXT
from language_models.remote.responses import tokens_of
from language_models.remote.thinking import MORE_THINKING

_FULL = f"; where the model's context was full, {LONGER_CONTEXT}"


class CutOff(NamedTuple):
    """Where an answer was cut off.

    Attributes:
        reason: As it goes on after "which".
        remedy: What to do about it.
    """

    reason: str
    remedy: str


def cut_off(answer: dict[str, Any], most: int, place: int = 0) -> CutOff | None:
    """Where one of the texts of an answer was cut off; None where it came to an end of its own.

    Args:
        answer: Of the server.
        most: Tokens that the text could have, those of thinking included.
        place: Of the text.

    Raises:
        ValueError: if the report of tokens makes no sense.
    """
    choices = answer["choices"]
    if choices[place].get("finish_reason") != "length":
        return None
    # The tokens of several texts are reported together, and some servers report none.
    written = (tokens_of(answer).generated if len(choices) == 1 else 0) or most
    if written >= most:
        return CutOff(f"was cut off at {written:,} tokens", MORE_THINKING)
    return CutOff(f"was cut off at {written:,} tokens, of {most:,} that it could have", MORE_THINKING + _FULL)
