"""Give checksums to a run that has none, which takes its files as they are."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import groupby

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
    events = _ends(
        directory.events_path.read_bytes(), 0, lambda line: read_line(directory.events_path, 1, line)["time"]
    )
    rows = dict(_ends(directory.metrics_path.read_bytes(), 1, lambda line: int(line.partition(b",")[0])))
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


def _ends(data: bytes, skipped: int, time_of: Callable[[bytes], int]) -> Iterator[tuple[int, Extent]]:
    """Return how far a file reached after each time step.

    Args:
        data: Its content.
        skipped: How many lines come before the first time step.
        time_of: Returns the time step of a line.
    """
    lines = [line + b"\n" for line in data.split(b"\n")[:-1]]
    digest = hashlib.sha256(b"".join(lines[:skipped]))
    size = sum(map(len, lines[:skipped]))
    for time, group in groupby(lines[skipped:], time_of):
        for line in group:
            digest.update(line)
            size += len(line)
        yield time, Extent(size=size, sha256=digest.hexdigest())
