"""Reader of finished runs for a rating study."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from evaluation.models.file_hashes import describe_models
from evaluation.rating.stories import StoryStep, stories
from evaluation.rating.study import RatingError
from evaluation.records.run_directory import RunDirectory
from evaluation.runs.architectures import ARCHITECTURES


@dataclass(frozen=True, kw_only=True)
class FinishedRun:
    """One finished run.

    Attributes:
        path: Its directory.
        run: Name in tables: the directory's name, or its path if names repeat.
        architecture: Its architecture.
        model: Its language model and adapter.
        steps: Number of time steps.
        residents: The story of each resident.
    """

    path: Path
    run: str
    architecture: str
    model: str
    steps: int
    residents: dict[str, tuple[StoryStep, ...]]


def read_finished_runs(runs: Sequence[Path]) -> list[FinishedRun]:
    """Read runs, and check that they can be rated together.

    Returns:
        The runs in the paper's order of architectures, within one as given.

    Raises:
        RatingError: if there are none, one is given twice, is not finished or incomplete, or they differ in length or
            residents, which would unblind raters.
        ValueError: if a path is no run.
    """
    if not runs:
        raise RatingError("no run to rate; give the directories of finished runs")
    paths = Counter(path.resolve() for path in runs)
    if twice := [path for path in runs if paths[path.resolve()] > 1]:
        raise RatingError(f"{twice[0]} is given {paths[twice[0].resolve()]} times; give each run once")
    names = Counter(path.resolve().name for path in runs)
    finished = [_read(path, path.resolve().name if names[path.resolve().name] == 1 else str(path)) for path in runs]
    _check_alike(finished)
    known = list(ARCHITECTURES)
    return sorted(finished, key=lambda one: known.index(one.architecture))


def _read(path: Path, run: str) -> FinishedRun:
    directory = RunDirectory(path)
    manifest = directory.read_manifest()
    try:
        effective = manifest["configuration"]["effective"]
        architecture, status, done = effective["architecture"], manifest["status"], int(manifest["steps_done"])
        model, steps = describe_models(manifest).get("Model", str(effective["model"]["name"])), int(effective["steps"])
    except (KeyError, TypeError) as error:
        raise RatingError(f"{directory.manifest_path} is damaged: it lacks {error}") from error
    if status != "finished":
        raise RatingError(
            f"{path} is not finished ({status}, {done} of {steps} steps are done); resume with: irollan resume {path}"
        )
    if architecture not in ARCHITECTURES:
        raise RatingError(f"{path} has the architecture {architecture!r}; expected one of {', '.join(ARCHITECTURES)}")
    records = directory.records()
    try:
        residents = stories(records)
    except (KeyError, TypeError) as error:
        raise RatingError(f"{directory.events_path} is damaged: a record lacks {error}") from error
    for resident, moments in residents.items():
        if [moment.step for moment in moments] != list(range(1, done + 1)):
            raise RatingError(
                f"{directory.events_path} is damaged: expected {done} steps of {resident}, got {len(moments)}"
            )
    if not residents:
        raise RatingError(f"{directory.events_path} has no records")
    return FinishedRun(path=path, run=run, architecture=architecture, model=model, steps=done, residents=residents)


def _check_alike(finished: Sequence[FinishedRun]) -> None:
    if len({one.steps for one in finished}) > 1:
        lengths = ", ".join(f"{one.path} has {one.steps} steps" for one in finished)
        shortest = min(finished, key=lambda one: one.steps)
        longest = max(one.steps for one in finished)
        raise RatingError(
            f"the runs are of unequal length, which a rater would see: {lengths}; make a short one longer with: "
            f"irollan resume {shortest.path} --steps {longest}"
        )
    first = finished[0]
    for one in finished[1:]:
        if one.residents.keys() != first.residents.keys():
            raise RatingError(
                f"the runs have different residents: {', '.join(first.residents)} in {first.path}, "
                f"{', '.join(one.residents)} in {one.path}; give runs of the same valley"
            )
