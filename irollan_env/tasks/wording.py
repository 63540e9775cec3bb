"""Kinds of things in a sentence."""

from __future__ import annotations

from collections.abc import Sequence

_UNCOUNTED = frozenset({"food", "clothes", "money"})


def some(kind: str) -> str:
    """A kind with its article: ``"a book"``, ``"some food"``."""
    if kind in _UNCOUNTED:
        return f"some {kind}"
    return f"an {kind}" if kind[:1].lower() in "aeiou" else f"a {kind}"


def listed(names: Sequence[str]) -> str:
    """``"AY, LL and WM"``."""
    return " and ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else "".join(names)
