"""Checkpoints: everything that a run needs to resume exactly, one hashed JSON file each."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from evaluation.records.directories import DirectoryError
from evaluation.records.files import sync_folder, write_atomically
from evaluation.records.run_directory import RunDirectory, RunWriter
from evaluation.runs.progress import Progress
from itcma_s.mind_state import check_mind_version
from language_models.transcript.transcript import Transcript
from minds.hosted import check_hosted_version, is_hosted

VERSION = 1
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
        sizes: Length in bytes of each file that grows, such as events.jsonl.
    """

    step: int
    society: Mapping[str, Any]
    transcript: Mapping[str, int]
    sizes: Mapping[str, int]


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
        data = json.loads(path.read_bytes())
        version, digest, content = data["version"], data["sha256"], data["content"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise CheckpointError(f"{path} is damaged: {error!r}") from error
    if version != VERSION:
        raise CheckpointError(f"{path} is a checkpoint of version {version}, this program reads version {VERSION}")
    if _sha256(_canonical(content)) != digest:
        raise CheckpointError(f"{path} is damaged: its content does not have the sha256 that it states")
    return Checkpoint(**{field.name: content[field.name] for field in fields(Checkpoint)})


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


def check_files(directory: RunDirectory, manifest: Mapping[str, Any]) -> None:
    """Check that a run has the files that it needs to resume; writes nothing.

    Args:
        directory: Of the run.
        manifest: Its manifest.

    Raises:
        DirectoryError: if one is missing, or empty.
    """
    done = manifest.get("steps_done")
    if not (done or paths(directory.checkpoints_path)):
        return
    for path in (directory.transcript_path, directory.events_path, directory.metrics_path):
        if not path.is_file():
            fault = "is missing"
        elif not path.stat().st_size and (done or path == directory.transcript_path):
            fault = "is empty"
        else:
            continue
        raise DirectoryError(
            f"{path} {fault}, and {directory.path} cannot resume without it; "
            f"{' or '.join(['get it back', *directory.ways_to_branch()])}"
        )


def last_good_checkpoint(writer: RunWriter, manifest: Mapping[str, Any], progress: Progress) -> Checkpoint | None:
    """Load the newest checkpoint that fits the records and the transcript; None for a run without steps.

    Args:
        writer: Of the run's directory.
        manifest: Its manifest.
        progress: Shows why newer checkpoints are skipped.

    Raises:
        CheckpointError: if there is none from which it can be resumed.
    """
    directory = writer.directory
    with Transcript(directory.transcript_path) as transcript:

        def check(checkpoint: Checkpoint) -> None:
            writer.check_sizes(checkpoint.sizes)
            transcript.ids.check_position(checkpoint.transcript)
            check_versions(checkpoint)

        try:
            checkpoint, passed_over = latest(directory.checkpoints_path, check)
        except CheckpointError as error:
            # Without lanes, it is one that started anew.
            ways = directory.ways_to_branch() if transcript.ids.residents() else []
            raise CheckpointError("; ".join([str(error), *ways])) from error
    for reason in passed_over:
        progress.say(f"passing over a checkpoint: {reason}")
    if checkpoint is None:
        if directory.events_path.stat().st_size:
            raise CheckpointError(
                f"{directory.checkpoints_path} holds no checkpoint any more; "
                f"{' or '.join(['get them back', *directory.ways_to_branch()])}"
            )
        if manifest.get("parent") is not None:
            raise CheckpointError(f"{directory.path} had not left its parent yet; begin it again with irollan branch")
        progress.say("there is no checkpoint yet: beginning with the first time step")
    elif passed_over:
        progress.say(f"resuming from the checkpoint before, with {checkpoint.step} steps done")
    return checkpoint


def rewind(writer: RunWriter, checkpoint: Checkpoint | None) -> None:
    """Remove everything that a run wrote after a checkpoint, newer checkpoints first.

    A newer one was passed over. Were it left, it would fit by its sizes once the files have grown again.

    Args:
        writer: Of the run's directory.
        checkpoint: The state to return to; None removes everything.
    """
    discard_after(writer.directory.checkpoints_path, None if checkpoint is None else checkpoint.step)
    writer.truncate(writer.first_sizes() if checkpoint is None else checkpoint.sizes)


def _name(step: int) -> str:
    return f"step-{step:07d}.json"


def _canonical(value: Any) -> str:
    # ASCII only: a lone surrogate in a model's text stays what it is.
    return json.dumps(value, separators=(",", ":"), allow_nan=False)


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
