"""Every model call of a run, in one SQLite file: what was asked, what came back, what it cost.

Identifiers do not hang on timing. Residents think at once, so the order in which their calls are made, after the first,
depends on how fast the answers come. Therefore each resident has a lane of its own, and a call's identifier is

    LANES * (how many calls this resident made before) + (the resident's lane)

which is the same in every run in which each resident asks the same things in the same order. With 10,000 lanes,
30002 is the fourth call of the resident in lane 2. Lanes are given out by `enlist`, or at a resident's first call, in
the order of those calls. Calls without a resident share the lane of the empty name.

A commit costs as much as all the rest of writing a call down, and writing calls down one by one more than many at a
time. Calls that end within a quarter of a second therefore share one: what was answered earlier than that survives
kill -9, and `commit` waits for nothing.
"""

from __future__ import annotations

import asyncio
import contextlib
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from threading import RLock
from types import TracebackType
from typing import Any, TypeVar

from language_models.disk_error import DiskError, is_full_or_locked
from language_models.protocol import Attempt, Caller
from language_models.transcript.calls import Call, ModuleUsage
from language_models.transcript.transcript_file import (
    COUNT_ATTEMPTS,
    CREATE_ATTEMPTS,
    CREATE_REWOUND,
    INSERT_ATTEMPT,
    INSERT_CALL,
    INSERT_PROMPT,
    INSERT_REWOUND,
    SELECT_ATTEMPTS,
    SELECT_CALLS,
    TranscriptError,
    attempt_of,
    attempt_rows_of,
    call_of,
    connect,
    row_of,
    sync_log,
    writing,
)

LANES = 10_000
GATHERING = 0.25
"""Seconds for which the calls of an event loop are gathered, to be committed together."""

FailureT = TypeVar("FailureT", TranscriptError, DiskError)


