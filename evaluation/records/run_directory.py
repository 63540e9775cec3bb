"""The directory of one run: its files, its lock, and reading it again."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from io import FileIO
from pathlib import Path
from types import TracebackType
from typing import Any

from evaluation.records import metrics, records
from evaluation.records.checksums import (
    CHECKSUMS,
    EVENTS,
    GROWING,
    METRICS,
    TRANSCRIPT,
    Calls,
    Chain,
    Checksum,
    DamageError,
    Extent,
    Prefix,
    calls_prefix,
    read_chain,
    sealed_files,
    sha256_of,
)
from evaluation.records.directories import LOCK_NAME, DirectoryError, DirectoryLock, check_place
from evaluation.records.files import check_no_link, nearby, write_atomically
from evaluation.records.manifest_file import FILES, RUNNING, identify, is_run, manifest_bytes, read_manifest
from evaluation.records.map_file import MAP, map_bytes, read_map
from evaluation.records.metrics import Metric
from evaluation.records.records import Record
from irollan_env.map.valley_map import ValleyMap
from language_models.transcript.transcript import Transcript

NO_CALLS = Calls(made={}, digest=f"{0:064x}")
"""The calls of a run before its first one."""

_OWNED = (
    *GROWING,
    CHECKSUMS,
    *(f"{name}.sqlite{end}" for name in ("transcript", "embeddings") for end in ("", "-wal", "-shm", "-journal")),
    "checkpoints/step-*.json",
    "checkpoints/.step-*.json.new",
    *(
        f"figures/{name}.png"
        for name in (
            *("driver", "emotion", "resources", "topics", "needs", "variables"),
            *("interactions", "whereabouts", "network"),
        )
    ),
    "figures/.*.png.new",
    *(f"{name}.html" for name in ("report", "view", "comparison")),
    *(f".{name}.html.new" for name in ("report", "view", "comparison")),
    "error.txt",
    ".error.txt.new",
    ".manifest.json.new",
    MAP,
    f".{MAP}.new",
    # The last, so that what is left of a run that is being removed is known as a run's.
    "manifest.json",
)
"""What a run writes, as patterns of paths in its directory."""


def check_outside_runs(path: Path, *own: Path) -> None:
    """Check that a folder to write to is not within a run.

    Args:
        path: The folder, which need not be there.
        own: Folders in which it may be.

    Raises:
        DirectoryError: if it is.
    """
    place, mine = path.resolve(), [one.resolve() for one in own]
    for folder in (place, *place.parents):
        if folder not in mine and is_run(folder):
            where = "holds another run" if folder == place else f"lies within the run {folder}"
            raise DirectoryError(f"{path} {where}; give another --out")


class RunDirectory:
    """Read and write the files of one run.

    Attributes:
        path: The directory.
        pages: The folder of figures and pages.
        manifest_path: What the run says about itself.
        events_path: One record per resident and time step.
        metrics_path: The numbers in long form.
        map_path: The map; missing in runs of version 0.1.0, which are in the paper's valley.
        checksums_path: What verifies the records of each step.
        transcript_path: Every model call.
        embeddings_path: Every vector that the run needed; missing where the embedder has no weights.
        checkpoints_path: The folder of checkpoints.
        figures_path: The folder of figures.
        report_path: The report.
        view_path: The viewer's page, which the report's links open; missing where the run is too large for one.
        comparison_path: The run beside another one; only where that was asked for.
        error_path: Where in the program a run broke that failed; missing otherwise.
    """

    def __init__(self, path: str | Path, pages: Path | None = None) -> None:
        """Name the files of a run; nothing is read or written.

        Args:
            path: Its directory.
            pages: Where its figures and pages are written; in its directory when None.
        """
        self.path = Path(path)
        self.pages = self.path if pages is None else pages
        self.manifest_path = self.path / "manifest.json"
        self.events_path = self.path / "events.jsonl"
        self.metrics_path = self.path / "metrics.csv"
        self.map_path = self.path / MAP
        self.checksums_path = self.path / CHECKSUMS
        self.transcript_path = self.path / TRANSCRIPT
        self.embeddings_path = self.path / "embeddings.sqlite"
        self.checkpoints_path = self.path / "checkpoints"
        self.figures_path = self.pages / "figures"
        self.report_path = self.pages / "report.html"
        self.view_path = self.pages / "view.html"
        self.comparison_path = self.pages / "comparison.html"
        self.error_path = self.path / "error.txt"

    def check_free(self, *, force: bool) -> None:
        """Check that a run can start here; writes nothing.

        Args:
            force: Whether a run that is here already may be replaced.

        Raises:
            DirectoryError: if something is in the way, or nothing can be written there.
        """
        check_place(self.path)
        check_outside_runs(self.path, self.path)
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
            if entry.name in (MAP, f".{MAP}.new"):
                return self.events_path.is_file()
            begun = entry.name in (*GROWING, CHECKSUMS) and entry.is_file() and entry.stat().st_size <= len(header)
            return begun and header.startswith(entry.read_bytes())

        return all(map(is_leftover, self.path.iterdir()))

    def check_run(self) -> None:
        """Check that the directory holds a run.

        Raises:
            DirectoryError: if there is none; the message names one nearby that has a similar name.
        """
        if not self.manifest_path.is_file():
            raise DirectoryError(self._why_no_run())
        identify(self.manifest_path)

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
            DirectoryError: if there is no run here, or its manifest is damaged.
        """
        if not self.manifest_path.is_file():
            raise DirectoryError(self._why_no_run())
        return read_manifest(self.manifest_path)

    def _why_no_run(self) -> str:
        if self.path.exists():
            return f"{self.path} is not the directory of a run: it has no manifest.json"
        near = nearby(self.path, lambda one: (one / self.manifest_path.name).exists())
        hint = f"; did you mean {near}?" if near is not None else "; give one that irollan run has made"
        return f"there is no run directory {self.path}{hint}"

    def write_manifest(self, manifest: Mapping[str, Any]) -> None:
        """Replace the manifest in one move; once the run has ended, it has the sha256 of the files beside it, too.

        Its format and version are added.
        """
        whole = {key: value for key, value in manifest.items() if key != FILES}
        if whole.get("status") != RUNNING:
            whole[FILES] = sealed_files(self.path)
        write_atomically(self.manifest_path, manifest_bytes(whole))

    def write_map(self, valley_map: ValleyMap) -> None:
        """Write the copy of the map that ``read_map`` reads."""
        write_atomically(self.map_path, map_bytes(valley_map))

    def read_map(self) -> ValleyMap:
        """Read the map of the run; of a run of version 0.1.0, which has no copy of it, the paper's valley.

        Raises:
            DirectoryError: if there is no run here, or its manifest or its map is damaged.
        """
        known = self.read_manifest().get("map")
        return ValleyMap.default() if known is None else read_map(self.map_path, known)

    def verified(self) -> VerifiedRun:
        """Read and verify the manifest and the checksums, by which the other files are verified as they are read.

        Raises:
            DirectoryError: if there is no run here, or one of the two is damaged.
        """
        manifest, chain = self._read_chain()
        _refuse_damage(self.path, self.checksums_path, Prefix(0, b"", self._chain_fault(manifest, chain)))
        return VerifiedRun(self, manifest, chain)

    def records(self) -> list[Record]:
        """Read the records of all whole time steps, in order.

        Raises:
            DamageError: if they are not as they were written.
        """
        return self.verified().records()

    def metrics(self) -> list[dict[str, Any]]:
        """Read the rows of metrics of all whole time steps, in order.

        Raises:
            DamageError: if they are not as they were written.
        """
        return self.verified().metrics()

    def transcript(self) -> Transcript:
        """Open the transcript for reading.

        Raises:
            DamageError: if its calls are not as they were written.
        """
        return self.verified().transcript()

    def whole(self, name: str) -> Prefix:
        """Read the whole time steps of a growing file.

        Args:
            name: The file.

        Raises:
            DamageError: if they are not as they were written, or some are lost.
        """
        return self.verified().whole(name)

    def prefixes(self) -> dict[str, Prefix]:
        """Verify the checksums, the records, the metrics and the transcript, and return the whole part of each.

        Raises:
            DirectoryError: if there is no run here, its manifest is damaged, or it has no checksums.
        """
        manifest, chain = self._read_chain()
        sealed = manifest.get(FILES)
        found = {CHECKSUMS: Prefix(len(chain.lines), b"", self._chain_fault(manifest, chain))}
        found |= {name: chain.prefix(name, closed=sealed is not None) for name in GROWING}
        found[TRANSCRIPT] = _calls_of(manifest, chain)
        if found[CHECKSUMS].fault:
            # What stands behind the last whole line is not verified, which is no fault of the other files.
            found |= {name: replace(one, fault="") for name, one in found.items() if name in GROWING and one.left}
        return found

    def vectors_fault(self) -> str:
        """Describe what is wrong with the vectors of a run that has ended; empty where nothing is."""
        sealed = self.read_manifest().get(FILES, {}).get(self.embeddings_path.name)
        if sealed is None or not self.embeddings_path.is_file() or sha256_of(self.embeddings_path) == sealed:
            return ""
        return "is damaged; remove it, and vectors are computed again"

    def check_vectors(self) -> None:
        """Check the vectors of a run that has ended; one that goes on may still add some.

        Raises:
            DamageError: if they are not as they were written.
        """
        if fault := self.vectors_fault():
            raise DamageError(f"{self.embeddings_path} {fault}")

    def _read_chain(self) -> tuple[dict[str, Any], Chain]:
        return self.read_manifest(), read_chain(self.path)

    def _chain_fault(self, manifest: Mapping[str, Any], chain: Chain) -> str:
        """Describe what is wrong with the checksums; empty where nothing is."""
        if chain.fault:
            return chain.fault
        done, sealed = manifest["steps_done"], manifest.get(FILES)
        if len(chain.lines) < done:
            return f"is cut short: it has {len(chain.lines)} of the {done} steps that {self.manifest_path.name} names"
        if sealed is not None and sealed.get(CHECKSUMS) != sha256_of(self.checksums_path):
            return "is damaged: it does not have the sha256 that it had when the run ended"
        return ""


