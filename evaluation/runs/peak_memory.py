"""How much memory this process has needed at most."""

from __future__ import annotations

import sys


def peak_memory_mb() -> int:
    """The largest resident set of this process so far, in MiB."""
    if sys.platform == "win32":
        import psutil

        return round(psutil.Process().memory_info().peak_wset / 2**20)
    import resource

    # In bytes on macOS, in KiB elsewhere.
    unit = 1 if sys.platform == "darwin" else 2**10
    return round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 2**20)
