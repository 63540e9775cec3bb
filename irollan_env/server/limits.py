"""How much a server takes on."""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True, slots=True)
class Limits:
    """What bounds the memory and time that clients can use up.

    Attributes:
        sessions: How many may be open at once.
        body: Bytes of one request's body, whether its length was announced or not.
        text: Characters of one action.
        idle: Seconds after which a session that nobody uses is closed.

    Raises:
        ValueError: for a limit that is no number above 0.
    """

    sessions: int = 64
    body: int = 2**20
    text: int = 4096
    idle: float = 1800.0

    def __post_init__(self) -> None:
        for name in ("sessions", "body", "text"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or value < 1:
                raise ValueError(f"the limit {name!r} must be a whole number >= 1, got {value!r}")
        if isinstance(self.idle, bool) or not (math.isfinite(self.idle) and self.idle > 0):
            raise ValueError(f"the limit 'idle' must be a number of seconds above 0, got {self.idle!r}")