class Transcript:
    """The calls of one run, committed as they end, so that a killed run keeps all that were answered.

    Attributes:
        path: The file, or ":memory:" for one that vanishes when it is closed.
    """

    def __init__(self, path: str | Path, *, read_only: bool = False) -> None:
        """Open a transcript, or begin one where there is no file yet.

        Args:
            path: The file; ":memory:" for none.
            read_only: Do not begin or change anything.

        Raises:
            FileNotFoundError: if there is no such file to read, or no such folder to write it into.
            TranscriptError: if the file is something else, or of another version.
        """
        self.path = str(path)
        self._lock = RLock()
        self._gathered: list[Call] = []
        self._fresh: dict[tuple[str, str], ModuleUsage] = {}
        self._timer: tuple[asyncio.AbstractEventLoop, asyncio.TimerHandle] | None = None
        self._failure: TranscriptError | DiskError | None = None
        self._database = connect(self.path, read_only)
        try:
            self._lanes: dict[str, int] = dict(self._rows("SELECT resident, lane FROM lanes"))
            made = self._rows("SELECT resident, MAX(id) FROM calls GROUP BY resident")
        except TranscriptError:
            self._database.close()
            raise
        self._made: dict[str, int] = {
            **dict.fromkeys(self._lanes, 0),
            **{resident: last // LANES + 1 for resident, last in made},
        }

    def enlist(self, residents: Iterable[str]) -> None:
        """Give lanes to these residents, in this order; those who have one keep it.

        Call it before the first call where a resident's first call may have to wait for something.
        """
        with self._lock:
            for resident in residents:
                self._lane(resident)

    def lanes(self) -> list[str]:
        """Those who have a lane, in the order in which they got it."""
        with self._lock:
            return sorted(self._lanes, key=self._lanes.__getitem__)

    def next_id(self, caller: Caller) -> int:
        """The identifier of the call that this caller makes now; ask when the request is made, before any await."""
        resident = caller.resident
        with self._lock:
            lane = self._lanes[resident] if resident in self._lanes else self._lane(resident)
            made = self._made[resident]
            self._made[resident] = made + 1
            return LANES * made + lane

    def record(self, call: Call) -> None:
        """Write one call down. It is committed at once, or, within an event loop, a quarter of a second later at most.

        Raises:
            TranscriptError: if its identifier is taken; within an event loop, when it is committed.
            DiskError: if it cannot be committed, or an earlier one could not.
        """
        with self._lock:
            self._check_committed()
            self._gathered.append(call)
        self._commit_soon()

    def commit(self) -> None:
        """Commit now what was recorded.

        Raises:
            TranscriptError: if the identifier of a call is taken.
            DiskError: if that cannot be done, or could not be done earlier: a full disk, say.
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
        """Commit now, and wait until the disk has it: what is only committed survives kill -9, not a loss of power.

        Raises:
            TranscriptError: as `commit`.
            DiskError: as `commit`.
        """
        self.commit()
        sync_log(self.path)

    def take_usage(self) -> list[ModuleUsage]:
        """What each module has cost of each model since this was last asked, or since the file was opened; sorted."""
        with self._lock:
            self._insert()
            fresh, self._fresh = self._fresh, {}
        return [fresh[who] for who in sorted(fresh)]

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

    def troubled(self) -> Iterator[Call]:
        """Calls with requests that brought nothing of use (`Usage.attempts`), by time step and identifier."""
        if not self._has("attempts"):
            return iter(())
        return self._select("WHERE id IN (SELECT call FROM attempts) ORDER BY time, id")

    def models(self) -> list[str]:
        """Names of the models that were asked, sorted."""
        return [name for (name,) in self._rows("SELECT DISTINCT model FROM calls ORDER BY model")]

    def usage(self) -> ModuleUsage:
        """What all calls cost together."""
        return self._usage()[0]

    def usage_by_module(self) -> list[ModuleUsage]:
        """What each module cost, sorted by name."""
        return self._usage("module")

    def usage_by_model(self) -> list[ModuleUsage]:
        """What each module cost of each model, sorted by module and model."""
        return self._usage("module", "model")

    def tokens_by_step(self) -> list[tuple[int, str, int, int, int]]:
        """For each time step and model: time, name, tokens of prompts, those of them cached, tokens generated."""
        sums = "SUM(prompt_tokens), SUM(cached_tokens), SUM(generated_tokens)"
        return self._rows(f"SELECT time, model, {sums} FROM calls GROUP BY time, model ORDER BY time, model")

    def uncounted_models(self) -> list[str]:
        """Names of the models that gave an answer for which no token of a prompt was counted, sorted."""
        query = "SELECT DISTINCT model FROM calls WHERE outcome = 'ok' AND prompt_tokens = 0 ORDER BY model"
        return [name for (name,) in self._rows(query)]

    def rewound(self) -> list[ModuleUsage]:
        """What the calls that `rewind` took back had cost, by module and model, sorted; no other sum has it."""
        if not self._has("rewound"):
            return []
        return self._usage("module", "model", table="rewound")

    def _usage(self, *by: str, table: str = "calls") -> list[ModuleUsage]:
        names = ("prompt_tokens", "cached_tokens", "generated_tokens", "seconds", "waiting", "retries")
        # Of what was taken back, the cost alone is known.
        known = table == "calls" and self._has("attempts")
        kinds_of_attempts = [COUNT_ATTEMPTS.format(kind=kind) if known else "0" for kind in ("unusable", "network")]
        summed = (*names, *kinds_of_attempts, "outcome = 'failed'", "outcome = 'refused'")
        columns = ", ".join((*by, "COUNT(*)", *(f"COALESCE(SUM({what}), 0)" for what in summed)))
        groups = ", ".join(by)
        rows = self._rows(f"SELECT {columns} FROM {table}" + (f" GROUP BY {groups} ORDER BY {groups}" if by else ""))
        kinds = (*by, "calls", *names, "unusable", "network_failures", "failures", "refusals")
        return [ModuleUsage(**dict(zip(kinds, row, strict=True))) for row in rows]

    def position(self) -> dict[str, int]:
        """How many calls each resident has made: what a checkpoint keeps, for `rewind`."""
        with self._lock:
            return dict(self._made)

    def rewind(self, position: Mapping[str, int]) -> int:
        """Forget all calls made after a position, so that going on from a checkpoint leaves no call twice.

        What they cost is kept, for `rewound`.

        Args:
            position: What `position` returned; residents it does not name had made no call.

        Returns:
            How many calls were forgotten.

        Raises:
            TranscriptError: if the position lies ahead of this transcript, which then belongs to another run.
        """
        self.check_position(position)
        self.commit()
        with self._lock, writing(self.path), self._database:
            self._database.execute(CREATE_REWOUND)
            forgotten = 0
            for resident in self._made:
                kept = position.get(resident, 0)
                later = "WHERE resident = ? AND id >= ?", (resident, LANES * kept)
                self._database.execute(f"{INSERT_REWOUND} {later[0]}", later[1])
                forgotten += self._database.execute(f"DELETE FROM calls {later[0]}", later[1]).rowcount
                self._made[resident] = kept
            self._database.execute("DELETE FROM prompts WHERE hash NOT IN (SELECT prompt FROM calls)")
            if self._has("attempts"):
                self._database.execute("DELETE FROM attempts WHERE call NOT IN (SELECT id FROM calls)")
            return forgotten

    def check_position(self, position: Mapping[str, int]) -> None:
        """Check that all calls before a position are here.

        Raises:
            TranscriptError: if the position lies ahead of this transcript.
        """
        for resident, made in position.items():
            if made > self._made.get(resident, 0):
                raise TranscriptError(
                    f"{self.path}: cannot rewind to {made} calls of {resident!r}, who made "
                    f"{self._made.get(resident, 0)} here; take the checkpoint and the transcript from one run"
                )

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
        """Close the file, with everything recorded in it."""
        try:
            if self._failure is None:
                self.commit()
        finally:
            self._database.close()

    def __len__(self) -> int:
        return int(self._rows("SELECT COUNT(*) FROM calls")[0][0])

    def __enter__(self) -> Transcript:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _lane(self, resident: str) -> int:
        if resident not in self._lanes:
            lane = max(self._lanes.values(), default=-1) + 1
            if lane >= LANES:
                raise TranscriptError(f"{self.path}: {resident!r} is one resident too many; at most {LANES} fit")
            with writing(self.path), self._database:
                self._database.execute("INSERT INTO lanes VALUES (?, ?)", (lane, resident))
            self._lanes[resident] = lane
            self._made[resident] = 0
        return self._lanes[resident]

    def _commit_soon(self) -> None:
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            self.commit()
            return
        # The timer of a loop that has ended will not come.
        if self._timer is None or self._timer[0] is not loop:
            self._timer = loop, loop.call_later(GATHERING, self._commit_in_time)

    def _commit_in_time(self) -> None:
        # Nobody would see it raised here: whoever records or commits next does.
        with contextlib.suppress(DiskError, TranscriptError):
            self.commit()

    def _insert(self) -> None:
        """Insert what was gathered, without a commit. The lock is held."""
        if not self._gathered:
            return
        calls, self._gathered = self._gathered, []
        rows = [row_of(call) for call in calls]
        attempts = [row for call in calls if call.usage.attempts for row in attempt_rows_of(call)]
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
        asked = [(call.caller.module, call.request.model) for call in calls]
        for who in dict.fromkeys(asked):
            before = self._fresh.get(who, ModuleUsage(module=who[0], model=who[1]))
            self._fresh[who] = before.plus([call for call, one in zip(calls, asked, strict=True) if one == who])

    def _failed(self, error: FailureT) -> FailureT:
        """Calls are lost, so that nothing may be added to those before."""
        self._failure = error
        self._database.rollback()
        return error

    def _check_committed(self) -> None:
        if self._failure is not None:
            raise self._failure

    def _rows(self, query: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        with self._lock:
            self._insert()
            try:
                return self._database.execute(query, values).fetchall()
            except sqlite3.DatabaseError as error:
                if is_full_or_locked(error):
                    raise DiskError("use", self.path, error) from error
                raise TranscriptError(f"{self.path} is damaged: {error}") from error

    def _select(self, where: str, values: Sequence[Any] = ()) -> Iterator[Call]:
        attempts: dict[int, tuple[Attempt, ...]] = {}
        if self._has("attempts"):
            for call, *attempt in self._rows(SELECT_ATTEMPTS.format(where=where), values):
                attempts[call] = (*attempts.get(call, ()), attempt_of(attempt))
        rows = self._rows(f"{SELECT_CALLS} {where}", values)
        return (call_of(row, attempts.get(row[0], ())) for row in rows)

    def _has(self, table: str) -> bool:
        return bool(self._rows("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?", (table,)))
