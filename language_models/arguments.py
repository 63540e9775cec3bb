"""Checks of arguments shared by all backends and by the places where options are set."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

OPTIONS = "among the options of a TOML file for --model (docs/models.md)"
"""Where options are set, for error messages."""

RESUMABLE = f"{OPTIONS}, which irollan resume takes, too"
"""Where options that change no answer are set, for error messages."""


def check_no_thinking(name: str, think: int) -> None:
    """Check that no thinking tokens are requested from a backend that does not support them.

    Args:
        name: The backend's name, for the error.
        think: Thinking tokens requested.

    Raises:
        ValueError: if it is not 0.
    """
    if think:
        raise ValueError(f"{name} cannot be given {think} tokens to think in; leave think out, or use an address")


def check_asks(asks: int) -> int:
    """Check the number of times that a valid answer is requested.

    Raises:
        ValueError: if it is below 1.
    """
    if asks < 1:
        raise ValueError(f"asks must be at least 1, got {asks}")
    return asks


def check_options(options: Sequence[str], descriptions: Sequence[str] = ()) -> None:
    """Check the arguments of `choose`.

    Args:
        options: Must be at least one, no two alike, none empty.
        descriptions: Must be empty, or as many as options.

    Raises:
        ValueError: if there is no option, one is empty or given twice, or descriptions do not match them in number.
    """
    _check_texts(options, "options")
    if descriptions and len(descriptions) != len(options):
        raise ValueError(
            f"descriptions must be empty or one per option, got {len(descriptions)} for {len(options)} options"
        )


def check_continuations(continuations: Sequence[str]) -> None:
    """Check the arguments of `score`.

    Raises:
        ValueError: if there is no continuation, or one is empty or given twice.
    """
    _check_texts(continuations, "continuations")


def _check_texts(texts: Sequence[str], what: str) -> None:
    if isinstance(texts, str):
        raise ValueError(f"{what} must be a sequence of strings, got the one string {texts!r}; put it into a list")
    if not texts:
        raise ValueError(f"{what} must hold at least one string, got none")
    seen: set[str] = set()
    for text in texts:
        if not text:
            raise ValueError(f"{what} must not hold an empty string, got {list(texts)!r}")
        if text in seen:
            raise ValueError(f"{what} must differ from each other, got {text!r} twice")
        seen.add(text)


def one_of(what: str, value: str, allowed: Sequence[str]) -> str:
    """Check that a value is one of those allowed, and return it.

    Args:
        what: The setting's name, for the error.
        value: The setting's value.
        allowed: Its choices.

    Raises:
        ValueError: if it is none.
    """
    if value not in allowed:
        raise ValueError(f"{what} must be one of {', '.join(allowed)}, got {value!r}")
    return value


def option_lines(options: Sequence[str], descriptions: Sequence[str] = ()) -> list[str]:
    """Format options for a prompt, each with its description, if any, in parentheses.

    Args:
        options: At least one.
        descriptions: Meaning or effect of each option; empty, or as many as options.
    """
    pairs = zip(options, descriptions or [""] * len(options), strict=True)
    return [f"{option} ({description})" if description else option for option, description in pairs]


def shorten_list(names: Sequence[str], most: int = 8) -> str:
    """List names for a message; the first ones and their number where there are many.

    Args:
        names: The names.
        most: How many are listed.
    """
    shown = ", ".join(name if len(name) <= 100 else f"{name[:97]}..." for name in names[:most])
    return shown if len(names) <= most else f"{shown} ... ({len(names)} in all)"


def choice_schema(options: Sequence[str]) -> dict[str, Any]:
    """Return the JSON schema of an answer whose "choice" is one of the options."""
    return {
        "type": "object",
        "properties": {"choice": {"type": "string", "enum": [str(option) for option in options]}},
        "required": ["choice"],
        "additionalProperties": False,
    }
