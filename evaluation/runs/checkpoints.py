"""Checkpoints: everything that a run needs to resume exactly, one hashed JSON file each."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from evaluation.records.checksums import (
    CHECKSUMS,
    EVENTS,
    TRANSCRIPT,
    Chain,
    DamageError,
    Prefix,
    first_fault,
    read_chain,
)
from evaluation.records.files import sync_folder, write_atomically
from evaluation.records.manifest_file import load_object
from evaluation.records.run_directory import RunDirectory, RunWriter
from evaluation.runs.progress import Progress
from evaluation.runs.society import Society
from itcma_s.mind_state import check_mind_version
from minds.decision import UnusableMind
from minds.hosted import check_hosted_version, is_hosted

VERSION = 2
KEPT = 2


class CheckpointError(ValueError):
    """Raised for a file that is no checkpoint, is damaged, or has another version."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Checkpoint:
    """Hold the state of a run between two time steps.

    Attributes:
        step: How many time steps are done.
        society: What ``Society.get_state`` gave.
        transcript: What ``Transcript.ids.position`` gave.
        checksum: The sha256 of the line of checksums.jsonl that verifies all that was recorded up to here; empty before
            the first step.
    """

    step: int
    society: Mapping[str, Any]
    transcript: Mapping[str, int]
    checksum: str


