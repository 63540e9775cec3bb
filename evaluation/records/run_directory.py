"""The directory of one run: its files, its lock, and reading it again."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterable, Mapping
from io import FileIO
from pathlib import Path
from types import TracebackType
from typing import Any

from evaluation.records import metrics, records
from evaluation.records.directories import LOCK_NAME, DirectoryError, DirectoryLock, check_place
from evaluation.records.files import nearby, read_lines, write_atomically
from evaluation.records.metrics import Metric
from evaluation.records.records import Record

_GROWING = ("events.jsonl", "metrics.csv")
_OWNED = (
    "manifest.json",
    ".manifest.json.new",
    *_GROWING,
    "transcript.sqlite",
    "transcript.sqlite-wal",
    "transcript.sqlite-shm",
    "embeddings.sqlite",
    "embeddings.sqlite-wal",
    "embeddings.sqlite-shm",
    "checkpoints",
    "figures",
    "report.html",
    ".report.html.new",
    "view.html",
    ".view.html.new",
    "comparison.html",
    "error.txt",
)


class RunDirectory:
    """Read and write the files of one run.

    Attributes:
        path: The directory.
        manifest_path: What the run says about itself.
        events_path: One record per resident and time step.
        metrics_path: The numbers in long form.
        transcript_path: Every model call.
        embeddings_path: Every vector that the run needed; missing where the embedder has no weights.
        checkpoints_path: The folder of checkpoints.
        figures_path: The folder of figures.
        report_path: The report.
        view_path: The viewer's page, which the report's links open; missing where the run is too large for one.
        comparison_path: The run beside another one; only where that was asked for.
        error_path: Where in the program a run broke that failed; missing otherwise.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self.manifest_path = self.path / "manifest.json"
        self.events_path = self.path / "events.jsonl"
        self.metrics_path = self.path / "metrics.csv"
        self.transcript_path = self.path / "transcript.sqlite"
        self.embeddings_path = self.path / "embeddings.sqlite"
        self.checkpoints_path = self.path / "checkpoints"
        self.figures_path = self.path / "figures"
        self.report_path = self.path / "report.html"
        self.view_path = self.path / "view.html"
        self.comparison_path = self.path / "comparison.html"
        self.error_path = self.path / "error.txt"

    def check_free(self, *, force: bool) -> None:
        """Check that a run can start here; writes nothing.

        Args:
            force: Whether a run that is here already may be replaced.

        Raises:
            DirectoryError: if something is in the way, or nothing can be written there.
        """
        check_place(self.path)
        if not self.path.exists():
            return
        if self.manifest_path.is_file():
            if not force:
                raise DirectoryError(f"{self.path} holds a run already; give another --out, or --force to replace it")
        elif self._has_other_files():
            raise DirectoryError(
                f"{self.path} holds files that are not a run's, which are not replaced; give another --out"
            )

    def _has_other_files(self) -> bool:
        """Return whether there are files beyond those of a run that was killed before it had a manifest."""
        if self.events_path.is_file() and self.events_path.stat().st_size:
            return True
        return any(entry.name not in (*_OWNED, LOCK_NAME) for entry in self.path.iterdir())

    def check_run(self) -> None:
        """Check that the directory holds a run.

        Raises:
            DirectoryError: if there is none; the message names one nearby that has a similar name.
        """
        if self.manifest_path.is_file():
            return
        if self.path.exists():
            raise DirectoryError(f"{self.path} is not the directory of a run: it has no manifest.json")
        near = nearby(self.path, lambda one: (one / self.manifest_path.name).exists())
        hint = f"; did you mean {near}?" if near is not None else "; give one that irollan run has made"
        raise DirectoryError(f"there is no run directory {self.path}{hint}")

    def read_manifest(self) -> dict[str, Any]:
        """Read the manifest.

        Raises:
            DirectoryError: if there is no run here, or its manifest cannot be read.
        """
        self.check_run()
        try:
            manifest = json.loads(self.manifest_path.read_bytes())
        except ValueError as error:
            raise DirectoryError(f"{self.manifest_path} is damaged: {error}") from error
        if not isinstance(manifest, dict):
            raise DirectoryError(f"{self.manifest_path} is damaged: it must be a JSON object")
        return manifest

    def write_manifest(self, manifest: Mapping[str, Any]) -> None:
        """Replace the manifest in one move."""
        write_atomically(self.manifest_path, json.dumps(manifest, indent=2, ensure_ascii=False).encode() + b"\n")

    def records(self) -> list[Record]:
        """Read all records, in order."""
        return records.read_jsonl(self.events_path) if self.events_path.exists() else []

    def lost_steps(self, manifest: Mapping[str, Any]) -> str:
        """Describe time steps that the manifest counts and the records lack; empty where none is missing.

        Raises:
            ValueError: if the records of the first time step are damaged.
        """
        done = manifest.get("steps_done")
        lines = read_lines(self.events_path) if self.events_path.is_file() else []
        there = records.count_whole_steps(self.events_path, lines)
        if not isinstance(done, int) or there >= done:
            return ""
        return f"{self.events_path} has {there} of the {done} steps that {self.manifest_path.name} names"

    def check_steps(self, manifest: Mapping[str, Any]) -> None:
        """Check that the records reach as far as the manifest says.

        Raises:
            DirectoryError: if time steps are lost; the message says how many are there, and what can be done with them.
            ValueError: if the records of the first time step are damaged.
        """
        if lost := self.lost_steps(manifest):
            raise DirectoryError(f"{lost}; {' or '.join(['get it back as it was', *self.ways_to_branch()])}")

    def ways_to_branch(self) -> list[str]:
        """Describe how to branch off a damaged run before the damage: one way, or none."""
        if not (self.events_path.is_file() and self.transcript_path.is_file() and self.transcript_path.stat().st_size):
            return []
        try:
            there = records.count_whole_steps(self.events_path, read_lines(self.events_path))
            asked = self.read_manifest().get("configuration", {}).get("effective", {}).get("steps")
        except ValueError:
            return []
        at = min(there, asked - 1) if isinstance(asked, int) and asked > 0 else there
        return [f"begin a new run from step {at} of its transcript with: irollan branch {self.path} --at {at}"]

    def metrics(self) -> list[dict[str, Any]]:
        """Read all rows of metrics, in order."""
        return metrics.read_csv(self.metrics_path) if self.metrics_path.exists() else []