@dataclass(frozen=True, slots=True)
class VerifiedRun:
    """A run whose manifest and checksums are read once, for readers of several of its files.

    Attributes:
        directory: Of the run.
        manifest: What the run says about itself.
        chain: Its checksums.
    """

    directory: RunDirectory
    manifest: dict[str, Any]
    chain: Chain

    def whole(self, name: str) -> Prefix:
        """Read the whole time steps of a growing file; see ``RunDirectory.whole``."""
        found = self.chain.prefix(name, closed=FILES in self.manifest)
        _refuse_damage(self.directory.path, self.directory.path / name, found)
        return found

    def records(self) -> list[Record]:
        """Read the records of all whole time steps, in order; see ``RunDirectory.records``."""
        return records.parse_jsonl(self.directory.events_path, self.whole(EVENTS).data)

    def metrics(self) -> list[dict[str, Any]]:
        """Read the rows of metrics of all whole time steps, in order; see ``RunDirectory.metrics``."""
        return metrics.parse_csv(self.directory.metrics_path, self.whole(METRICS).data)

    def transcript(self) -> Transcript:
        """Open the transcript for reading; see ``RunDirectory.transcript``."""
        path = self.directory.transcript_path
        _refuse_damage(self.directory.path, path, _calls_of(self.manifest, self.chain))
        return Transcript(path, read_only=True)