class _Strict(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid")


class _Society(_Strict):
    world: dict[str, Any]
    table: dict[str, Any] | None
    residents: dict[str, dict[str, Any]]
    framework: dict[str, Any] | None


class _Content(_Strict):
    step: int
    society: _Society
    transcript: dict[str, int]
    checksum: str


class _File(_Strict):
    version: int
    sha256: str
    content: Any


def save(folder: Path, checkpoint: Checkpoint, *, keep: int = KEPT) -> Path:
    """Write a checkpoint, then remove the oldest ones.

    Args:
        folder: Is made if it does not exist.
        checkpoint: What to write.
        keep: How many to keep, at least 1: should the newest turn out damaged, the one before it serves.

    Raises:
        ValueError: if keep is below 1, or the state is not JSON-ready.
    """
    if keep < 1:
        raise ValueError(f"keep must be at least 1 checkpoint, got {keep}")
    folder.mkdir(exist_ok=True)
    try:
        content = _canonical({field.name: getattr(checkpoint, field.name) for field in fields(checkpoint)})
    except (TypeError, ValueError) as error:
        raise ValueError(f"the state after step {checkpoint.step} is not JSON-ready: {error}") from error
    path = path_of(folder, checkpoint.step)
    write_atomically(path, f'{{"version":{VERSION},"sha256":"{_sha256(content)}","content":{content}}}\n'.encode())
    for old in paths(folder)[:-keep]:
        old.unlink()
    return path


def load(path: Path) -> Checkpoint:
    """Read a checkpoint.

    Raises:
        CheckpointError: if it is damaged or of another version.
    """
    try:
        file = _File.model_validate(load_object(path))
        if file.version != VERSION:
            raise CheckpointError(
                f"{path} is a checkpoint of version {file.version}, this program reads version {VERSION}"
            )
        if _sha256(_canonical(file.content)) != file.sha256:
            raise CheckpointError(f"{path} is damaged: its content does not have the sha256 that it states")
        _Content.model_validate(file.content)
    except ValidationError as error:
        raise CheckpointError(f"{path} is damaged: {first_fault(error)}") from error
    except (OSError, DamageError) as error:
        raise CheckpointError(str(error)) from error
    return Checkpoint(**file.content)


def path_of(folder: Path, step: int) -> Path:
    """Return the path of the checkpoint after a time step, whether it exists or not.

    Args:
        folder: Of the checkpoints.
        step: How many time steps are done.
    """
    return folder / _name(step)


def paths(folder: Path) -> list[Path]:
    """List all checkpoints of a folder, oldest first."""
    return sorted(folder.glob("step-*.json"))


def newest(folder: Path) -> Checkpoint | None:
    """Load the newest checkpoint; None where there is none.

    Raises:
        CheckpointError: if it is damaged.
    """
    found = paths(folder)
    return load(found[-1]) if found else None


def restore(society: Society, checkpoint: Checkpoint, path: Path) -> None:
    """Put a society into the state of a checkpoint.

    Args:
        society: Of the same configuration.
        checkpoint: The state.
        path: Of the run or of the checkpoint, for the message.

    Raises:
        CheckpointError: if it is the state of another society, or lacks something.
        UnusableMind: if a mind cannot be restored.
    """
    try:
        society.set_state(checkpoint.society)
    except UnusableMind:
        raise
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        why = str(error) if isinstance(error, ValueError) else repr(error)
        raise CheckpointError(f"{path}: the state after step {checkpoint.step} does not fit this run: {why}") from error


def check_versions(checkpoint: Checkpoint) -> None:
    """Check that this code can resume the minds of a checkpoint.

    Raises:
        ValueError: for another version.
    """
    for mind in checkpoint.society["residents"].values():
        (check_hosted_version if is_hosted(mind) else check_mind_version)(mind)


def discard_after(folder: Path, step: int | None) -> None:
    """Remove the checkpoints after a time step, so that a later resume does not use them.

    Args:
        folder: Where they are; it need not exist.
        step: How many time steps are done where the run resumes; None for a new run, which removes all.
    """
    stale = [path for path in paths(folder) if step is None or path.name > _name(step)]
    for path in stale:
        path.unlink()
    if stale:
        sync_folder(folder)


def latest(
    folder: Path, check: Callable[[Checkpoint], None] = lambda checkpoint: None
) -> tuple[Checkpoint | None, list[Exception]]:
    """Load the newest usable checkpoint, and say why newer ones are not usable.

    Args:
        folder: Where they are.
        check: Raises a ValueError for a checkpoint that is whole, but does not go with the other files of its run.

    Returns:
        None as the checkpoint where the folder holds none at all: nothing was done yet.

    Raises:
        CheckpointError: if there are checkpoints, and none from which a run can be resumed.
    """
    passed_over: list[Exception] = []
    for path in reversed(paths(folder)):
        try:
            checkpoint = load(path)
            check(checkpoint)
        except ValueError as error:
            passed_over.append(error)
        else:
            return checkpoint, passed_over
    if passed_over:
        raise CheckpointError(f"there is no checkpoint in {folder} to resume from: {'; '.join(map(str, passed_over))}")
    return None, []


def last_good_checkpoint(directory: RunDirectory, progress: Progress) -> tuple[Chain, Checkpoint | None]:
    """Load the newest checkpoint that stands on whole records; writes nothing.

    Args:
        directory: Of the run.
        progress: Shows why newer checkpoints are skipped.

    Returns:
        The run's checksums, and the checkpoint; None for a run without steps.

    Raises:
        CheckpointError: if there is none from which it can be resumed; the message says what can be done.
        DirectoryError: if the run has no checksums.
    """
    prefixes, chain = directory.prefixes(), read_chain(directory.path)
    faults = "; ".join(f"{directory.path / name} {prefix.fault}" for name, prefix in prefixes.items() if prefix.fault)
    try:
        checkpoint, passed_over = usable_checkpoint(directory, prefixes, chain)
        if checkpoint is None and (faults or chain.lines):
            raise CheckpointError(f"{directory.checkpoints_path} holds no checkpoint any more")
    except CheckpointError as error:
        reason = f"{faults}, and no checkpoint belongs to the undamaged steps" if faults else str(error)
        raise CheckpointError(f"{reason}; get it back, or {way_to_branch(directory, prefixes)}") from error
    if faults:
        progress.say(f"damaged, and not used: {faults}")
    for passed in passed_over:
        progress.say(f"passing over a checkpoint: {passed}")
    if checkpoint is None:
        if directory.read_manifest().get("parent") is not None:
            raise CheckpointError(f"{directory.path} had not left its parent yet; begin it again with irollan branch")
        progress.say("there is no checkpoint yet: beginning with the first time step")
    elif passed_over:
        progress.say(f"resuming from the checkpoint before, with {checkpoint.step} steps done")
    return chain, checkpoint


def usable_checkpoint(
    directory: RunDirectory, prefixes: Mapping[str, Prefix], chain: Chain
) -> tuple[Checkpoint | None, list[Exception]]:
    """Load the newest checkpoint that stands on what is whole of a run, and say why newer ones are not usable.

    Args:
        directory: Of the run.
        prefixes: What is whole of it, by file.
        chain: Its checksums.

    Raises:
        CheckpointError: if there are checkpoints, and none is usable.
    """
    whole = min(prefix.steps for prefix in prefixes.values())

    def check(checkpoint: Checkpoint) -> None:
        path = path_of(directory.checkpoints_path, checkpoint.step)
        if checkpoint.step > whole:
            raise CheckpointError(f"{path} is of a later step than the {whole} undamaged ones")
        line = chain.at(checkpoint.step)
        if checkpoint.checksum != ("" if line is None else line.sha256):
            raise CheckpointError(f"{path} belongs to other records")
        check_versions(checkpoint)

    return latest(directory.checkpoints_path, check)


def way_to_branch(directory: RunDirectory, prefixes: Mapping[str, Prefix]) -> str:
    """Describe how to branch off a damaged run before the damage, or how to live it anew without its transcript.

    Args:
        directory: Of the run.
        prefixes: What is whole of it, by file.
    """
    whole = min(prefixes[name].steps for name in (CHECKSUMS, EVENTS, TRANSCRIPT))
    at = min(whole, int(directory.read_manifest()["configuration"]["effective"]["steps"]) - 1)
    if prefixes[TRANSCRIPT].fault and not prefixes[TRANSCRIPT].steps:
        return (
            f"begin a new run with its configuration, whose models are asked for everything, with: irollan branch "
            f"{directory.path} --at 0"
        )
    return f"begin a new run from step {at} of its transcript with: irollan branch {directory.path} --at {at}"


def rewind(writer: RunWriter, chain: Chain | None = None, checkpoint: Checkpoint | None = None) -> None:
    """Remove everything that a run wrote after a checkpoint, newer checkpoints first.

    Args:
        writer: Of the run's directory.
        chain: The run's checksums; None for a run that begins.
        checkpoint: The state to return to; None removes everything.
    """
    directory, step = writer.directory, 0 if checkpoint is None else checkpoint.step
    discard_after(directory.checkpoints_path, None if checkpoint is None else step)
    chain = Chain(directory.path, (), "") if chain is None else chain
    if step < len(chain.lines):
        # They show steps that are no longer there.
        for page in (directory.report_path, directory.view_path):
            page.unlink(missing_ok=True)
    writer.rewind(chain, step)


def _name(step: int) -> str:
    return f"step-{step:07d}.json"


def _canonical(value: Any) -> str:
    # ASCII only: a lone surrogate in a model's text stays what it is.
    return json.dumps(value, separators=(",", ":"), allow_nan=False)


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
