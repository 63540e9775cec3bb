"""How the command says what went wrong, and what should be known."""

from __future__ import annotations

import sys


def print_error(message: str, status: int) -> int:
    """Print one line on standard error, and give back the exit status."""
    print_note(message)
    return status


def print_note(message: str) -> None:
    """Print one line on standard error."""
    print(f"irollan: {' '.join(message.split())}", file=sys.stderr)
