"""Token budget of a request, shared among its parts; the oldest lines are dropped first."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

_TOKENS_A_WORD = 1.4

SHARES = {"places": 0.1, "people": 0.36, "recent": 0.45, "promises": 0.09}
"""Share of each part in the budget."""


def tokens(text: str) -> int:
    """Estimate the number of tokens of a text: 1.4 per word, as English has for most tokenizers."""
    return math.ceil(_TOKENS_A_WORD * len(text.split()))


@dataclass(frozen=True, kw_only=True, slots=True)
class Budget:
    """Token budget of a request for knowledge and memories, by parts.

    Attributes:
        total: Tokens of all parts together; rules, what is here now, and the options come on top.

    Raises:
        ValueError: if it is below 50.
    """

    total: int = 300

    def __post_init__(self) -> None:
        if self.total < 50:
            raise ValueError(f"total must be at least 50 tokens, got {self.total}; a line of speech has about 30")

    def share(self, part: str) -> float:
        """Return the tokens available to a part of ``SHARES``."""
        return self.total * SHARES[part]

    def cut(self, part: str, lines: Sequence[str]) -> list[str]:
        """Return the latest lines that fit into a part's share, at least one; lines come oldest first.

        Args:
            part: One of ``SHARES``.
            lines: What there is to tell.
        """
        most, kept = self.share(part), list(lines)
        while len(kept) > 1 and sum(map(tokens, kept)) > most:
            kept = kept[1:]
        return kept

    def first(self, part: str, lines: Mapping[str, str], order: Sequence[str]) -> list[str]:
        """Return the lines that fit into a part's share by priority, at least one, in their own order.

        Args:
            part: One of ``SHARES``.
            lines: What there is to tell, by key.
            order: The keys by priority.
        """
        room, kept = self.share(part), set[str]()
        for key in order:
            room -= tokens(lines[key])
            if kept and room < 0:
                break
            kept.add(key)
        return [line for key, line in lines.items() if key in kept]
