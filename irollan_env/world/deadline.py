"""A deadline for code that runs in this process and may hang, such as the hooks of a world class.

A hook works on the world itself, so that it cannot live in a process of its own, as minds do. A timer of the system
interrupts it with a signal, which ends loops and waits in Python alike. Python handles signals in the main thread only,
and Windows has no such timer: elsewhere there is no deadline.
"""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

_AGAIN = 1.0
"""Seconds after which code that has caught the interruption is interrupted again."""

_running = False


class Overdue(BaseException):
    """Raised within a block that is past its deadline; no ``except Exception`` catches it."""


def can_interrupt() -> bool:
    """Return whether code in this thread can have a deadline."""
    return hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread()


@contextmanager
def within(seconds: float | None) -> Iterator[None]:
    """Interrupt a block once it has taken so many seconds; a block inside another one has the outer's deadline.

    Args:
        seconds: Above 0; None for no deadline.

    Raises:
        Overdue: in the block.
    """
    global _running
    if seconds is None or _running or not can_interrupt():
        yield
        return

    def interrupt(number: int, frame: FrameType | None) -> None:
        raise Overdue

    handler, began = signal.signal(signal.SIGALRM, interrupt), time.monotonic()
    left, interval = signal.setitimer(signal.ITIMER_REAL, seconds, _AGAIN)
    _running = True
    try:
        yield
    finally:
        _running = False
        # A timer that somebody else had set goes on.
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, handler)
        if left:
            signal.setitimer(signal.ITIMER_REAL, max(left - (time.monotonic() - began), 0.001), interval)
