"""Errors of SQLite files that are not damaged: a full disk, or another process that holds the file."""

from __future__ import annotations

import sqlite3
from pathlib import Path

DISK = (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN)
HELD = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


class DiskError(OSError):
    """SQLite could not use a file, which need not be damaged."""

    def __init__(self, doing: str, path: str | Path, error: sqlite3.Error) -> None:
        """Say what could not be done, why, and what helps.

        Args:
            doing: Such as "write".
            path: The file.
            error: What SQLite says.
        """
        remedy = ""
        if _code(error) in DISK:
            remedy = "; if the disk is full, make room first"
        elif _code(error) in HELD:
            remedy = "; another process holds the file, let that end first"
        super().__init__(f"cannot {doing} {path}: {error}{remedy}")


def is_full_or_locked(error: sqlite3.Error) -> bool:
    """Whether the disk failed (it may be full) or another process holds the file."""
    return _code(error) in (*DISK, *HELD)


def _code(error: sqlite3.Error) -> int:
    """The primary code of SQLite; 0 for what Python's own module says."""
    return int(getattr(error, "sqlite_errorcode", 0)) & 0xFF
