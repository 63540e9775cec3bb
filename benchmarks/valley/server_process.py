"""A server in a process of its own, for what is measured over HTTP."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def running_server() -> Iterator[str]:
    """``irollan serve`` on a free port of the loopback; gives its address.

    Raises:
        RuntimeError: when it does not start.
    """
    command = [sys.executable, "-m", "evaluation", "serve", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            address = process.stdout.readline().strip()
            if not address:
                process.terminate()
                raise RuntimeError(f"the server did not start: {process.communicate()[1].strip()}")
            yield address
        finally:
            process.terminate()
            process.communicate()
