"""Checksums of a run's records: one line a step, each over the line before it, so that any prefix can be verified.

A line of checksums.jsonl says how long events.jsonl and metrics.csv were after a step and what the sha256 of all of
that was, and how many calls each resident had made, with a digest of those calls in transcript.sqlite. Its own sha256
covers the line and the sha256 of the line before.
"""

from __future__ import annotations

import hashlib
import json
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from evaluation.records import metrics
from evaluation.records.directories import DirectoryError
from evaluation.records.files import read_lines
from language_models.transcript.call_ids import LANES
from language_models.transcript.transcript import Transcript
from language_models.transcript.transcript_file import sum_of

CHECKSUMS = "checksums.jsonl"
TRANSCRIPT = "transcript.sqlite"
EVENTS = "events.jsonl"
METRICS = "metrics.csv"
GROWING = (EVENTS, METRICS)
"""The files whose bytes are verified."""


class DamageError(DirectoryError):
    """Raised for a run of which a file is damaged, cut short or missing."""


class Extent(BaseModel):
    """How far a file reached: its length in bytes, and the sha256 of all of it."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)

    size: int
    sha256: str


class Calls(BaseModel):
    """Which calls were made: how many by each resident, in the order of their lanes, and a digest of all of them."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)

    made: dict[str, int]
    digest: str


class Checksum(BaseModel):
    """What a run had recorded after a step.

    Attributes:
        step: How many time steps were done.
        files: How far each growing file reached.
        calls: Which calls were in the transcript.
        sha256: Over this line and the sha256 of the line before.
    """

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)

    step: int
    files: dict[str, Extent]
    calls: Calls
    sha256: str = ""

    def after(self, before: str) -> Checksum:
        """Return a copy with its sha256.

        Args:
            before: The sha256 of the line before; empty for the first line.
        """
        content = json.dumps(self.model_dump(exclude={"sha256"}), separators=(",", ":"))
        return self.model_copy(update={"sha256": hashlib.sha256((before + content).encode()).hexdigest()})

    def to_line(self) -> bytes:
        """Return the line of checksums.jsonl."""
        return json.dumps(self.model_dump(), separators=(",", ":")).encode() + b"\n"


FIRST = {
    name: Extent(size=len(header), sha256=hashlib.sha256(header).hexdigest())
    for name, header in ((EVENTS, b""), (METRICS, metrics.HEADER.encode()))
}
"""How far the growing files reach before the first step."""

MISSING = "is missing"
"""The fault of a file that is not there."""


@dataclass(frozen=True, slots=True)
class Prefix:
    """The whole part of a file.

    Attributes:
        steps: How many steps of it are whole.
        data: Its bytes up to there; empty for a file that is not read as bytes.
        fault: What is wrong with the rest, after the name of the file; empty where nothing is.
        left: How many bytes stand behind the last step of a run that has not ended.
    """

    steps: int
    data: bytes
    fault: str
    left: int = 0

    def describe_left(self, name: str) -> str:
        """Describe what is left out of the file with this name."""
        return f"the last {self.left} bytes of {name} are of a time step that is not whole, and left out"


@dataclass(frozen=True, slots=True)
class Chain:
    """The lines of a checksums.jsonl up to the first one that is damaged.

    Attributes:
        path: Of the run.
        lines: One a step.
        fault: What is wrong with the next line; empty where nothing is.
    """

    path: Path
    lines: tuple[Checksum, ...]
    fault: str

    def at(self, step: int) -> Checksum | None:
        """Return the line of a step; None where the lines do not reach it, or before the first step."""
        return self.lines[step - 1] if 0 < step <= len(self.lines) else None

    def extents(self, name: str) -> list[Extent]:
        """Return how far a growing file reached before the first step and after each one."""
        return [FIRST[name], *(line.files[name] for line in self.lines)]

    def prefix(self, name: str, *, closed: bool) -> Prefix:
        """Read the whole part of a growing file.

        Args:
            name: The file.
            closed: Whether the run has ended, so that nothing stands behind the last step; what a run writes or was
                killed in is no fault otherwise, and left out.
        """
        file = self.path / name
        if not file.is_file():
            return Prefix(0, b"", MISSING)
        data, extents = file.read_bytes(), self.extents(name)
        last = extents[-1]
        if hashlib.sha256(data[: last.size]).hexdigest() == last.sha256 and len(data) >= last.size:
            rest, per_step = data[last.size :].count(b"\n"), data[: extents[min(1, len(self.lines))].size].count(b"\n")
            fault = ""
            if closed and len(data) > last.size:
                fault = f"has {len(data) - last.size} bytes more than were written"
            elif name == EVENTS and self.lines and rest > per_step and self._lacks_steps_of(data, per_step):
                fault = f"has more than one step behind the last line of {CHECKSUMS}, which is cut short"
            return Prefix(len(self.lines), data[: last.size], fault, left=len(data) - last.size)
        digest, begin, whole = hashlib.sha256(), 0, -1
        for steps, extent in enumerate(extents):
            digest.update(data[begin : extent.size])
            begin = extent.size
            if len(data) < extent.size or digest.hexdigest() != extent.sha256:
                break
            whole = steps
        cut = len(data) < last.size and (whole < 0 or len(data) < extents[whole + 1].size)
        fault = f"is cut short: it has {len(data)} bytes of {last.size}" if cut else "is damaged"
        return Prefix(max(0, whole), data[: extents[whole].size] if whole >= 0 else b"", fault)

    def _lacks_steps_of(self, data: bytes, per_step: int) -> bool:
        """Return whether more than one step of the records has no checksum even now.

        A run that goes on may write steps and their checksums after these lines were read. It writes a step's checksum
        before the next step, so that checksums read after the records lack one step at most.
        """
        written = read_chain(self.path).extents(EVENTS)[-1].size
        return data[written:].count(b"\n") > per_step


