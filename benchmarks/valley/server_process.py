"""A server in a process of its own, for what is measured over HTTP."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


class RunningServer:
    """``irollan serve`` in another process.

    Attributes:
        address: Where it answers.
    """

    def __init__(self, process: subprocess.Popen[str]) -> None:
        """A process that has just been begun.

        Raises:
            RuntimeError: when it does not start.
        """
        assert process.stdout is not None
        assert process.stderr is not None
        self._process = process
        self.address = process.stdout.readline().strip()
        if not self.address:
            process.terminate()
            raise RuntimeError(f"the server did not start: {process.communicate()[1].strip()}")
        process.stderr.readline()  # that it serves

    def megabytes(self) -> float:
        """Its memory now; only where the system has /proc.

        Raises:
            RuntimeError: elsewhere.
        """
        try:
            status = Path(f"/proc/{self._process.pid}/status").read_text()
        except FileNotFoundError as error:
            raise RuntimeError("the memory of a process can only be read on Linux, in /proc") from error
        match = re.search(r"VmRSS:\s+(\d+) kB", status)
        assert match is not None
        return int(match[1]) / 1024

    def interrupt(self) -> str:
        """Press Ctrl-C, and wait for the end; gives what it said on standard error since it began to serve."""
        self._process.send_signal(signal.SIGINT)
        return self._process.communicate()[1]


@contextmanager
def running_server() -> Iterator[RunningServer]:
    """``irollan serve`` on a free port of the loopback.

    Raises:
        RuntimeError: when it does not start.
    """
    command = [sys.executable, "-m", "evaluation", "serve", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            yield RunningServer(process)
        finally:
            process.terminate()
            process.communicate()
