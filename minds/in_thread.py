"""Deadlines of decisions, and decisions in a thread for third-party or blocking code."""

from __future__ import annotations

import asyncio
import contextvars
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import TypeVar

T = TypeVar("T")

PATIENCE = 60.0
"""Seconds that a mind may take without a model call."""

LONGEST = 10
"""How many times as long all of its time without a model call may be."""

_LOOKS = 20
"""Number of checks within ``PATIENCE`` whether the mind waits for a model."""


class Hung(RuntimeError):
    """Raised if a mind neither answered nor called a model in time."""


async def patiently(done: Future[T], was_heard: Callable[[], bool], patience: float) -> T:
    """Await a decision as long as the mind calls models.

    Args:
        done: The decision, made in another thread or process.
        was_heard: Tells whether the mind has called a model since it was asked last; while it does, it counts as alive.
        patience: Seconds without a call after which it counts as hung.

    Returns:
        The decision.

    Raises:
        Hung: if it took longer.
        Exception: whatever ``done`` raises.
    """
    waiting = asyncio.wrap_future(done)
    quiet = spent = 0
    try:
        while quiet < _LOOKS and spent < LONGEST * _LOOKS:
            finished, _ = await asyncio.wait([waiting], timeout=patience / _LOOKS)
            if finished:
                return waiting.result()
            heard = was_heard()
            quiet, spent = (0, spent) if heard else (quiet + 1, spent + 1)
    finally:
        waiting.cancel()
    if quiet < _LOOKS:
        raise Hung(f"gave no answer in {LONGEST * patience:g} s of its own")
    raise Hung(f"gave no answer and asked no model for {patience:g} s")


async def in_thread(decide: Callable[[], T], was_heard: Callable[[], bool], patience: float) -> T:
    """Call a function in a thread of its own, and await its result without blocking the event loop.

    A thread cannot be ended from outside: one that hangs is left alone, and ends with the process.

    Args:
        decide: The function.
        was_heard: As of ``patiently``.
        patience: As of ``patiently``.

    Returns:
        The function's result.

    Raises:
        Hung: if it took longer.
        Exception: whatever the function raises.
    """
    done: Future[T] = Future()
    # A decision that nobody waits for any more cannot be cancelled.
    done.set_running_or_notify_cancel()
    context = contextvars.copy_context()

    def work() -> None:
        try:
            done.set_result(context.run(decide))
        except BaseException as error:
            done.set_exception(error)

    threading.Thread(target=work, name="mind", daemon=True).start()
    return await patiently(done, was_heard, patience)
