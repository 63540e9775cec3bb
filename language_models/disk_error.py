"""A database file that the disk, or another process, keeps from being used."""

from __future__ import annotations

import sqlite3
from pathlib import Path

DISK = (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN)
HELD = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


class DiskError(OSError):
    """A file that SQLite could not use, and which is not known to be damaged."""

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
    """Whether it is the disk that failed, being full, say, or another process that holds the file; not damage."""
    return _code(error) in (*DISK, *HELD)


def _code(error: sqlite3.Error) -> int:
    """The primary code of SQLite; 0 for what Python's own module says."""
    return int(getattr(error, "sqlite_errorcode", 0)) & 0xFF
