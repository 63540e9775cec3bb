"""Read access to the calls of a transcript and to their cost."""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from threading import RLock
from typing import Any, Self

from language_models.disk_error import DiskError, is_full_or_locked
from language_models.protocol import Attempt
from language_models.transcript.call_ids import LANES
from language_models.transcript.calls import Call, ModuleUsage, sha256
from language_models.transcript.transcript_file import (
    COUNT_ATTEMPTS,
    SELECT_ATTEMPTS,
    SELECT_CALLS,
    TranscriptError,
    attempt_of,
    call_of,
    connect,
    digest_of,
)


class RecordedCalls:
    """Read access to a transcript; ``Transcript`` also writes.

    Attributes:
        path: The file, or ":memory:" for one in memory.
        costs: Cost of the calls.
    """

    def __init__(self, path: str | Path, *, read_only: bool = True) -> None:
        """Open a transcript.

        Args:
            path: The file, or ":memory:" for one in memory.
            read_only: Do not create or change the file.

        Raises:
            FileNotFoundError: if there is no such file to read, or no such folder to write it into.
            TranscriptError: if the file is no transcript, or of another version.
        """
        self.path = str(path)
        self.costs = CallCosts(self._rows, self._has_table)
        self._lock = RLock()
        self._database = connect(self.path, read_only)

    def get(self, call: int) -> Call:
        """Return the call with this identifier.

        Raises:
            TranscriptError: if there is none.
        """
        for found in self._select("WHERE id = ?", (call,)):
            return found
        raise TranscriptError(f"{self.path}: no call {call} among the {len(self)} recorded")

    def lookup(self, key: str) -> list[Call]:
        """Return all calls with exactly this request (`Request.key`), in the order of their identifiers."""
        return list(self._select("WHERE key = ? ORDER BY id", (key,)))

    def calls(
        self,
        *,
        module: str | None = None,
        resident: str | None = None,
        time: int | None = None,
        until: int | None = None,
    ) -> Iterator[Call]:
        """Return calls in the order of their identifiers.

        Args:
            module: Only those of this module; None for all.
            resident: Only those of this resident; None for all.
            time: Only those of this time step; None for all.
            until: Only those before this time step; None for all.
        """
        wanted = {"module = ?": module, "resident = ?": resident, "time = ?": time, "time < ?": until}
        wanted = {condition: value for condition, value in wanted.items() if value is not None}
        where = "WHERE " + " AND ".join(wanted) if wanted else ""
        return self._select(f"{where} ORDER BY id", tuple(wanted.values()))

    def with_failed_attempts(self) -> Iterator[Call]:
        """Return calls with failed attempts (`Usage.attempts`), by time step and identifier."""
        if not self._has_table("attempts"):
            return iter(())
        return self._select("WHERE id IN (SELECT call FROM attempts) ORDER BY time, id")

    def models(self) -> list[str]:
        """Return the names of the models called, sorted."""
        return [name for (name,) in self._rows("SELECT DISTINCT model FROM calls ORDER BY model")]

    def check_integrity(self) -> None:
        """Read the whole file, to check that it is intact.

        Raises:
            TranscriptError: if a part of it is damaged.
        """
        if (found := self._rows("PRAGMA integrity_check")) != [("ok",)]:
            raise TranscriptError(f"{self.path} is damaged: {found[0][0]}")
        for _ in self.calls():
            pass

    def digests(self) -> Iterator[tuple[int, int]]:
        """Return the identifier and the digest of each call (`digest_of`), by identifier; checks prompts and lanes.

        Raises:
            TranscriptError: if a part of the file is damaged.
        """
        attempts: defaultdict[int, list[tuple[Any, ...]]] = defaultdict(list)
        if self._has_table("attempts"):
            for row in self._rows("SELECT * FROM attempts ORDER BY call, number"):
                attempts[row[0]].append(row)
        try:
            prompts = {known for known, text in self._rows("SELECT hash, text FROM prompts") if sha256(text) == known}
            lanes = dict(self._rows("SELECT lane, resident FROM lanes"))
            for row in self._rows("SELECT * FROM calls ORDER BY id"):
                if row[7] not in prompts:
                    raise TranscriptError(f"{self.path} is damaged: the prompt of call {row[0]} is not as it was")
                if lanes.get(row[0] % LANES) != row[3]:
                    raise TranscriptError(f"{self.path} is damaged: call {row[0]} is in the lane of another resident")
                yield row[0], digest_of(row, attempts.get(row[0], ()))
        except (TypeError, AttributeError) as error:
            raise TranscriptError(f"{self.path} is damaged: a value has another type") from error

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
        """Run a query and return its rows.

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


class CallCosts:
    """Cost of a transcript's calls, failed ones included, summed in several ways."""

    def __init__(self, rows: Callable[[str], list[tuple[Any, ...]]], has_table: Callable[[str], bool]) -> None:
        """Set how to read the transcript; nothing is read yet.

        Args:
            rows: Returns the rows of a query.
            has_table: Returns whether a table exists.
        """
        self._rows = rows
        self._has_table = has_table

    def total(self) -> ModuleUsage:
        """Return the cost of all calls together."""
        return self._sums()[0]

    def by_module(self) -> list[ModuleUsage]:
        """Return the cost of each module, sorted by name."""
        return self._sums("module")

    def by_model(self) -> list[ModuleUsage]:
        """Return the cost of each module and model, sorted by module and model."""
        return self._sums("module", "model")

    def tokens_by_step(self) -> list[tuple[int, str, int, int, int]]:
        """Return rows of time step, model, prompt tokens, cached tokens and generated tokens."""
        sums = "SUM(prompt_tokens), SUM(cached_tokens), SUM(generated_tokens)"
        return self._rows(f"SELECT time, model, {sums} FROM calls GROUP BY time, model ORDER BY time, model")

    def uncounted_models(self) -> list[str]:
        """Return the models, sorted, that gave an answer for which no prompt token was counted."""
        query = "SELECT DISTINCT model FROM calls WHERE outcome = 'ok' AND prompt_tokens = 0 ORDER BY model"
        return [name for (name,) in self._rows(query)]

    def rewound(self) -> list[ModuleUsage]:
        """Return the cost of the calls that `Transcript.rewind` removed, by module and model; no other sum has it."""
        if not self._has_table("rewound"):
            return []
        return self._sums("module", "model", table="rewound")

    def _sums(self, *by: str, table: str = "calls") -> list[ModuleUsage]:
        names = ("prompt_tokens", "cached_tokens", "generated_tokens", "seconds", "waiting", "retries")
        # For removed calls, only the cost is known.
        known = table == "calls" and self._has_table("attempts")
        kinds_of_attempts = [COUNT_ATTEMPTS.format(kind=kind) if known else "0" for kind in ("unusable", "network")]
        summed = (*names, *kinds_of_attempts, "outcome = 'failed'", "outcome = 'refused'")
        columns = ", ".join((*by, "COUNT(*)", *(f"COALESCE(SUM({what}), 0)" for what in summed)))
        groups = ", ".join(by)
        rows = self._rows(f"SELECT {columns} FROM {table}" + (f" GROUP BY {groups} ORDER BY {groups}" if by else ""))
        kinds = (*by, "calls", *names, "unusable", "network_failures", "failures", "refusals")
        return [ModuleUsage(**dict(zip(kinds, row, strict=True))) for row in rows]
