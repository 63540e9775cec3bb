"""SQLite file of a transcript: tables, opening, and conversion of rows."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from language_models.disk_error import DiskError
from language_models.protocol import Attempt, Caller, Usage
from language_models.sqlite_files import open_to_read
from language_models.transcript.calls import Call, Request, canonical, sha256

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
_COST = "module, model, prompt_tokens, cached_tokens, generated_tokens, seconds, waiting, retries, outcome"
# Created when calls are first removed, so that older transcripts without this table are read alike.
CREATE_REWOUND = f"CREATE TABLE IF NOT EXISTS rewound AS SELECT {_COST} FROM calls WHERE 0"
INSERT_REWOUND = f"INSERT INTO rewound SELECT {_COST} FROM calls"
# Created with the first attempt, so that older transcripts without this table are read alike.
CREATE_ATTEMPTS = """
CREATE TABLE IF NOT EXISTS attempts (
    call INTEGER NOT NULL REFERENCES calls (id),
    number INTEGER NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('unusable', 'network')),
    reason TEXT NOT NULL,
    text TEXT NOT NULL,
    PRIMARY KEY (call, number)
)
"""
INSERT_ATTEMPT = "INSERT INTO attempts VALUES (?, ?, ?, ?, ?)"
SELECT_ATTEMPTS = (
    "SELECT call, kind, reason, text FROM attempts WHERE call IN (SELECT id FROM calls {where}) ORDER BY call, number"
)
COUNT_ATTEMPTS = "(SELECT COUNT(*) FROM attempts WHERE call = calls.id AND kind = '{kind}')"
INSERT_CALL = f"INSERT INTO calls VALUES ({', '.join('?' * 18)})"
INSERT_PROMPT = "INSERT OR IGNORE INTO prompts VALUES (?, ?)"
SELECT_CALLS = (
    "SELECT id, module, resident, time, model, method, text, request, response, prompt_tokens, cached_tokens, "
    "generated_tokens, seconds, waiting, retries, outcome, error FROM calls JOIN prompts ON prompt = hash"
)


class TranscriptError(ValueError):
    """A file that is no transcript, one of another version, or a call that is not in it."""


def connect(path: str, read_only: bool) -> sqlite3.Connection:
    """Open or create the file, after checking that it is a transcript."""
    file, in_memory = Path(path), path == ":memory:"
    if read_only and not in_memory and not file.exists():
        raise FileNotFoundError(f"no transcript at {path}; a run leaves one in its directory as transcript.sqlite")
    if not in_memory and not file.parent.is_dir():
        raise FileNotFoundError(f"cannot begin {path}: there is no folder {file.parent}; make it first")
    try:
        if read_only and not in_memory:
            database = open_to_read(file)
        else:
            address = "file::memory:" if in_memory else f"{file.resolve().as_uri()}?mode=rwc"
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


@contextlib.contextmanager
def writing(path: str) -> Iterator[None]:
    """Turn errors of writing into a DiskError that names the file."""
    try:
        yield
    except sqlite3.OperationalError as error:
        raise DiskError("write", path, error) from error


def sync_log(path: str) -> None:
    """Flush committed data to the disk: with ``synchronous = NORMAL`` SQLite leaves its log to the system."""
    log = Path(f"{Path(path).resolve()}-wal")
    if path != ":memory:" and log.exists():
        with log.open("r+b") as file:  # Windows flushes only files that are open for writing.
            os.fsync(file.fileno())


def _check(database: sqlite3.Connection, path: str, read_only: bool) -> None:
    """Check that the file is a transcript; an empty file becomes one."""
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
        raise DiskError("use", path, error) from error
    except sqlite3.DatabaseError as error:
        raise TranscriptError(f"{path} is not a transcript: {error}; give the transcript.sqlite of a run") from error
    if application != APPLICATION:
        raise TranscriptError(f"{path} is a database, but not a transcript; give the transcript.sqlite of a run")
    if version != VERSION:
        raise TranscriptError(
            f"{path} is a transcript of version {version}, this program reads version {VERSION}; "
            f"read it with the release that wrote it"
        )


def row_of(call: Call) -> tuple[Any, ...]:
    """Convert a call to a row for INSERT_CALL."""
    request, usage = call.request, call.usage
    parameters = canonical(request.parameters)
    return (
        usage.call,
        request.key_of(parameters),
        call.caller.module,
        call.caller.resident,
        call.caller.time,
        request.model,
        request.method,
        sha256(request.prompt),
        parameters,
        None if call.response is None else canonical(call.response),
        usage.prompt_tokens,
        usage.cached_tokens,
        usage.generated_tokens,
        float(usage.seconds),
        float(usage.waiting),
        usage.retries,
        call.outcome,
        call.error,
    )


def attempt_rows_of(call: Call) -> list[tuple[Any, ...]]:
    """Convert a call's failed attempts to rows for INSERT_ATTEMPT; mostly there are none."""
    return [
        (call.usage.call, number, attempt.kind, attempt.reason, attempt.text)
        for number, attempt in enumerate(call.usage.attempts)
    ]


def digest_of(row: Sequence[Any], attempts: Sequence[Sequence[Any]]) -> int:
    """Return the sha256 of a call's rows as a number; such numbers are summed over calls in any order.

    Args:
        row: Its row, as ``row_of`` gives it.
        attempts: Its failed attempts, as ``attempt_rows_of`` gives them.

    Raises:
        TypeError: if a row holds bytes, as that of a damaged file may.
    """
    content = json.dumps([*row, *map(list, attempts)], separators=(",", ":"))
    return int.from_bytes(hashlib.sha256(content.encode()).digest())


def sum_of(digests: Iterable[int]) -> int:
    """Return the sum of digests, of 256 bits as they are."""
    return sum(digests) % 2**256


def attempt_of(row: Sequence[Any]) -> Attempt:
    """Convert a row of SELECT_ATTEMPTS, without the call's identifier, to an attempt."""
    return Attempt(kind=row[0], reason=row[1], text=row[2])


def call_of(row: Sequence[Any], attempts: tuple[Attempt, ...] = ()) -> Call:
    """Convert a row of SELECT_CALLS to a call."""
    return Call(
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
            attempts=attempts,
        ),
        error=row[16],
        refused=row[15] == "refused",
    )
