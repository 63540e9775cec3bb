"""Give checksums to a run that has none, which takes its files as they are."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import groupby
from pathlib import Path

from evaluation.records.checksums import CHECKSUMS, EVENTS, FIRST, METRICS, Calls, Checksum, Extent
from evaluation.records.directories import DirectoryError
from evaluation.records.files import write_atomically
from evaluation.records.manifest_file import check_shape, load_object
from evaluation.records.records import read_line
from evaluation.records.run_directory import RunDirectory
from language_models.transcript.transcript import Transcript
from language_models.transcript.transcript_file import sum_of


def accept(directory: RunDirectory) -> int:
    """Write the checksums of a run that was made before runs had any.

    Args:
        directory: The run; its other files stay as they are, and its manifest gets a sha256.

    Returns:
        How many time steps they verify.

    Raises:
        DirectoryError: if it has checksums already, or is no run.
        ValueError: if its records cannot be read.
    """
    if not directory.manifest_path.is_file():
        directory.check_run()
    manifest = load_object(directory.manifest_path)
    if directory.checksums_path.exists() or "sha256" in manifest:
        raise DirectoryError(f"{directory.path} has checksums already; irollan check {directory.path} verifies it")
    manifest = check_shape(directory.manifest_path, manifest)
    events = _ends(directory.events_path, 0, _time_of_record)
    rows = dict(_ends(directory.metrics_path, 1, _time_of_row))
    lines: list[Checksum] = []
    written = FIRST[METRICS]
    with Transcript(directory.transcript_path, read_only=True) as transcript:
        residents = transcript.ids.residents()
        calls = [(call.usage.call, call.caller) for call in transcript.calls()]
        digests = dict(transcript.digests())
    for step, (time, end) in enumerate(events, 1):
        if time != step - 1:
            raise DirectoryError(f"{directory.events_path} has time step {time} where {step - 1} follows")
        past = [(number, who) for number, who in calls if who.time <= time]
        made = Counter(who.resident for _, who in past)
        found = {
            "made": {resident: made[resident] for resident in residents},
            "digest": f"{sum_of(digests[number] for number, _ in past):064x}",
        }
        written = rows.get(time, written)
        files = {EVENTS: end, METRICS: written}
        line = Checksum(step=step, files=files, calls=Calls.model_validate(found))
        lines.append(line.after(lines[-1].sha256 if lines else ""))
    write_atomically(directory.path / CHECKSUMS, b"".join(line.to_line() for line in lines))
    directory.write_manifest(manifest)
    return len(lines)


def _time_of_record(path: Path, number: int, line: bytes) -> int:
    time: int = read_line(path, number, line)["time"]
    return time


def _time_of_row(path: Path, number: int, line: bytes) -> int:
    time = line.partition(b",")[0]
    if not time.isdigit():
        found = time[:40].decode("utf-8", "backslashreplace")
        raise ValueError(f"{path}, line {number}: a row must begin with its time step, got {found!r}")
    return int(time)


def _ends(path: Path, skipped: int, time_of: Callable[[Path, int, bytes], int]) -> Iterator[tuple[int, Extent]]:
    """Return how far a file reached after each time step.

    Args:
        path: The file.
        skipped: How many lines come before the first time step.
        time_of: Returns the time step of a line, from the path, the line's number from 1 and the line.
    """
    lines = [line + b"\n" for line in path.read_bytes().split(b"\n")[:-1]]
    digest = hashlib.sha256(b"".join(lines[:skipped]))
    size = sum(map(len, lines[:skipped]))
    numbered = enumerate(lines[skipped:], skipped + 1)
    for time, group in groupby(numbered, lambda one: time_of(path, *one)):
        for _, line in group:
            digest.update(line)
            size += len(line)
        yield time, Extent(size=size, sha256=digest.hexdigest())
