"""History of one request to a server over all its retries."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

from language_models.arguments import RESUMABLE
from language_models.protocol import Attempt, Usage
from language_models.remote.failures import TransientFailure


class SendRecord:
    """History of one request so far, over all its retries.

    Attributes:
        began: When the request was made, on the clock of time.monotonic().
        ends: When the answer is due, on the same clock.
        failed: The failed attempts.
        last: The last transient failure.
    """

    def __init__(self, deadline: float, ends: float | None) -> None:
        """Start the clock of the request.

        Args:
            deadline: Seconds for the request with all retries, for errors.
            ends: When the answer is due, if not at the deadline from now.
        """
        self.began = time.monotonic()
        self.ends = self.began + deadline if ends is None else ends
        self.failed: list[Attempt] = []
        self.last: TransientFailure | None = None
        self._deadline = deadline
        self._started, self._working, self._sent = time.perf_counter(), 0.0, 0

    @contextmanager
    def request(self) -> Iterator[None]:
        """Send the request once within this context."""
        self._sent += 1
        began = time.perf_counter()
        try:
            yield
        except TransientFailure as error:
            self.last = error
            self.failed.append(Attempt(kind="network", reason=str(error), text=error.text))
            raise
        finally:
            self._working += time.perf_counter() - began

    def usage(self) -> Usage:
        """Return the cost so far."""
        seconds = time.perf_counter() - self._started
        return Usage(
            seconds=seconds,
            waiting=max(0.0, seconds - self._working),
            retries=max(0, self._sent - 1),
            attempts=tuple(self.failed),
        )

    def out_of_time(self) -> tuple[str, str]:
        """Return why there is no answer within the deadline, and the remedy."""
        if self._sent > len(self.failed):
            self.failed.append(Attempt(kind="network", reason=f"no answer when {self._deadline:g} s were over"))
        if self.last is not None:
            reason = f"gave no answer within {self._deadline:g} s, over {self._sent} requests"
            return f"{reason}, the last of which had {self.last}", self.last.remedy
        if (before := self._deadline - (self.ends - self.began)) > self._deadline / 10:
            reason = f"gave no answer of use within {self._deadline:g} s, {before:.4g} s of them for requests before"
            return reason, f"use a quicker server, or set a longer deadline {RESUMABLE}"
        return f"gave no answer within {self._deadline:g} s, over {self._sent} requests", "check that the server runs"

    def given_up(self, error: TransientFailure) -> str:
        """Return why the request is not retried after this failure."""
        left = max(0.0, self.ends - time.monotonic())
        if error.wait is not None and error.wait > left:
            return (
                f"asks to wait {_number(error.wait)} s, longer than the {_number(left)} s left of the deadline of "
                f"{self._deadline:g} s ({error})"
            )
        return f"failed {self._sent} times, the last time with {error}"


def _number(seconds: float) -> str:
    """Format seconds with four digits, and as whole numbers from 1000 on: never as 1e+05."""
    return f"{seconds:.4g}" if seconds < 1000 else f"{seconds:.0f}"
