"""Trajectories for a judge: the blinded stories of a rating study, or of finished runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from evaluation.rating.finished_runs import read_finished_runs
from evaluation.rating.stories import StoryStep
from evaluation.rating.study import STUDY, RatingError, Study, read_key


@dataclass(frozen=True, kw_only=True, slots=True)
class Trajectory:
    """One resident in one run, the unit of rating.

    Attributes:
        run: Name of the run in tables, which the judge does not see.
        architecture: Its architecture, which the judge does not see.
        resident: The resident.
        moments: Its story.
    """

    run: str
    architecture: str
    resident: str
    moments: tuple[StoryStep, ...]


def read_trajectories(paths: Sequence[Path]) -> list[Trajectory]:
    """Read a study that ``irollan rate prepare`` made, or finished runs.

    Args:
        paths: The directory of one study, or the directories of runs, of one length.

    Raises:
        RatingError: if there is neither, they cannot be rated together, or one is damaged.
        ValueError: if one is no run at all.
    """
    studies = [path for path in paths if (path / STUDY).is_file()]
    if studies and len(paths) > 1:
        raise RatingError(f"{studies[0]} is a study; give one study alone, or runs")
    if studies:
        return _of_study(studies[0])
    return [
        Trajectory(run=one.run, architecture=one.architecture, resident=resident, moments=moments)
        for one in read_finished_runs(paths)
        for resident, moments in one.residents.items()
    ]


def _of_study(path: Path) -> list[Trajectory]:
    study, key = Study.load(path), read_key(path)
    if missing := [story for story in study.stories if story not in key]:
        raise RatingError(f"the key of {path} does not belong to it: it lacks {missing[0]!r}")
    named: Mapping[str, Mapping[str, str]] = key
    return [
        Trajectory(
            run=named[story]["run"],
            architecture=named[story]["architecture"],
            resident=resident,
            moments=moments,
        )
        for story, residents in study.stories.items()
        for resident, moments in residents.items()
    ]
