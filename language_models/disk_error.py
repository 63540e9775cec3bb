"""Errors of intact SQLite files: a full disk, or a lock held by another process."""

from __future__ import annotations

import sqlite3
from pathlib import Path

DISK = (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN)
HELD = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


class DiskError(OSError):
    """SQLite could not use a file; the file need not be damaged."""

    def __init__(self, doing: str, path: str | Path, error: sqlite3.Error) -> None:
        """Compose the message: what failed, why, and how to fix it.

        Args:
            doing: The operation that failed, such as "write".
            path: The file.
            error: The error from SQLite.
        """
        remedy = ""
        if _code(error) in DISK:
            remedy = "; if the disk is full, make room first"
        elif _code(error) in HELD:
            remedy = "; another process holds the file, let that end first"
        super().__init__(f"cannot {doing} {path}: {error}{remedy}")


def is_full_or_locked(error: sqlite3.Error) -> bool:
    """Return whether the disk failed (it may be full) or another process holds the file."""
    return _code(error) in (*DISK, *HELD)


def _code(error: sqlite3.Error) -> int:
    """Return SQLite's primary error code; 0 for errors of Python's own module."""
    return int(getattr(error, "sqlite_errorcode", 0)) & 0xFF
