"""File of vectors by model and text, which several processes may share."""

from __future__ import annotations

import hashlib
import os
import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path
from threading import Lock

import numpy as np

from language_models.disk_error import DiskError, is_full_or_locked
from language_models.protocol import FloatArray
from language_models.sqlite_files import open_to_read

APPLICATION = 0x49524F45
VERSION = 1
VARIABLE = "IROLLAN_CACHE"
_CHUNK = 500  # SQLite takes a limited number of values in one statement.


class EmbeddingCacheError(ValueError):
    """A file that is not an embedding cache, or a damaged one."""


class EmbeddingCache:
    """One SQLite file of vectors, which several processes may share.

    Attributes:
        path: The file.
    """

    def __init__(self, path: str | Path, *, read_only: bool = False) -> None:
        """Open a cache, or create one; its folder must exist.

        Args:
            path: The file.
            read_only: Neither create nor change the file; ``keep`` does nothing then.

        Raises:
            EmbeddingCacheError: if the file is something else, or damaged.
            DiskError: if it cannot be opened.
        """
        self.path = Path(path)
        self._lock = Lock()
        self._read_only = read_only
        try:
            if read_only:
                self._database = open_to_read(self.path)
            else:
                self._database = sqlite3.connect(self.path, check_same_thread=False, timeout=30)
        except sqlite3.OperationalError as error:
            raise DiskError("open", self.path, error) from error
        try:
            self._begin()
        except sqlite3.OperationalError as error:
            self._database.close()
            raise DiskError("use", self.path, error) from error
        except sqlite3.DatabaseError as error:
            self._database.close()
            raise self._damaged(error) from error
        except EmbeddingCacheError:
            self._database.close()
            raise

    def find(self, model: str, texts: Sequence[str]) -> dict[str, FloatArray]:
        """Return the vectors of the texts that are in the file, each of shape (dimension,), float32.

        Args:
            model: Cache key of the model.
            texts: Any number of texts.

        Raises:
            EmbeddingCacheError: if the file is damaged.
            DiskError: if it cannot be read.
        """
        found: dict[str, FloatArray] = {}
        by_hash = {_sha256(text): text for text in texts}
        hashes = list(by_hash)
        for start in range(0, len(hashes), _CHUNK):
            chunk = hashes[start : start + _CHUNK]
            marks = ", ".join("?" * len(chunk))
            query = f"SELECT text, vector FROM embeddings WHERE model = ? AND text IN ({marks})"
            try:
                with self._lock:
                    rows = self._database.execute(query, (model, *chunk)).fetchall()
            except sqlite3.DatabaseError as error:
                if is_full_or_locked(error):
                    raise DiskError("use", self.path, error) from error
                raise self._damaged(error) from error
            found.update((by_hash[digest], np.frombuffer(vector, dtype="<f4")) for digest, vector in rows)
        return found

    def keep(self, model: str, vectors: Mapping[str, FloatArray]) -> None:
        """Add vectors; existing ones stay unchanged.

        Args:
            model: Cache key of the model.
            vectors: By text, each of shape (dimension,), float32.

        Raises:
            DiskError: if the file cannot be written.
        """
        if self._read_only:
            return
        rows = [(model, _sha256(text), vector.astype("<f4").tobytes()) for text, vector in vectors.items()]
        try:
            with self._lock, self._database:
                self._database.executemany("INSERT OR IGNORE INTO embeddings VALUES (?, ?, ?)", rows)
        except sqlite3.OperationalError as error:
            raise DiskError("write", self.path, error) from error

    def dimension(self, model: str) -> int | None:
        """Return the length of this model's vectors; None if the file has none of them."""
        with self._lock:
            row = self._database.execute(
                "SELECT length(vector) FROM embeddings WHERE model = ? LIMIT 1", (model,)
            ).fetchone()
        return None if row is None else int(row[0]) // 4

    def close(self) -> None:
        """Close the file; all stored vectors are already in it."""
        self._database.close()

    def __enter__(self) -> EmbeddingCache:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _begin(self) -> None:
        database = self._database
        with closing(database.execute("SELECT * FROM pragma_application_id, pragma_user_version")) as cursor:
            application, version = cursor.fetchone()
        if application == 0 and not self._read_only and not database.execute("SELECT 1 FROM sqlite_master").fetchone():
            database.execute("PRAGMA journal_mode = WAL")
            # Two processes may create the file at the same moment: the second one finds the table there.
            database.executescript(
                "BEGIN IMMEDIATE; CREATE TABLE IF NOT EXISTS embeddings (model TEXT NOT NULL, text BLOB NOT NULL, "
                "vector BLOB NOT NULL, PRIMARY KEY (model, text)) WITHOUT ROWID; "
                f"PRAGMA application_id = {APPLICATION}; PRAGMA user_version = {VERSION}; COMMIT;"
            )
        elif (application, version) != (APPLICATION, VERSION):
            raise EmbeddingCacheError(f"{self.path} is no cache of embeddings of version {VERSION}; give another file")
        database.execute("PRAGMA synchronous = NORMAL")

    def _damaged(self, error: sqlite3.DatabaseError) -> EmbeddingCacheError:
        return EmbeddingCacheError(f"{self.path} is damaged: {error}; remove it, and embeddings are computed again")


def shared_cache_path() -> Path:
    """Return the path of the cache that all runs share.

    In the folder that the environment variable IROLLAN_CACHE names; else in the user's own cache folder.
    """
    if folder := os.environ.get(VARIABLE):
        return Path(folder) / "embeddings.sqlite"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "irollan" / "embeddings.sqlite"


def _sha256(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
