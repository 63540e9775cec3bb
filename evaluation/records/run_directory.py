"""The directory of one run: its files, its lock, and reading it again."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from contextlib import suppress
from io import FileIO
from pathlib import Path
from types import TracebackType
from typing import Any

from evaluation.records import metrics, records
from evaluation.records.directories import LOCK_NAME, DirectoryError, DirectoryLock, check_place
from evaluation.records.files import check_no_link, nearby, read_lines, write_atomically
from evaluation.records.metrics import Metric
from evaluation.records.records import Record

FORMAT = "irollan run"
"""What the manifest of every run names as its format."""

VERSION = 1
"""Version of the files of a run."""

_GROWING = ("events.jsonl", "metrics.csv")
_OWNED = (
    *_GROWING,
    *(f"{name}.sqlite{end}" for name in ("transcript", "embeddings") for end in ("", "-wal", "-shm", "-journal")),
    "checkpoints/step-*.json",
    "checkpoints/.step-*.json.new",
    *(
        f"figures/{name}.png"
        for name in ("driver", "emotion", "resources", "topics", "interactions", "whereabouts", "network")
    ),
    "figures/.*.png.new",
    *(f"{name}.html" for name in ("report", "view", "comparison")),
    *(f".{name}.html.new" for name in ("report", "view", "comparison")),
    "error.txt",
    ".error.txt.new",
    ".manifest.json.new",
    # The last, so that what is left of a run that is being removed is known as a run's.
    "manifest.json",
)
"""What a run writes, as patterns of paths in its directory."""


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
        if not self.path.exists() or self._has_leftovers_only():
            return
        if not self.manifest_path.is_file():
            raise DirectoryError(
                f"{self.path} holds files that are not a run's, which are not replaced; give another --out"
            )
        try:
            self.check_run()
        except DirectoryError as error:
            raise DirectoryError(f"{error}; its files are not replaced; give another --out") from error
        if not force:
            raise DirectoryError(f"{self.path} holds a run already; give another --out, or --force to replace it")
        self.check_links()

    def _has_leftovers_only(self) -> bool:
        """Return whether there is nothing, or what a run leaves that is killed before it has a manifest."""
        header = metrics.HEADER.encode()

        def is_leftover(entry: Path) -> bool:
            if entry.name in (LOCK_NAME, ".manifest.json.new"):
                return True
            begun = entry.name in _GROWING and entry.is_file() and entry.stat().st_size <= len(header)
            return begun and header.startswith(entry.read_bytes())

        return all(map(is_leftover, self.path.iterdir()))

    def check_run(self) -> None:
        """Check that the directory holds a run.

        Raises:
            DirectoryError: if there is none; the message names one nearby that has a similar name.
        """
        self.read_manifest()

    def check_links(self) -> None:
        """Check that what a run writes is not a link, which may lead to any file of this machine, nor a device.

        Raises:
            ValueError: if one is.
        """
        for folder in (self.checkpoints_path, self.figures_path):
            check_no_link(folder)
        for path in self._owned():
            check_no_link(path)
            if path.exists() and not path.is_file():
                raise DirectoryError(f"{path} is no file, as a run has it; remove it, or give another --out")

    def remove_run(self) -> None:
        """Remove the files of a run that is here; all others stay.

        Raises:
            ValueError: if what is here is not a run, or one of its files is a link.
        """
        if self._has_leftovers_only():
            return
        self.check_run()
        self.check_links()
        for path in self._owned():
            path.unlink(missing_ok=True)
        for folder in (self.checkpoints_path, self.figures_path):
            with suppress(OSError):
                folder.rmdir()

    def _owned(self) -> list[Path]:
        """List the files that are here under a name that a run gives, its manifest last."""
        found: list[Path] = []
        for pattern in _OWNED:
            path = self.path / pattern
            found += path.parent.glob(path.name) if "*" in pattern else [path] if os.path.lexists(path) else []
        return found

    def read_manifest(self) -> dict[str, Any]:
        """Read the manifest.

        Raises:
            DirectoryError: if there is no run here, or its manifest cannot be read.
        """
        if not self.manifest_path.is_file():
            raise DirectoryError(self._why_no_run())
        try:
            manifest = json.loads(self.manifest_path.read_bytes())
        except (ValueError, RecursionError) as error:
            raise DirectoryError(f"{self.manifest_path} is damaged: {error}") from error
        if not isinstance(manifest, dict):
            raise DirectoryError(f"{self.manifest_path} is damaged: it must be a JSON object")
        found = manifest.pop("format", None), manifest.pop("version", None)
        if found[0] != FORMAT:
            raise DirectoryError(
                f"{self.path} is not the directory of a run: its manifest.json does not have the format {FORMAT!r}"
            )
        if found[1] != VERSION:
            raise DirectoryError(
                f"{self.path} has a run of version {found[1]!r}, and this program reads version {VERSION}"
            )
        return manifest

    def _why_no_run(self) -> str:
        if self.path.exists():
            return f"{self.path} is not the directory of a run: it has no manifest.json"
        near = nearby(self.path, lambda one: (one / self.manifest_path.name).exists())
        hint = f"; did you mean {near}?" if near is not None else "; give one that irollan run has made"
        return f"there is no run directory {self.path}{hint}"

    def write_manifest(self, manifest: Mapping[str, Any]) -> None:
        """Replace the manifest in one move; its format and version are added."""
        whole = {"format": FORMAT, "version": VERSION, **manifest}
        write_atomically(self.manifest_path, json.dumps(whole, indent=2, ensure_ascii=False).encode() + b"\n")

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
            ValueError: if a file of the run is a link, or what is to be replaced is not a run.
        """
        self.directory = directory
        directory.path.mkdir(parents=True, exist_ok=True)
        self._lock = DirectoryLock(directory.path)
        try:
            if replace:
                directory.remove_run()
            directory.check_links()
        except ValueError:
            self._lock.release()
            raise
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
