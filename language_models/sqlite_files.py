"""Open SQLite files to read them, so that nothing is written: neither to the file nor beside it."""

from __future__ import annotations

import shutil
import sqlite3
import tempfile
from pathlib import Path


def open_to_read(path: Path) -> sqlite3.Connection:
    """Open an SQLite file without writing anything, also in a folder that cannot be written to.

    A file whose writer is still at work, or was killed, has a log beside it. SQLite cannot read that log without
    writing in the folder; where it may not, and behind a link, which may lead anywhere, copies of both are read.

    Args:
        path: The file, which exists.

    Raises:
        sqlite3.OperationalError: if it cannot be opened.
    """
    file = path.resolve()
    log = file.with_name(f"{file.name}-wal")
    if not log.exists():
        return _connect(f"{file.as_uri()}?mode=ro&immutable=1")
    if path.is_symlink():
        return _copied(file, log)
    try:
        database = _connect(f"{file.as_uri()}?mode=ro")
    except sqlite3.OperationalError:
        return _copied(file, log)
    try:
        database.execute("SELECT 1 FROM sqlite_master").fetchone()
    except sqlite3.OperationalError:
        database.close()
        return _copied(file, log)
    except sqlite3.DatabaseError:
        pass  # Damaged, which whoever reads it is to find.
    return database


def _copied(file: Path, log: Path) -> sqlite3.Connection:
    """Read copies of a file and its log into memory."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / file.name
        shutil.copyfile(file, copy)
        shutil.copyfile(log, copy.with_name(log.name))
        source, database = sqlite3.connect(copy), _connect("file::memory:")
        try:
            source.backup(database)
        except sqlite3.Error:
            database.close()
            raise
        finally:
            source.close()
    return database


def _connect(address: str) -> sqlite3.Connection:
    return sqlite3.connect(address, uri=True, check_same_thread=False, timeout=30)