def _calls_of(manifest: Mapping[str, Any], chain: Chain) -> Prefix:
    sealed = manifest.get(FILES)
    return calls_prefix(chain, None if sealed is None else sealed.get(TRANSCRIPT, ""))


def _refuse_damage(run: Path, file: Path, found: Prefix) -> None:
    if found.fault:
        raise DamageError(f"{file} {found.fault}; irollan check {run} says what is whole, and what can still be had")


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
        self._place = os.open(directory.path, os.O_RDONLY) if os.name != "nt" else None
        self._files: dict[str, FileIO] = {}
        self._last: Checksum | None = None
        self._digests = {name: hashlib.sha256() for name in GROWING}
        if not directory.manifest_path.exists():
            self.rewind(Chain(directory.path, (), ""), 0)

    def append(self, new: Iterable[Record], rows: Iterable[Metric], calls: Calls = NO_CALLS) -> None:
        """Append one time step.

        Args:
            new: Its records.
            rows: Its metrics.
            calls: All calls of the run up to its end.
        """
        before, sizes = self._last, {name: file.tell() for name, file in self._files.items()}
        digests = {name: digest.copy() for name, digest in self._digests.items()}
        try:
            self._append(EVENTS, records.to_jsonl(new))
            self._append(METRICS, metrics.to_csv(rows).encode())
            self._append_checksum(calls)
        except OSError:
            # What a full disk took of the step is no step.
            self._last, self._digests = before, digests
            for name, size in sizes.items():
                self._truncate(name, size)
            raise

    def _append_checksum(self, calls: Calls) -> None:
        files = {
            name: Extent(size=self._files[name].tell(), sha256=one.hexdigest()) for name, one in self._digests.items()
        }
        before = self._last
        last = Checksum(step=1 if before is None else before.step + 1, files=files, calls=calls)
        self._last = last.after("" if before is None else before.sha256)
        self._append(CHECKSUMS, self._last.to_line())

    def sync(self) -> str:
        """Flush the growing files to the disk, and return the sha256 of the last step; empty before the first."""
        for file in self._files.values():
            os.fsync(file.fileno())
        return "" if self._last is None else self._last.sha256

    def rewind(self, chain: Chain, step: int) -> None:
        """Take the growing files back to what they were after a step; nothing else opens those of a run that is here.

        Args:
            chain: The checksums of the run, of which that step is whole.
            step: How many time steps stay.
        """
        for name in (*GROWING, CHECKSUMS):
            if name not in self._files:
                # Without a buffer, in which what a full disk did not take would stay.
                self._files[name] = (self.directory.path / name).open("ab", buffering=0)
        self._last = chain.at(step)
        # The checksums first: where this is interrupted, what stands behind the last of them counts for nothing.
        self._truncate(CHECKSUMS, sum(len(line.to_line()) for line in chain.lines[:step]))
        for name in GROWING:
            size = chain.extents(name)[step].size if step else 0
            self._truncate(name, size)
            data = (self.directory.path / name).read_bytes()
            self._digests[name] = hashlib.sha256(data)
        if not step:
            self._append(METRICS, metrics.HEADER.encode())

    def close(self) -> None:
        """Unlock the directory."""
        for file in self._files.values():
            file.close()
        if self._place is not None:
            os.close(self._place)
            self._place = None
        self._lock.release()

    def moved(self) -> RunDirectory | None:
        """Return where the directory is now if somebody moved it while it is written to; None if it is in its place.

        Raises:
            DirectoryError: if it was removed, or it is not known where it was moved to.
        """
        path, place = self.directory.path, self._place
        with suppress(FileNotFoundError, NotADirectoryError):
            if place is None or os.path.samestat(path.stat(), os.fstat(place)):
                return None
        with suppress(OSError):
            now = Path(os.readlink(f"/proc/self/fd/{place}"))
            if now.is_dir():
                return RunDirectory(now)
        raise DirectoryError(f"{path} was moved or removed while the run wrote to it, and its records with it")

    def __enter__(self) -> RunWriter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _append(self, name: str, data: bytes) -> None:
        if name in self._digests:
            self._digests[name].update(data)
        file, left = self._files[name], memoryview(data)
        while left:
            left = left[file.write(left) :]

    def _truncate(self, name: str, size: int) -> None:
        self._files[name].truncate(size)
        self._files[name].seek(0, os.SEEK_END)
