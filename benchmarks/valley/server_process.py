"""``irollan serve`` in another process, for measurements over HTTP."""

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
        address: Its URL.
    """

    def __init__(self, process: subprocess.Popen[str]) -> None:
        """Read the address of a process that was just started.

        Raises:
            RuntimeError: if it does not start.
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
        """Return its current memory in megabytes, from /proc.

        Raises:
            RuntimeError: on systems without /proc.
        """
        try:
            status = Path(f"/proc/{self._process.pid}/status").read_text()
        except FileNotFoundError as error:
            raise RuntimeError("the memory of a process can only be read on Linux, in /proc") from error
        match = re.search(r"VmRSS:\s+(\d+) kB", status)
        assert match is not None
        return int(match[1]) / 1024

    def interrupt(self) -> str:
        """Send SIGINT, wait for the end, and return the standard error since it began to serve."""
        self._process.send_signal(signal.SIGINT)
        return self._process.communicate()[1]


@contextmanager
def running_server() -> Iterator[RunningServer]:
    """Run ``irollan serve`` on a free loopback port within a block.

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
