"""SQLite transcript of every model call of a run: request, response and cost.

A commit costs as much as all the rest of recording a call, and recording calls one by one costs more than many at a
time. Calls that end within a quarter of a second therefore share one commit: calls answered earlier survive
kill -9, and `commit` waits for nothing.
"""

from __future__ import annotations

import asyncio
import contextlib
import sqlite3
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from language_models.disk_error import DiskError
from language_models.transcript.call_ids import LANES, CallIds
from language_models.transcript.calls import Call, ModuleUsage
from language_models.transcript.recorded_calls import RecordedCalls
from language_models.transcript.transcript_file import (
    CREATE_ATTEMPTS,
    CREATE_REWOUND,
    INSERT_ATTEMPT,
    INSERT_CALL,
    INSERT_PROMPT,
    INSERT_REWOUND,
    TranscriptError,
    attempt_rows_of,
    digest_of,
    row_of,
    sum_of,
    sync_log,
    writing,
)

GATHERING = 0.25
"""Seconds for which calls within an event loop are collected into one commit."""

FailureT = TypeVar("FailureT", TranscriptError, DiskError)


class Transcript(RecordedCalls):
    """The calls of one run, committed as they end, so that a killed run keeps all answered calls.

    Attributes:
        path: The file, or ":memory:" for one in memory.
        costs: Cost of the calls.
        ids: Assigns identifiers to calls.
    """

    def __init__(self, path: str | Path, *, read_only: bool = False) -> None:
        """Open a transcript, or create the file if there is none.

        Args:
            path: The file, or ":memory:" for one in memory.
            read_only: Do not create or change the file.

        Raises:
            FileNotFoundError: if there is no such file to read, or no such folder to write it into.
            TranscriptError: if the file is no transcript, or of another version.
        """
        self._gathered: list[Call] = []
        self._fresh: dict[tuple[str, str], ModuleUsage] = {}
        self._timer: tuple[asyncio.AbstractEventLoop, asyncio.TimerHandle] | None = None
        self._failure: TranscriptError | DiskError | None = None
        self._digest: int | None = None
        self._read_only = read_only
        super().__init__(path, read_only=read_only)
        try:
            lanes = dict(self._rows("SELECT resident, lane FROM lanes"))
            last = dict(self._rows("SELECT resident, MAX(id) FROM calls GROUP BY resident"))
        except TranscriptError:
            self._database.close()
            raise
        self.ids = CallIds(self.path, lanes, last, self._keep_lane, self._lock)

    def record(self, call: Call) -> None:
        """Record one call. It is committed at once, or, within an event loop, at most a quarter of a second later.

        Raises:
            TranscriptError: if its identifier is taken; within an event loop, when it is committed.
            DiskError: if it cannot be committed, or an earlier one could not.
        """
        with self._lock:
            self._check_committed()
            self._gathered.append(call)
        self._commit_soon()

    def commit(self) -> None:
        """Commit the recorded calls now.

        Raises:
            TranscriptError: if the identifier of a call is taken.
            DiskError: if they cannot be committed, or earlier ones could not: a full disk, say.
        """
        with self._lock:
            self._check_committed()
            self._insert()
            if self._timer is not None:
                self._timer[1].cancel()
                self._timer = None
            try:
                self._database.commit()
            except sqlite3.Error as error:
                raise self._failed(DiskError("write", self.path, error)) from error

    def sync(self) -> None:
        """Commit now, and wait for the disk: without this, committed calls survive kill -9, but not a loss of power.

        Raises:
            TranscriptError: as `commit`.
            DiskError: as `commit`.
        """
        self.commit()
        sync_log(self.path)

    def take_usage(self) -> list[ModuleUsage]:
        """Return the cost by module and model since the last call of this method, or since opening; sorted."""
        with self._lock:
            self._insert()
            fresh, self._fresh = self._fresh, {}
        return [fresh[who] for who in sorted(fresh)]

    def digest(self) -> str:
        """Return the sum of the digests of all calls (`digest_of`), in hexadecimal.

        Raises:
            TranscriptError: if the file is damaged.
        """
        with self._lock:
            self._insert()
            if self._digest is None:
                self._digest = sum_of(digest for _, digest in self.digests())
            return f"{self._digest:064x}"

    def rewind(self, position: Mapping[str, int]) -> int:
        """Remove all calls made after a position, so that a resumed run records no call twice.

        Their cost is kept, for `CallCosts.rewound`.

        Args:
            position: What `CallIds.position` returned; residents it does not name had made no call.

        Returns:
            How many calls were removed.

        Raises:
            TranscriptError: if the position lies ahead of this transcript, which then belongs to another run.
        """
        self.ids.check_position(position)
        self.commit()
        with self._lock, writing(self.path), self._database:
            self._database.execute(CREATE_REWOUND)
            forgotten = 0
            for resident in self.ids.residents():
                later = "WHERE resident = ? AND id >= ?", (resident, LANES * position.get(resident, 0))
                self._database.execute(f"{INSERT_REWOUND} {later[0]}", later[1])
                forgotten += self._database.execute(f"DELETE FROM calls {later[0]}", later[1]).rowcount
            self._database.execute("DELETE FROM prompts WHERE hash NOT IN (SELECT prompt FROM calls)")
            if self._has_table("attempts"):
                self._database.execute("DELETE FROM attempts WHERE call NOT IN (SELECT id FROM calls)")
        self.ids.rewind(position)
        self._digest = None
        return forgotten

    def close(self) -> None:
        """Close the file, with everything recorded in it."""
        try:
            if self._failure is None:
                self.commit()
            # SQLite moves its log into the file itself only where nobody reads it at that moment, and after the run has
            # noted the sha256 of the file otherwise.
            if not self._read_only:
                with contextlib.suppress(sqlite3.Error):
                    self._database.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        finally:
            super().close()

    def _keep_lane(self, lane: int, resident: str) -> None:
        with writing(self.path), self._database:
            self._database.execute("INSERT INTO lanes VALUES (?, ?)", (lane, resident))

    def _commit_soon(self) -> None:
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            self.commit()
            return
        # The timer of a closed event loop never fires.
        if self._timer is None or self._timer[0] is not loop:
            self._timer = loop, loop.call_later(GATHERING, self._commit_in_time)

    def _commit_in_time(self) -> None:
        # An error here would reach no caller: the next record or commit raises it.
        with contextlib.suppress(DiskError, TranscriptError):
            self.commit()

    def _insert(self) -> None:
        """Insert the pending calls, without a commit; the caller holds the lock."""
        if not self._gathered:
            return
        calls, self._gathered = self._gathered, []
        rows = [row_of(call) for call in calls]
        tried = [attempt_rows_of(call) for call in calls]
        attempts = [row for one in tried for row in one]
        try:
            self._database.executemany(INSERT_CALL, rows)
            self._database.executemany(
                INSERT_PROMPT, [(row[7], call.request.prompt) for row, call in zip(rows, calls, strict=True)]
            )
            if attempts:
                self._database.execute(CREATE_ATTEMPTS)
                self._database.executemany(INSERT_ATTEMPT, attempts)
        except sqlite3.IntegrityError as error:
            numbers = [call.usage.call for call in calls]
            raise self._failed(TranscriptError(f"{self.path}: cannot record calls {numbers}: {error}")) from error
        except sqlite3.Error as error:
            raise self._failed(DiskError("write", self.path, error)) from error
        if self._digest is not None:
            self._digest = sum_of([self._digest, *map(digest_of, rows, tried)])
        asked = [(call.caller.module, call.request.model) for call in calls]
        for who in dict.fromkeys(asked):
            before = self._fresh.get(who, ModuleUsage(module=who[0], model=who[1]))
            self._fresh[who] = before.plus([call for call, one in zip(calls, asked, strict=True) if one == who])

    def _failed(self, error: FailureT) -> FailureT:
        """Roll back, block all later writes (calls have been lost), and return the error."""
        self._failure = error
        self._database.rollback()
        return error

    def _check_committed(self) -> None:
        if self._failure is not None:
            raise self._failure

    def _rows(self, query: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """Run a query that also finds pending calls, and return its rows."""
        with self._lock:
            self._insert()
            return super()._rows(query, values)
