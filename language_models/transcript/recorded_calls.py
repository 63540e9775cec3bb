"""Reading the calls of a transcript, and what they cost."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from threading import RLock
from typing import Any, Self

from language_models.disk_error import DiskError, is_full_or_locked
from language_models.protocol import Attempt
from language_models.transcript.calls import Call, ModuleUsage
from language_models.transcript.transcript_file import (
    COUNT_ATTEMPTS,
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
        """Calls in the order of their identifiers.

        Args:
            module: Only those of this module; None for all.
            resident: Only those of this resident; None for all.
            time: Only those of this time step; None for all.
        """
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


class CallCosts:
    """Sums over the calls of one transcript, failed ones included."""

    def __init__(self, rows: Callable[[str], list[tuple[Any, ...]]], has_table: Callable[[str], bool]) -> None:
        """Prepare; nothing is read yet.

        Args:
            rows: Gives the rows of a query.
            has_table: Says whether there is a table of a name.
        """
        self._rows = rows
        self._has_table = has_table

    def total(self) -> ModuleUsage:
        """What all calls cost together."""
        return self._sums()[0]

    def by_module(self) -> list[ModuleUsage]:
        """What each module cost, sorted by name."""
        return self._sums("module")

    def by_model(self) -> list[ModuleUsage]:
        """What each module cost of each model, sorted by module and model."""
        return self._sums("module", "model")

    def tokens_by_step(self) -> list[tuple[int, str, int, int, int]]:
        """For each time step and model: time, name, tokens of prompts, those of them cached, tokens generated."""
        sums = "SUM(prompt_tokens), SUM(cached_tokens), SUM(generated_tokens)"
        return self._rows(f"SELECT time, model, {sums} FROM calls GROUP BY time, model ORDER BY time, model")

    def uncounted_models(self) -> list[str]:
        """Names of the models that gave an answer for which no token of a prompt was counted, sorted."""
        query = "SELECT DISTINCT model FROM calls WHERE outcome = 'ok' AND prompt_tokens = 0 ORDER BY model"
        return [name for (name,) in self._rows(query)]

    def rewound(self) -> list[ModuleUsage]:
        """Cost of the calls that `Transcript.rewind` removed, by module and model; no other sum includes it."""
        if not self._has_table("rewound"):
            return []
        return self._sums("module", "model", table="rewound")

    def _sums(self, *by: str, table: str = "calls") -> list[ModuleUsage]:
        names = ("prompt_tokens", "cached_tokens", "generated_tokens", "seconds", "waiting", "retries")
        # Of what was taken back, the cost alone is known.
        known = table == "calls" and self._has_table("attempts")
        kinds_of_attempts = [COUNT_ATTEMPTS.format(kind=kind) if known else "0" for kind in ("unusable", "network")]
        summed = (*names, *kinds_of_attempts, "outcome = 'failed'", "outcome = 'refused'")
        columns = ", ".join((*by, "COUNT(*)", *(f"COALESCE(SUM({what}), 0)" for what in summed)))
        groups = ", ".join(by)
        rows = self._rows(f"SELECT {columns} FROM {table}" + (f" GROUP BY {groups} ORDER BY {groups}" if by else ""))
        kinds = (*by, "calls", *names, "unusable", "network_failures", "failures", "refusals")
        return [ModuleUsage(**dict(zip(kinds, row, strict=True))) for row in rows]
