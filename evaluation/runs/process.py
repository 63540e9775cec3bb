"""Process-wide settings of a run: interrupts, garbage collection, memory use."""

from __future__ import annotations

import gc
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType, TracebackType
from typing import Any

from minds.contained import kill_all


class Interrupts:
    """Handle Ctrl-C and SIGTERM in a block: the first stops after the current step, the second at once.

    The files of a run are in order at any moment, so that even the second leaves a run that can be resumed.

    Attributes:
        requested: Whether a stop was asked for.
    """

    def __init__(self, say: Callable[[str], None], again: str) -> None:
        """Prepare.

        Args:
            say: Shows a line that the request was heard.
            again: The command that goes on, for whoever stops at once.
        """
        self._again = again
        self.requested = False
        self._say = say
        self._before: dict[signal.Signals, Any] = {}

    def __enter__(self) -> Interrupts:
        # Python lets the main thread alone take signals.
        main = threading.current_thread() is threading.main_thread()
        for number in (signal.SIGINT, signal.SIGTERM) if main else ():
            self._before[number] = signal.signal(number, self._handle)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _handle(self, number: int, frame: FrameType | None) -> None:
        if self.requested:
            sys.stderr.write(f"\nirollan: stopped at once; resume with: {self._again}\n")
            sys.stderr.flush()
            kill_all()
            # Not sys.exit: threads of the model may be in the middle of a call, which Python would wait for.
            os._exit(1)
        self.requested = True
        # A signal may come in the middle of a write, into which another write cannot break.
        with suppress(RuntimeError):
            again = "Ctrl-C" if number == signal.SIGINT else signal.Signals(number).name
            self._say(f"stopping after this step; {again} once more stops at once")


YOUNG = 20_000
"""New objects that the garbage collector waits for before it goes through them."""


_entered: list[tuple[int, int, int]] = []
"""The thresholds before each active run; runs of a sweep overlap, and end in any order."""


@contextmanager
def less_garbage_collection() -> Iterator[None]:
    """Exclude existing objects from garbage collection within a block, and collect seldom.

    Its full passes go through every object there is, a dozen of them a minute in a society whose thousand memories each
    are a million objects, none of which is ever garbage. What earlier runs left is collected once at the end, since
    nothing else would.
    """
    _entered.append(gc.get_threshold())
    gc.freeze()
    gc.set_threshold(YOUNG, *_entered[0][1:])
    try:
        yield
    finally:
        gc.unfreeze()
        gc.collect()
        before = _entered[0]
        _entered.pop()
        if _entered:
            gc.freeze()
        else:
            gc.set_threshold(*before)


def peak_memory_mb() -> int | None:
    """Return the largest resident set of this process so far, in MiB; None on Windows."""
    if sys.platform == "win32":
        return None
    import resource

    # In bytes on macOS, in KiB elsewhere.
    unit = 1 if sys.platform == "darwin" else 2**10
    return round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 2**20)
