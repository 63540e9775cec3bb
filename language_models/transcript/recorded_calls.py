"""Reading the calls of a transcript."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path
from threading import RLock
from typing import Any, Self

from language_models.disk_error import DiskError, is_full_or_locked
from language_models.protocol import Attempt
from language_models.transcript.call_costs import CallCosts
from language_models.transcript.calls import Call
from language_models.transcript.transcript_file import (
    SELECT_ATTEMPTS,
    SELECT_CALLS,
    TranscriptError,
    attempt_of,
    call_of,
    connect,
)


class RecordedCalls:
    """Read access to a transcript; ``Transcript`` also writes.

    Attributes:
        path: The file, or ":memory:" for one that vanishes when it is closed.
        costs: What the calls cost.
    """

    def __init__(self, path: str | Path, *, read_only: bool = True) -> None:
        """Open a transcript.

        Args:
            path: The file; ":memory:" for none.
            read_only: Do not begin or change anything.

        Raises:
            FileNotFoundError: if there is no such file to read, or no such folder to write it into.
            TranscriptError: if the file is something else, or of another version.
        """
        self.path = str(path)
        self.costs = CallCosts(self._rows, self._has_table)
        self._lock = RLock()
        self._database = connect(self.path, read_only)

    def get(self, call: int) -> Call:
        """The call of this identifier.

        Raises:
            TranscriptError: if there is none.
        """
        for found in self._select("WHERE id = ?", (call,)):
            return found
        raise TranscriptError(f"{self.path}: no call {call} among the {len(self)} recorded")

    def lookup(self, key: str) -> list[Call]:
        """All calls that asked exactly this (`Request.key`), in the order of their identifiers."""
        return list(self._select("WHERE key = ? ORDER BY id", (key,)))

    def calls(
        self, *, module: str | None = None, resident: str | None = None, time: int | None = None
    ) -> Iterator[Call]:
        """Calls in the order of their identifiers, all or those of one module, resident or time step."""
        wanted = {"module": module, "resident": resident, "time": time}
        wanted = {column: value for column, value in wanted.items() if value is not None}
        where = "WHERE " + " AND ".join(f"{column} = ?" for column in wanted) if wanted else ""
        return self._select(f"{where} ORDER BY id", tuple(wanted.values()))

    def with_failed_attempts(self) -> Iterator[Call]:
        """Calls with failed attempts (`Usage.attempts`), by time step and identifier."""
        if not self._has_table("attempts"):
            return iter(())
        return self._select("WHERE id IN (SELECT call FROM attempts) ORDER BY time, id")

    def models(self) -> list[str]:
        """Names of the models that were asked, sorted."""
        return [name for (name,) in self._rows("SELECT DISTINCT model FROM calls ORDER BY model")]

    def check_integrity(self) -> None:
        """Read all of the file.

        Raises:
            TranscriptError: if a part of it is damaged.
        """
        if (found := self._rows("PRAGMA integrity_check")) != [("ok",)]:
            raise TranscriptError(f"{self.path} is damaged: {found[0][0]}")
        for _ in self.calls():
            pass

    def close(self) -> None:
        """Close the file."""
        self._database.close()

    def __len__(self) -> int:
        return int(self._rows("SELECT COUNT(*) FROM calls")[0][0])

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _rows(self, query: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """The rows of a query.

        Raises:
            TranscriptError: if the file is damaged.
            DiskError: if it cannot be read.
        """
        with self._lock:
            try:
                return self._database.execute(query, values).fetchall()
            except sqlite3.DatabaseError as error:
                if is_full_or_locked(error):
                    raise DiskError("use", self.path, error) from error
                raise TranscriptError(f"{self.path} is damaged: {error}") from error

    def _select(self, where: str, values: Sequence[Any] = ()) -> Iterator[Call]:
        attempts: dict[int, tuple[Attempt, ...]] = {}
        if self._has_table("attempts"):
            for call, *attempt in self._rows(SELECT_ATTEMPTS.format(where=where), values):
                attempts[call] = (*attempts.get(call, ()), attempt_of(attempt))
        rows = self._rows(f"{SELECT_CALLS} {where}", values)
        return (call_of(row, attempts.get(row[0], ())) for row in rows)

    def _has_table(self, table: str) -> bool:
        return bool(self._rows("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?", (table,)))
