"""Every model call of a run, in one SQLite file: what was asked, what came back, what it cost.

Identifiers do not hang on timing. Residents think at once, so the order in which their calls are made, after the first,
depends on how fast the answers come. Therefore each resident has a lane of its own, and a call's identifier is

    LANES * (how many calls this resident made before) + (the resident's lane)

which is the same in every run in which each resident asks the same things in the same order. With 10,000 lanes,
30002 is the fourth call of the resident in lane 2. Lanes are given out by `enlist`, or at a resident's first call, in
the order of those calls. Calls without a resident share the lane of the empty name.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from types import TracebackType
from typing import Any, Literal

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


class TranscriptError(ValueError):
    """A file that is no transcript, one of another version, or a call that is not in it."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Request:
    """What was asked of which model.

    Attributes:
        model: The model's name.
        method: generate, choose or score.
        prompt: The prompt.
        parameters: Everything else that was asked for, as JSON values: options, max_tokens, seed and so on.
    """

    model: str
    method: Literal["generate", "choose", "score"]
    prompt: str
    parameters: Mapping[str, Any]

    @property
    def key(self) -> str:
        """The sha256 of the request as canonical JSON; who asked is not part of it."""
        whole = {"model": self.model, "method": self.method, "prompt": self.prompt, "parameters": self.parameters}
        return _sha256(_canonical(whole))


@dataclass(frozen=True, kw_only=True, slots=True)
class Call:
    """One call: the request, who made it and what came of it.

    Attributes:
        caller: Who asked.
        request: What was asked.
        response: The answer without its usage, as JSON values; None when the call failed.
        usage: What it cost; `usage.call` is the identifier.
        error: Why it failed; empty when it did not.
        refused: Whether the model would not answer.
    """

    caller: Caller
    request: Request
    response: Mapping[str, Any] | None
    usage: Usage
    error: str = ""
    refused: bool = False

    def __post_init__(self) -> None:
        if (self.response is None) != bool(self.error):
            raise ValueError(f"a call has a response or an error, got {self.response!r} and {self.error!r}")
        if self.usage.call < 0:
            raise ValueError(f"a call needs an identifier of at least 0, got {self.usage.call}; ask Transcript.next_id")

    @property
    def outcome(self) -> Literal["ok", "failed", "refused"]:
        """Whether the model answered."""
        return "ok" if self.response is not None else "refused" if self.refused else "failed"


@dataclass(frozen=True, kw_only=True, slots=True)
class ModuleUsage:
    """What the calls of one module, or of one module and resident, cost together, failed ones included.

    Attributes:
        module: Who asked.
        resident: For whom; empty for all together, and for the society.
        retries: How often they were asked again.
        failures: Calls that failed.
        refusals: Calls that were refused.
    """

    module: str
    resident: str = ""
    calls: int = 0
    prompt_tokens: int = 0
    cached_tokens: int = 0
    generated_tokens: int = 0
    seconds: float = 0.0
    waiting: float = 0.0
    retries: int = 0
    failures: int = 0
    refusals: int = 0

    @property
    def tokens(self) -> int:
        """Prompt and generated together."""
        return self.prompt_tokens + self.generated_tokens

    def plus(self, call: Call) -> ModuleUsage:
        """With one call more."""
        usage = call.usage
        return ModuleUsage(
            module=self.module,
            resident=self.resident,
            calls=self.calls + 1,
            prompt_tokens=self.prompt_tokens + usage.prompt_tokens,
            cached_tokens=self.cached_tokens + usage.cached_tokens,
            generated_tokens=self.generated_tokens + usage.generated_tokens,
            seconds=self.seconds + usage.seconds,
            waiting=self.waiting + usage.waiting,
            retries=self.retries + usage.retries,
            failures=self.failures + (call.outcome == "failed"),
            refusals=self.refusals + (call.outcome == "refused"),
        )


class Transcript:
    """The calls of one run. Each is committed as it ends, so that a killed run keeps all that were answered.

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
        self._fresh: dict[str, ModuleUsage] = {}
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
        """Write one call down and commit it.

        Raises:
            TranscriptError: if its identifier is taken.
        """
        request, usage = call.request, call.usage
        prompt = _sha256(request.prompt)
        row = (
            usage.call,
            request.key,
            call.caller.module,
            call.caller.resident,
            call.caller.time,
            request.model,
            request.method,
            prompt,
            _canonical(request.parameters),
            None if call.response is None else _canonical(call.response),
            usage.prompt_tokens,
            usage.cached_tokens,
            usage.generated_tokens,
            usage.seconds,
            usage.waiting,
            usage.retries,
            call.outcome,
            call.error,
        )
        with self._lock, self._database:
            self._database.execute("INSERT OR IGNORE INTO prompts VALUES (?, ?)", (prompt, request.prompt))
            try:
                self._database.execute(f"INSERT INTO calls VALUES ({', '.join('?' * len(row))})", row)
            except sqlite3.IntegrityError as error:
                raise TranscriptError(f"{self.path}: cannot record call {usage.call}: {error}") from error
            module = call.caller.module
            self._fresh[module] = self._fresh.get(module, ModuleUsage(module=module)).plus(call)

    def take_usage(self) -> list[ModuleUsage]:
        """What each module has cost since this was last asked, or since the file was opened; sorted by name."""
        with self._lock:
            fresh, self._fresh = self._fresh, {}
        return [fresh[module] for module in sorted(fresh)]

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

    def usage_by_module(self) -> list[ModuleUsage]:
        """What each module cost, sorted by name."""
        return self._usage("module, ''", "module")

    def usage_by_resident(self) -> list[ModuleUsage]:
        """What each module cost for each resident, sorted by module and resident."""
        return self._usage("module, resident", "module, resident")

    def usage_by_model(self) -> dict[str, ModuleUsage]:
        """What each model cost, by its name."""
        return {usage.module: usage for usage in self._usage("model, ''", "model")}

    def tokens_by_step(self) -> list[tuple[int, str, int, int, int]]:
        """For each time step and model: time, name, tokens of prompts, those of them cached, tokens generated."""
        sums = "SUM(prompt_tokens), SUM(cached_tokens), SUM(generated_tokens)"
        return self._rows(f"SELECT time, model, {sums} FROM calls GROUP BY time, model ORDER BY time, model")

    def _usage(self, who: str, groups: str) -> list[ModuleUsage]:
        summed = ("prompt_tokens", "cached_tokens", "generated_tokens", "seconds", "waiting", "retries")
        sums = ", ".join(f"SUM({what})" for what in (*summed, "outcome = 'failed'", "outcome = 'refused'"))
        rows = self._rows(f"SELECT {who}, COUNT(*), {sums} FROM calls GROUP BY {groups} ORDER BY {groups}")
        names = ("module", "resident", "calls", *summed, "failures", "refusals")
        return [ModuleUsage(**dict(zip(names, row, strict=True))) for row in rows]

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

    def close(self) -> None:
        """Close the file; everything recorded is in it already."""
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
        with closing(database.execute("SELECT * FROM pragma_application_id, pragma_user_version")) as cursor:
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


def _canonical(value: Any) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
