"""Event loop in a thread of its own, usable from plain code and from other event loops."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable, Coroutine
from concurrent.futures import Future
from typing import Any, TypeVar

ResultT = TypeVar("ResultT")


class LoopThread:
    """Runs coroutines in one event loop, whose thread starts with the first coroutine."""

    def __init__(self, name: str) -> None:
        """Set the thread's name; the thread is not started yet.

        Args:
            name: Name of the thread.
        """
        self._name = name
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None

    def submit(self, task: Coroutine[Any, Any, ResultT]) -> Future[ResultT]:
        """Schedule a coroutine; the returned future can be awaited or cancelled from any thread."""
        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                self._thread = threading.Thread(target=self._loop.run_forever, name=self._name, daemon=True)
                self._thread.start()
            return asyncio.run_coroutine_threadsafe(task, self._loop)

    def close(self, last: Callable[[], Awaitable[None]]) -> None:
        """End the thread and cancel running coroutines; `submit` starts it again.

        Args:
            last: Coroutine to run at the end, which releases the loop's resources.
        """
        with self._lock:
            loop, thread = self._loop, self._thread
            self._loop = self._thread = None
        if loop is None or thread is None:
            return

        async def end() -> None:
            others = asyncio.all_tasks() - {asyncio.current_task()}
            for task in others:
                task.cancel()
            await asyncio.gather(*others, return_exceptions=True)
            await last()

        asyncio.run_coroutine_threadsafe(end(), loop).result()
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()
