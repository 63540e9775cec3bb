"""Describe failed writes, such as on a full disk, in one line."""

from __future__ import annotations

import errno
from pathlib import Path

from language_models.disk_error import DiskError

_OF_A_DISK = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EROFS)


def describe_write_failure(error: BaseException, folder: Path) -> str:
    """Describe a failed write and the remedy; empty for an error of another cause.

    Args:
        error: What was raised, maybe because of such an error.
        folder: Where it was written to, for an error that names no file.
    """
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, DiskError):
            return str(cause)
        if type(cause) is OSError and cause.errno in _OF_A_DISK:
            return f"cannot write {cause.filename or folder}: {cause.strerror}; if the disk is full, make room first"
        cause = cause.__cause__
    return ""
