"""Read a run for measuring: its manifest, and the records of its complete time steps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evaluation.records.checksums import EVENTS
from evaluation.records.interactions import Record
from evaluation.records.records import parse_jsonl
from evaluation.records.run_directory import RunDirectory


@dataclass(frozen=True, kw_only=True, slots=True)
class RecordedRun:
    """Hold the manifest and the records of one run, for measuring.

    Attributes:
        path: Its directory.
        manifest: What it says about itself.
        records: Of its whole time steps, in order.
        notes: What a reader of its measures must know: that it did not finish, or that records are cut off.
    """

    path: Path
    manifest: Mapping[str, Any]
    records: Sequence[Record]
    notes: tuple[str, ...] = ()


def read_run(path: str | Path) -> RecordedRun:
    """Read a run; one that failed or was cut off is read up to its last complete time step.

    Raises:
        ValueError: if there is no run, a file of it is damaged, or no time step is whole.
    """
    directory = RunDirectory(path)
    manifest = directory.read_manifest()
    notes = []
    status, done = manifest["status"], manifest["steps_done"]
    if status != "finished":
        asked = manifest["configuration"]["effective"]["steps"]
        notes.append(f"the run is not finished but {status}, after {done} of {asked} time steps")
    events = directory.whole(EVENTS)
    if events.left:
        notes.append(events.describe_left(EVENTS))
    records = parse_jsonl(directory.events_path, events.data)
    if not records:
        raise ValueError(f"{path} has no whole time step to measure yet")
    return RecordedRun(path=Path(path), manifest=manifest, records=records, notes=tuple(notes))
