"""Verify all files of a run, and say what can still be had of a damaged one."""

from __future__ import annotations

from dataclasses import dataclass

from evaluation.records.checksums import MISSING, read_chain
from evaluation.records.map_file import MAP_REMEDY, map_fault
from evaluation.records.run_directory import RunDirectory
from evaluation.runs import checkpoints
from evaluation.runs.checkpoints import CheckpointError


@dataclass(frozen=True, kw_only=True, slots=True)
class FileCheck:
    """Describe what is whole of a file.

    Attributes:
        file: Its path within the run.
        fault: What is wrong with it; empty where nothing is.
        steps: How many time steps of it are whole; None for a file that does not grow with them.
    """

    file: str
    fault: str
    steps: int | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class RunCheck:
    """Describe what is whole of a run.

    Attributes:
        steps: How many time steps were recorded.
        files: What is whole of each file.
        remedies: What can still be had of a damaged run, each with its command; empty for a whole one.
    """

    steps: int
    files: tuple[FileCheck, ...]
    remedies: tuple[str, ...]

    @property
    def whole(self) -> bool:
        """Return whether nothing is damaged."""
        return not any(one.fault for one in self.files)


def check_run(directory: RunDirectory) -> RunCheck:
    """Verify all files of a run; writes nothing.

    Args:
        directory: The run.

    Raises:
        DirectoryError: if there is no run, it has no checksums, or its manifest is damaged.
    """
    manifest, chain, prefixes = directory.read_manifest(), read_chain(directory.path), directory.prefixes()
    found = [FileCheck(file=name, fault=one.fault, steps=one.steps) for name, one in prefixes.items()]
    remedies: list[str] = []
    if (known := manifest.get("map")) is not None:
        fault = map_fault(directory.map_path, known)
        found.append(FileCheck(file=directory.map_path.name, fault=fault))
        if fault:
            remedies.append(f"put {directory.map_path.name} back {MAP_REMEDY}")
    if directory.embeddings_path.is_file():
        found.append(FileCheck(file=directory.embeddings_path.name, fault=directory.vectors_fault()))
    there = [path.relative_to(directory.path).as_posix() for path in checkpoints.paths(directory.checkpoints_path)]
    listed = [name for name in manifest.get("files", {}) if name.startswith(directory.checkpoints_path.name)]
    for name in sorted({*there, *listed}):
        fault = ""
        try:
            checkpoints.load(directory.path / name)
        except CheckpointError as error:
            fault = str(error).removeprefix(f"{directory.path / name} ") if name in there else MISSING
        found.append(FileCheck(file=name, fault=fault))
    if any(prefix.fault for prefix in prefixes.values()):
        try:
            usable, _ = checkpoints.usable_checkpoint(directory, prefixes, chain)
        except CheckpointError:
            usable = None
        remedies += [f"put {name} back from a copy" for name, one in prefixes.items() if one.fault == MISSING]
        if usable is not None:
            remedies.append(f"resume from step {usable.step} with: irollan resume {directory.path}")
        remedies.append(checkpoints.way_to_branch(directory, prefixes))
    return RunCheck(steps=len(chain.lines), files=tuple(found), remedies=tuple(remedies))
