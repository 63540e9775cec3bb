"""Printing of errors, notes and paths of commands."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path

from evaluation.html_theme.printable import printable

_NOT_THERE = (FileNotFoundError, IsADirectoryError, NotADirectoryError)


def print_error(message: str, status: int) -> int:
    """Print one line on standard error, and return the exit status.

    Args:
        message: Message of one line.
        status: The exit status.
    """
    print_note(message)
    return status


def print_refusal(error: Exception) -> int:
    """Print one line for an error: a refusal (exit status 2) or an external failure (1).

    A ValueError is a refusal, and so is a missing path or one of the wrong type. Errors of the operating system are
    printed with their file and without their number.
    """
    status = 2 if isinstance(error, (ValueError, *_NOT_THERE)) else 1
    if isinstance(error, OSError) and error.strerror:
        return print_error(f"{error.filename}: {error.strerror}" if error.filename else error.strerror, status)
    return print_error(str(error), status)


def why_no_file(path: Path) -> str:
    """Return the reason why a file cannot be written at a path; empty if none is found."""
    if not path.absolute().parent.is_dir():
        return f"there is no folder {path.parent} to write {path.name} to; make it first"
    return f"{path} is a directory; give the name of a file" if path.is_dir() else ""


def why_idle(*options: tuple[str, bool, str]) -> str:
    """Return the reason why an option has no effect; empty if all have one.

    Args:
        options: Name of each option, whether it was given in vain, and why that is, as a clause.
    """
    idle = next(((name, reason) for name, in_vain, reason in options if in_vain), None)
    return f"{idle[0]} has no effect: {idle[1]}; leave it out" if idle is not None else ""


def print_what_is_left(status: str, finished: int, runs: int, reasons: Mapping[str, str]) -> int:
    """Print how many of several runs are finished, where not all are, and return the exit status.

    Args:
        status: How the runs ended together: ``"finished"``, ``"stopped"`` or ``"failed"``.
        finished: How many are finished.
        runs: How many there are.
        reasons: Why others are not, by the name of the run.
    """
    if status == "finished":
        return 0
    went = f"{finished} of {runs} runs are finished"
    if status == "failed" and reasons:
        name, reason = next(iter(reasons.items()))
        went += f"; the first that is not: {name}: {reason}"
    return print_error(f"{went}; the same command runs the others", 1)


def print_note(message: str) -> None:
    """Print one line on standard error."""
    print(f"irollan: {printable(' '.join(message.split()))}", file=sys.stderr)


def print_path(path: Path) -> None:
    """Print a path on standard output, without the characters of its name that act on a terminal."""
    print(printable(str(path)), flush=True)