class RunWriter:
    """Write to a run directory, one process at a time.

    Attributes:
        directory: The run directory.
    """

    def __init__(self, directory: RunDirectory, *, replace: bool = False) -> None:
        """Make the directory if needed, and lock it.

        Args:
            directory: Where; ``check_free`` or ``check_run`` says beforehand whether it is in order.
            replace: Remove the files of an earlier run. Files that no run writes stay.

        Raises:
            BusyError: if another process writes to it.
        """
        self.directory = directory
        directory.path.mkdir(parents=True, exist_ok=True)
        self._lock = DirectoryLock(directory.path)
        if replace:
            for path in (directory.path / name for name in _OWNED):
                if path.is_dir() and not path.is_symlink():
                    shutil.rmtree(path)
                else:
                    path.unlink(missing_ok=True)
        # Without a buffer, in which what a full disk did not take would stay.
        self._files: dict[str, FileIO] = {name: (directory.path / name).open("ab", buffering=0) for name in _GROWING}
        if self._files["metrics.csv"].tell() < len(metrics.HEADER):
            # None yet, or one that a full disk cut short.
            self._files["metrics.csv"].truncate(0)
            self._append("metrics.csv", metrics.HEADER.encode())

    def append(self, new: Iterable[Record], rows: Iterable[Metric]) -> None:
        """Append one time step.

        Args:
            new: Its records.
            rows: Its metrics.
        """
        lines = records.to_jsonl(new)
        self._append("events.jsonl", lines)
        self._append("metrics.csv", metrics.to_csv(rows).encode())

    @staticmethod
    def first_sizes() -> dict[str, int]:
        """Return the size of each growing file before the first time step."""
        return {"events.jsonl": 0, "metrics.csv": len(metrics.HEADER)}

    def sizes(self) -> dict[str, int]:
        """Flush the growing files to the disk and return their sizes."""
        for file in self._files.values():
            os.fsync(file.fileno())
        return {name: file.tell() for name, file in self._files.items()}

    def truncate(self, sizes: Mapping[str, int]) -> None:
        """Truncate the growing files to earlier ``sizes``.

        Raises:
            DirectoryError: if a file is shorter than that; nothing has changed then.
        """
        self.check_sizes(sizes)
        for name, file in self._files.items():
            file.truncate(sizes[name])
            file.seek(0, os.SEEK_END)

    def check_sizes(self, sizes: Mapping[str, int]) -> None:
        """Check that the growing files are at least as long as earlier ``sizes``, and that a line ended there.

        Raises:
            DirectoryError: if one is shorter, or was written anew since.
        """
        for name, file in self._files.items():
            if (size := file.seek(0, os.SEEK_END)) < sizes[name]:
                raise DirectoryError(
                    f"{self.directory.path / name} is cut short: it has {size} bytes, and had {sizes[name]} when the "
                    "checkpoint was made"
                )
            if sizes[name] and not _line_ends_at(self.directory.path / name, sizes[name]):
                raise DirectoryError(
                    f"{self.directory.path / name} was written anew since the checkpoint was made: no line of it ends "
                    f"at byte {sizes[name]}"
                )

    def close(self) -> None:
        """Unlock the directory."""
        for file in self._files.values():
            file.close()
        self._lock.release()

    def __enter__(self) -> RunWriter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _append(self, name: str, data: bytes) -> None:
        file, left = self._files[name], memoryview(data)
        while left:
            left = left[file.write(left) :]


def _line_ends_at(path: Path, size: int) -> bool:
    with path.open("rb") as file:
        file.seek(size - 1)
        return file.read(1) == b"\n"
