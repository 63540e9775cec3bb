"""Ctrl-C, or SIGTERM, that lets a run end well."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from types import FrameType, TracebackType
from typing import Any


class Interrupts:
    """While this is entered, the first Ctrl-C or SIGTERM asks to stop after the current step, and the second ends all.

    The files of a run are in order at any moment, so that even the second leaves a run that can be resumed.

    Attributes:
        requested: Whether a stop was asked for.
    """

    def __init__(self, say: Callable[[str], None]) -> None:
        """Prepare.

        Args:
            say: Tells whoever runs this that the request was heard.
        """
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
            sys.stderr.write("\nstopped at once\n")
            sys.stderr.flush()
            # Not sys.exit: threads of the model may be in the middle of a call, which Python would wait for.
            os._exit(1)
        self.requested = True
        # A signal may come in the middle of a write, into which another write cannot break.
        with suppress(RuntimeError):
            again = "Ctrl-C" if number == signal.SIGINT else signal.Signals(number).name
            self._say(f"stopping after this step; {again} once more stops at once")