def read_chain(path: Path) -> Chain:
    """Read the checksums of a run, up to the first line that is damaged.

    Args:
        path: The directory of the run.

    Raises:
        DamageError: if there are none.
    """
    file = path / CHECKSUMS
    if not file.is_file():
        raise DamageError(f"{file} is missing, without which the records cannot be verified; get it back as it was")
    lines: list[Checksum] = []
    for number, line in enumerate(read_lines(file), 1):
        try:
            found = Checksum.model_validate_json(line)
        except ValidationError as error:
            return Chain(path, tuple(lines), f"line {number} is damaged: {first_fault(error)}")
        known = found.step == number and set(found.files) == set(GROWING)
        if not known or found != found.after(lines[-1].sha256 if lines else ""):
            return Chain(path, tuple(lines), f"line {number} is damaged: it does not have the sha256 that it states")
        lines.append(found)
    return Chain(path, tuple(lines), "")


def calls_prefix(chain: Chain, sealed: str | None) -> Prefix:
    """Verify the calls of a run's transcript.

    Args:
        chain: The run's checksums.
        sealed: The sha256 of the transcript's file at the end of the run; None for a run that has not ended.

    Returns:
        How many steps have their calls whole, without bytes.
    """
    file = chain.path / TRANSCRIPT
    if not file.is_file():
        return Prefix(0, b"", MISSING)
    try:
        if sealed is not None and sha256_of(file) == sealed:
            return Prefix(len(chain.lines), b"", "")
        steps = _whole_calls(file, chain.lines)
    except (ValueError, OSError) as error:
        return Prefix(0, b"", str(error).removeprefix(f"{file} "))
    if steps < len(chain.lines):
        return Prefix(steps, b"", "is damaged")
    return Prefix(steps, b"", "" if sealed is None else "is damaged, if not in what the steps asked and were answered")


def _whole_calls(file: Path, lines: Sequence[Checksum]) -> int:
    """Return after how many steps all calls of a transcript are as they were.

    Raises:
        ValueError: if the file is damaged.
        OSError: if it cannot be read.
    """
    log = file.with_name(f"{file.name}-wal")
    stamps = [(one.stat().st_ino, one.stat().st_size, one.stat().st_mtime_ns) for one in (file, log) if one.exists()]
    key = (file, *stamps, lines[-1].sha256 if lines else "")
    if key in _whole:
        return len(lines)
    made: dict[str, list[int]] = {}
    for resident in lines[-1].calls.made if lines else ():
        made[resident] = [line.calls.made.get(resident, 0) for line in lines]
    sums = [0] * (len(lines) + 1)
    with Transcript(file, read_only=True) as transcript:
        transcript.check_integrity()
        residents = transcript.ids.residents()
        for call, digest in transcript.digests():
            resident = residents[call % LANES]
            sums[bisect_right(made.get(resident, ()), call // LANES) if resident in made else -1] += digest
    sums = list(accumulate(sums))
    whole = 0
    for step, line in enumerate(lines, 1):
        lanes = list(line.calls.made)
        if residents[: len(lanes)] == lanes and f"{sum_of([sums[step - 1]]):064x}" == line.calls.digest:
            whole = step
    if whole == len(lines):
        if len(_whole) >= _MOST_KNOWN:
            _whole.clear()
        _whole.add(key)
    return whole


_MOST_KNOWN = 1000
_whole: set[tuple[Any, ...]] = set()
"""Transcripts that were verified already, by their stamps: several readers of a run open its transcript in turn."""


def first_fault(error: ValidationError) -> str:
    """Describe the first fault of data that has another shape, in a clause."""
    first = error.errors(include_url=False, include_context=False)[0]
    place = ".".join(map(str, first["loc"]))
    return f"{place}: {first['msg']}" if place else str(first["msg"])


def sha256_of(path: Path) -> str:
    """Return the sha256 of a file's content."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def sealed_files(path: Path) -> Mapping[str, str]:
    """Return the sha256 of each file of a run that has ended and that no step verifies, by path within the run.

    Args:
        path: The directory of the run.
    """
    names = (CHECKSUMS, TRANSCRIPT, "embeddings.sqlite")
    files = [*(path / name for name in names), *sorted((path / "checkpoints").glob("step-*.json"))]
    return {file.relative_to(path).as_posix(): sha256_of(file) for file in files if file.is_file()}
