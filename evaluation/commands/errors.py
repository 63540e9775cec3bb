"""How the command says what went wrong, and what should be known."""

from __future__ import annotations

import sys


def print_error(message: str, status: int) -> int:
    """Print one line on standard error, and give back the exit status."""
    print_note(message)
    return status


def print_refusal(error: Exception) -> int:
    """Print one line about what was refused (a ValueError, exit status 2) or failed outside (1).

    An error of the system is told with the file that it is about, and without its number.
    """
    if isinstance(error, OSError) and error.strerror:
        return print_error(f"{error.filename}: {error.strerror}" if error.filename else error.strerror, 1)
    return print_error(str(error), 2 if isinstance(error, ValueError) else 1)


def print_note(message: str) -> None:
    """Print one line on standard error."""
    print(f"irollan: {' '.join(message.split())}", file=sys.stderr)
