"""``irollan serve`` in another process, for measurements over HTTP."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def running_server() -> Iterator[str]:
    """Run ``irollan serve`` on a free loopback port within a block; yield its URL.

    Raises:
        RuntimeError: when it does not start.
    """
    command = [sys.executable, "-m", "evaluation", "serve", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        try:
            if not (address := process.stdout.readline().strip()):
                process.terminate()
                raise RuntimeError(f"the server did not start: {process.communicate()[1].strip()}")
            process.stderr.readline()  # that it serves
            yield address
        finally:
            process.terminate()
            process.communicate()
