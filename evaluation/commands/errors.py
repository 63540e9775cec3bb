"""How the command says what went wrong."""

from __future__ import annotations

import sys


def complain(message: str, status: int) -> int:
    """Print one line on standard error, and give back the exit status."""
    print(f"irollan: {' '.join(message.split())}", file=sys.stderr)
    return status
