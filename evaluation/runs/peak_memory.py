"""How much memory this process has needed at most."""

from __future__ import annotations

import sys


def peak_memory_mb() -> int | None:
    """The largest resident set of this process so far, in MiB; None on Windows, which does not tell it to Python."""
    if sys.platform == "win32":
        return None
    import resource

    # In bytes on macOS, in KiB elsewhere.
    unit = 1 if sys.platform == "darwin" else 2**10
    return round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 2**20)
