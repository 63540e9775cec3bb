"""Resource limits of a server."""

from __future__ import annotations

import math
from dataclasses import dataclass

from irollan_env.hints import check_integer


@dataclass(frozen=True, kw_only=True, slots=True)
class Limits:
    """Limits on the memory and time that clients can use.

    Attributes:
        sessions: Sessions open at once.
        body: Bytes of one request's body, whether its length was announced or not.
        text: Characters of one action.
        idle: Seconds after which a session that nobody uses is closed.
        connections: Connections open at once; one more closes the oldest unauthorised one.
        head: Bytes of a request without its body.
        wait: Seconds in which the head of a request must have come; and again its body, and its answer been taken; and
            again the next request.

    Raises:
        ValueError: for a limit that is no number above 0.
    """

    sessions: int = 64
    body: int = 2**20
    text: int = 4096
    idle: float = 1800.0
    connections: int = 512
    head: int = 2**14
    wait: float = 20.0

    def __post_init__(self) -> None:
        for name in ("sessions", "body", "text", "connections", "head"):
            check_integer(f"the limit {name!r}", getattr(self, name), 1)
        for name in ("idle", "wait"):
            value = getattr(self, name)
            if isinstance(value, bool) or not (math.isfinite(value) and value > 0):
                raise ValueError(f"the limit {name!r} must be a number of seconds above 0, got {value!r}")
