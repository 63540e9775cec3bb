"""Check and lock output directories, which one process at a time writes to."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from filelock import FileLock, Timeout

from evaluation.records.files import check_no_link

LOCK_NAME = ".lock"
"""The file that is locked. It is empty, and stays: removing it would let two processes lock two files of one name."""


class DirectoryError(ValueError):
    """Raised for a directory that is no run, must not be overwritten, or is in use by another process."""


class BusyError(DirectoryError):
    """Raised for a directory that another process writes to."""


def check_place(path: Path) -> None:
    """Check that a directory can be written to or made; leaves nothing behind.

    Raises:
        DirectoryError: if not.
    """
    there = next(one for one in (path, *path.absolute().parents) if one.exists() or one.is_symlink())
    if there.is_dir() and not os.access(there, os.W_OK | os.X_OK):
        raise DirectoryError(f"{path} cannot be written: {there} is not yours to write to; give another --out")
    if there != path and not there.is_dir():
        raise DirectoryError(f"{path} cannot be made: {there} is no directory; give another --out")
    if there == path and not path.is_dir():
        raise DirectoryError(f"{path} exists and is no directory; give another --out")
    if there != path:
        # Some folders, such as /proc, take none although they seem to.
        try:
            os.rmdir(tempfile.mkdtemp(prefix=".", dir=there))
        except OSError as error:
            reason = f"{there} takes no folder ({error.strerror})"
            raise DirectoryError(f"{path} cannot be made: {reason}; give another --out") from error


class DirectoryLock:
    """Lock a directory until ``release`` or the end of the process, however it ends.

    A process that this one forks does not hold it.
    """

    def __init__(self, path: Path) -> None:
        """Lock a directory.

        Args:
            path: The directory, which exists.

        Raises:
            BusyError: if it is locked already, by another process or by this one.
            ValueError: if its lock file is a link, or the directory cannot be written to.
            OSError: if no file can be made in it.
        """
        check_no_link(path / LOCK_NAME)
        # Whoever closes a run may be another thread than the one that opened it.
        self._lock = FileLock(path / LOCK_NAME, thread_local=False)
        try:
            self._lock.acquire(timeout=0)
        except Timeout:
            raise BusyError(f"another process is writing to {path}; wait until it ends") from None
        except PermissionError as error:
            raise DirectoryError(f"{path} is not yours to write to; copy it to a place that is") from error

    def release(self) -> None:
        """Unlock the directory."""
        self._lock.release()
