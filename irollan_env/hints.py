"""Hints for names that nearly match, short forms of untrusted text for messages, and the keys of data."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterable, Mapping
from typing import Any

LONGEST_QUOTE = 60


def quote(text: str) -> str:
    """The text in quotes for an error message: escaped, and cut where it is long."""
    return repr(text) if len(text) <= LONGEST_QUOTE else f"{text[:LONGEST_QUOTE]!r}..."


def did_you_mean(text: str, names: Iterable[str]) -> str:
    """``"; did you mean 'book 1'?"`` for the name nearest to ``text``, or an empty string when none is near.

    Args:
        text: What was given; untrusted, of any length.
        names: What it could have been.
    """
    if len(text) > LONGEST_QUOTE:
        return ""
    folded = {name.casefold(): name for name in names}
    wanted = text.casefold().removeprefix("the ").strip()
    near = [wanted] if wanted in folded else difflib.get_close_matches(wanted, folded, n=1, cutoff=0.7)
    return f"; did you mean {folded[near[0]]!r}?" if near else ""


def check_version(state: Any, version: int) -> None:
    """Refuse a saved state that is no mapping, or is of another version.

    Raises:
        ValueError: for either.
    """
    if not isinstance(state, Mapping):
        raise ValueError(f"a state must be a mapping, got {type(state).__name__}")
    if state.get("version") != version:
        raise ValueError(
            f"state has version {state.get('version')!r}, this is version {version}; make it anew, or go on with "
            "the code that saved it"
        )


def check_keys(where: str, data: Any, keys: Collection[str]) -> None:
    """Refuse data that is not a mapping with exactly these keys.

    Raises:
        ValueError: for such data, saying what is too much or missing.
    """
    if not isinstance(data, Mapping):
        raise ValueError(f"{where} must be a mapping, got {data!r}")
    for key in data:
        if key not in keys:
            raise ValueError(f"{where} has an unknown key {key!r}{did_you_mean(str(key), keys)}")
    for key in keys:
        if key not in data:
            raise ValueError(f"{where} lacks {key!r}")
