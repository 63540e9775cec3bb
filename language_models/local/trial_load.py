"""Trial of a GGUF file in a process of its own.

For some files llama.cpp ends the process that it is in, or never returns, and no thread of that process can prevent it.
"""

from __future__ import annotations

import os
import subprocess
import sys
from functools import lru_cache
from pathlib import Path

SECONDS = 120.0
"""What loading a small file may take; a second more for each 50 MB."""

_LOAD = """
import os, sys, xllamacpp
parameters = xllamacpp.CommonParams()
parameters.model.path = sys.argv[1]
parameters.n_ctx = 256
parameters.warmup = False
parameters.verbosity = -1
server = xllamacpp.Server(parameters)
os._exit(0)
"""


def check_loads(path: Path) -> None:
    """Check that llama.cpp comes back from loading a file, be it with an error.

    Args:
        path: A GGUF file.

    Raises:
        ValueError: if it does not.
    """
    state = path.stat()
    if trouble := _trouble(path, state.st_size, state.st_mtime_ns):
        raise ValueError(f"llama.cpp cannot load {path}: {trouble}; get the file again, or convert the model anew")


@lru_cache(maxsize=64)
def _trouble(path: Path, size: int, changed: int) -> str:
    """Return what goes wrong with a file; empty for nothing, or an error that llama.cpp itself returns."""
    seconds = SECONDS + size / 50e6
    try:
        done = subprocess.run(
            [sys.executable, "-c", _LOAD, str(path)],
            env={**os.environ, "GGML_NO_BACKTRACE": "1"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=seconds,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return f"it was not done within {seconds:.0f} s"
    if done.returncode >= 0:
        return ""
    said = [line for line in done.stderr.decode("utf-8", "replace").splitlines() if "ASSERT" in line]
    return f"it breaks off{f' ({said[-1][-200:]})' if said else ''}"
