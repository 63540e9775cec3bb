"""Reader of trajectories for a judge: blinded stories of a rating study or of finished runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from evaluation.rating.finished_runs import read_finished_runs
from evaluation.rating.stories import StoryStep
from evaluation.rating.study import STUDY, RatingError, load_study


@dataclass(frozen=True, kw_only=True, slots=True)
class Trajectory:
    """One resident in one run, the unit of rating.

    Attributes:
        run: Name of the run in tables, hidden from the judge.
        architecture: Its architecture, hidden from the judge.
        resident: The resident.
        moments: Its story.
    """

    run: str
    architecture: str
    resident: str
    moments: tuple[StoryStep, ...]


def read_trajectories(paths: Sequence[Path]) -> list[Trajectory]:
    """Read the trajectories of a study made by ``irollan rate prepare``, or of finished runs.

    Args:
        paths: The directory of one study, or the directories of runs, of one length.

    Returns:
        One per resident and run.

    Raises:
        RatingError: if there are no runs, they cannot be rated together, or one is damaged.
        ValueError: if a path is no run.
    """
    studies = [path for path in paths if (path / STUDY).is_file()]
    if studies and len(paths) > 1:
        raise RatingError(f"{studies[0]} is a study; give one study alone, or runs")
    if studies:
        study, key = load_study(studies[0])
        told = [(key[story]["run"], key[story]["architecture"], own) for story, own in study.stories.items()]
    else:
        told = [(one.run, one.architecture, one.residents) for one in read_finished_runs(paths)]
    return [
        Trajectory(run=run, architecture=architecture, resident=resident, moments=moments)
        for run, architecture, residents in told
        for resident, moments in residents.items()
    ]
