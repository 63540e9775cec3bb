"""Every model call of a run, in one SQLite file: what was asked, what came back, what it cost.

Identifiers do not hang on timing. Residents think at once, so the order in which their calls are made, after the first,
depends on how fast the answers come. Therefore each resident has a lane of its own, and a call's identifier is

    LANES * (how many calls this resident made before) + (the resident's lane)

which is the same in every run in which each resident asks the same things in the same order. With 10,000 lanes,
30002 is the fourth call of the resident in lane 2. Lanes are given out by `enlist`, or at a resident's first call, in
the order of those calls. Calls without a resident share the lane of the empty name.

A commit costs as much as all the rest of writing a call down. Calls that end in the same turn of the event loop
therefore share one, which is made before the loop waits for anything: what was answered while others were still waited
for survives kill -9.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from threading import Lock
from types import TracebackType
from typing import Any

from language_models.calls import Call, ModuleUsage, Request, canonical, sha256
from language_models.protocol import Caller, Usage

LANES = 10_000
APPLICATION = 0x49524F4C
VERSION = 2

_SCHEMA = """
CREATE TABLE lanes (lane INTEGER PRIMARY KEY, resident TEXT NOT NULL UNIQUE);
CREATE TABLE prompts (hash TEXT PRIMARY KEY, text TEXT NOT NULL);
CREATE TABLE calls (
    id INTEGER PRIMARY KEY,
    key TEXT NOT NULL,
    module TEXT NOT NULL,
    resident TEXT NOT NULL,
    time INTEGER NOT NULL,
    model TEXT NOT NULL,
    method TEXT NOT NULL CHECK (method IN ('generate', 'choose', 'score')),
    prompt TEXT NOT NULL REFERENCES prompts (hash),
    request TEXT NOT NULL,
    response TEXT,
    prompt_tokens INTEGER NOT NULL,
    cached_tokens INTEGER NOT NULL,
    generated_tokens INTEGER NOT NULL,
    seconds REAL NOT NULL,
    waiting REAL NOT NULL,
    retries INTEGER NOT NULL,
    outcome TEXT NOT NULL CHECK (outcome IN ('ok', 'failed', 'refused')),
    error TEXT NOT NULL DEFAULT ''
);
CREATE INDEX calls_by_key ON calls (key, id);
"""
_INSERT_CALL = f"INSERT INTO calls VALUES ({', '.join('?' * 18)})"


class TranscriptError(ValueError):
    """A file that is no transcript, one of another version, or a call that is not in it."""


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
        self._lock = Lock()
        self._fresh: dict[tuple[str, str], ModuleUsage] = {}
        self._committing: asyncio.AbstractEventLoop | None = None
        self._failure: OSError | None = None
        self._database = _connect(self.path, read_only)
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
        with self._lock:
            lane = self._lane(caller.resident)
            made = self._made[caller.resident]
            self._made[caller.resident] = made + 1
            return LANES * made + lane

    def record(self, call: Call) -> None:
        """Write one call down. It is committed at once, or, within an event loop, before the loop waits again.

        Raises:
            TranscriptError: if its identifier is taken.
            OSError: if it cannot be committed, or an earlier one could not.
        """
        request, usage = call.request, call.usage
        prompt, parameters = sha256(request.prompt), canonical(request.parameters)
        row = (
            usage.call,
            request.key_of(parameters),
            call.caller.module,
            call.caller.resident,
            call.caller.time,
            request.model,
            request.method,
            prompt,
            parameters,
            None if call.response is None else canonical(call.response),
            usage.prompt_tokens,
            usage.cached_tokens,
            usage.generated_tokens,
            usage.seconds,
            usage.waiting,
            usage.retries,
            call.outcome,
            call.error,
        )
        with self._lock:
            self._check_committed()
            try:
                self._database.execute(_INSERT_CALL, row)
                self._database.execute("INSERT OR IGNORE INTO prompts VALUES (?, ?)", (prompt, request.prompt))
            except sqlite3.IntegrityError as error:
                raise TranscriptError(f"{self.path}: cannot record call {usage.call}: {error}") from error
            except sqlite3.Error as error:
                raise self._failed(error) from error
            who = call.caller.module, request.model
            self._fresh[who] = self._fresh.get(who, ModuleUsage(module=who[0], model=who[1])).plus(call)
        self._commit_soon()

    def commit(self) -> None:
        """Commit now what was recorded in this turn of the event loop.

        Raises:
            OSError: if that cannot be done, or could not be done earlier: a full disk, say.
        """
        with self._lock:
            self._check_committed()
            try:
                self._database.commit()
            except sqlite3.Error as error:
                raise self._failed(error) from error

    def take_usage(self) -> list[ModuleUsage]:
        """What each module has cost of each model since this was last asked, or since the file was opened; sorted."""
        with self._lock:
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

    def models(self) -> list[str]:
        """Names of the models that were asked, sorted."""
        return [name for (name,) in self._rows("SELECT DISTINCT model FROM calls ORDER BY model")]

    def usage(self) -> ModuleUsage:
        """What all calls cost together."""
        return self._usage()[0]

    def usage_by_module(self) -> list[ModuleUsage]:
        """What each module cost, sorted by name."""
        return self._usage("module")

    def usage_by_resident(self) -> list[ModuleUsage]:
        """What each module cost for each resident, sorted by module and resident."""
        return self._usage("module", "resident")

    def usage_by_model(self) -> list[ModuleUsage]:
        """What each module cost of each model, sorted by module and model."""
        return self._usage("module", "model")

    def tokens_by_step(self) -> list[tuple[int, str, int, int, int]]:
        """For each time step and model: time, name, tokens of prompts, those of them cached, tokens generated."""
        sums = "SUM(prompt_tokens), SUM(cached_tokens), SUM(generated_tokens)"
        return self._rows(f"SELECT time, model, {sums} FROM calls GROUP BY time, model ORDER BY time, model")

    def _usage(self, *by: str) -> list[ModuleUsage]:
        names = ("prompt_tokens", "cached_tokens", "generated_tokens", "seconds", "waiting", "retries")
        summed = (*names, "outcome = 'failed'", "outcome = 'refused'")
        columns = ", ".join((*by, "COUNT(*)", *(f"COALESCE(SUM({what}), 0)" for what in summed)))
        groups = ", ".join(by)
        rows = self._rows(f"SELECT {columns} FROM calls" + (f" GROUP BY {groups} ORDER BY {groups}" if by else ""))
        kinds = (*by, "calls", *names, "failures", "refusals")
        return [ModuleUsage(**dict(zip(kinds, row, strict=True))) for row in rows]

    def position(self) -> dict[str, int]:
        """How many calls each resident has made: what a checkpoint keeps, for `rewind`."""
        with self._lock:
            return dict(self._made)

    def rewind(self, position: Mapping[str, int]) -> int:
        """Forget all calls made after a position, so that going on from a checkpoint leaves no call twice.

        Args:
            position: What `position` returned; residents it does not name had made no call.

        Returns:
            How many calls were forgotten.

        Raises:
            TranscriptError: if the position lies ahead of this transcript, which then belongs to another run.
        """
        self.check_position(position)
        with self._lock, self._database:
            forgotten = 0
            for resident in self._made:
                kept = position.get(resident, 0)
                forgotten += self._database.execute(
                    "DELETE FROM calls WHERE resident = ? AND id >= ?", (resident, LANES * kept)
                ).rowcount
                self._made[resident] = kept
            self._database.execute("DELETE FROM prompts WHERE hash NOT IN (SELECT prompt FROM calls)")
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
            with self._database:
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
        if self._committing is not loop:
            self._committing = loop
            loop.call_soon(self._commit_for_the_loop)

    def _commit_for_the_loop(self) -> None:
        self._committing = None
        # Nobody would see it raised here: whoever records or commits next does.
        with contextlib.suppress(OSError):
            self.commit()

    def _failed(self, error: sqlite3.Error) -> OSError:
        """Calls of this turn are lost, so that nothing may be added to those before."""
        self._failure = OSError(f"cannot write {self.path}: {error}")
        self._database.rollback()
        return self._failure

    def _check_committed(self) -> None:
        if self._failure is not None:
            raise self._failure

    def _rows(self, query: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        try:
            with self._lock:
                return self._database.execute(query, values).fetchall()
        except sqlite3.DatabaseError as error:
            raise TranscriptError(f"{self.path} is damaged: {error}") from error

    def _select(self, where: str, values: Sequence[Any]) -> Iterator[Call]:
        rows = self._rows(
            "SELECT id, module, resident, time, model, method, text, request, response, prompt_tokens, cached_tokens, "
            "generated_tokens, seconds, waiting, retries, outcome, error "
            f"FROM calls JOIN prompts ON prompt = hash {where}",
            values,
        )
        for row in rows:
            yield Call(
                caller=Caller(module=row[1], resident=row[2], time=row[3]),
                request=Request(model=row[4], method=row[5], prompt=row[6], parameters=json.loads(row[7])),
                response=None if row[8] is None else json.loads(row[8]),
                usage=Usage(
                    call=row[0],
                    prompt_tokens=row[9],
                    cached_tokens=row[10],
                    generated_tokens=row[11],
                    seconds=row[12],
                    waiting=row[13],
                    retries=row[14],
                ),
                error=row[16],
                refused=row[15] == "refused",
            )


def _connect(path: str, read_only: bool) -> sqlite3.Connection:
    """Open or begin the file, after checking that it is one of ours."""
    file = Path(path)
    address = "file::memory:"
    if path != ":memory:":
        if read_only and not file.exists():
            raise FileNotFoundError(f"no transcript at {path}; a run leaves one in its directory as transcript.sqlite")
        if not file.parent.is_dir():
            raise FileNotFoundError(f"cannot begin {path}: there is no folder {file.parent}; make it first")
        address = f"{file.resolve().as_uri()}?mode={'ro' if read_only else 'rwc'}"
    try:
        database = sqlite3.connect(address, uri=True, check_same_thread=False)
    except sqlite3.OperationalError as error:
        raise TranscriptError(f"{path} is not a transcript: {error}; give the transcript.sqlite of a run") from error
    try:
        _check(database, path, read_only)
        database.execute("PRAGMA synchronous = NORMAL")
    except BaseException:
        database.close()
        raise
    return database


def _check(database: sqlite3.Connection, path: str, read_only: bool) -> None:
    """Check whose file it is; an empty one becomes a transcript."""
    try:
        with contextlib.closing(database.execute("SELECT * FROM pragma_application_id, pragma_user_version")) as cursor:
            application, version = cursor.fetchone()
        if application == 0 and not read_only and not database.execute("SELECT 1 FROM sqlite_master").fetchone():
            database.executescript(
                f"PRAGMA journal_mode = WAL; BEGIN; {_SCHEMA} PRAGMA application_id = {APPLICATION}; "
                f"PRAGMA user_version = {VERSION}; COMMIT;"
            )
            return
    except sqlite3.OperationalError as error:
        raise OSError(f"cannot use {path}: {error}") from error
    except sqlite3.DatabaseError as error:
        raise TranscriptError(f"{path} is not a transcript: {error}; give the transcript.sqlite of a run") from error
    if application != APPLICATION:
        raise TranscriptError(f"{path} is a database, but not a transcript; give the transcript.sqlite of a run")
    if version != VERSION:
        raise TranscriptError(
            f"{path} is a transcript of version {version}, this program reads version {VERSION}; "
            f"read it with the release that wrote it"
        )
