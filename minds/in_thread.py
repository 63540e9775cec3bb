"""Decisions in a thread, for minds with third-party or blocking code."""

from __future__ import annotations

import asyncio
import contextvars
import inspect
import threading
from collections.abc import Callable
from typing import Any

PATIENCE = 60.0
"""Seconds that a mind may take without a model call."""

_LOOKS = 20
"""Number of checks within this time whether the mind waits for a model."""


class Hung(RuntimeError):
    """Raised if a mind neither answered nor called a model in time."""


async def in_thread(decide: Callable[[], Any], pending: Callable[[], int], patience: float = PATIENCE) -> Any:
    """Call a function in a thread of its own, and await its result without blocking the event loop.

    A thread cannot be ended from outside: one that hangs is left alone, and ends with the process.

    Args:
        decide: The function; it may return something to await.
        pending: Number of its model calls under way; while there is one, it counts as alive.
        patience: Seconds without a call after which it counts as hung.

    Returns:
        The function's result, awaited if awaitable.

    Raises:
        Hung: if it took longer.
        Exception: whatever the function raises.
    """
    home = asyncio.get_running_loop()
    done: asyncio.Future[Any] = home.create_future()
    context = contextvars.copy_context()

    def work() -> None:
        try:
            answer = context.run(_decided, decide)
        except BaseException as error:
            # StopIteration cannot be put into a future, and SystemExit must not end the run.
            raised = error if isinstance(error, Exception) and not isinstance(error, StopIteration) else None
            _tell(home, done, raised or RuntimeError(f"{type(error).__name__}: {error}"), None)
        else:
            _tell(home, done, None, answer)

    threading.Thread(target=work, name="mind", daemon=True).start()
    quiet = 0
    while quiet < _LOOKS:
        finished, _ = await asyncio.wait([done], timeout=patience / _LOOKS)
        if finished:
            return done.result()
        quiet = 0 if pending() else quiet + 1
    raise Hung(f"gave no answer and asked no model for {patience:g} s")


def _decided(decide: Callable[[], Any]) -> Any:
    answer = decide()
    if inspect.isawaitable(answer):
        return asyncio.run(_awaited(answer))
    return answer


async def _awaited(answer: Any) -> Any:
    return await answer


def _tell(home: asyncio.AbstractEventLoop, done: asyncio.Future[Any], error: Exception | None, answer: Any) -> None:
    def tell() -> None:
        if done.done():
            return
        if error is not None:
            done.set_exception(error)
        else:
            done.set_result(answer)

    # After the run, no event loop takes the result.
    if not home.is_closed():
        home.call_soon_threadsafe(tell)
