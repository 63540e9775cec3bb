"""A questionnaire put to the residents of a run: checks, questions and results in one call."""

from __future__ import annotations

from pathlib import Path

from evaluation.interviews.asking import ask_all, opened
from evaluation.interviews.questionnaire import find_questionnaire
from evaluation.interviews.survey_page import TRANSCRIPT, begin_folder, write_folder
from evaluation.interviews.survey_tables import SurveyTables
from evaluation.models.errors import RunError
from evaluation.records.directories import check_place
from evaluation.records.run_directory import RunDirectory, check_outside_runs
from evaluation.runs.progress import Progress
from evaluation.runs.replay import ReplayError
from language_models.transcript.transcript import Transcript


def survey(
    run: Path,
    questionnaire: str,
    progress: Progress,
    *,
    every: int | None = None,
    model: str | None = None,
    skip: bool = False,
    out: Path | None = None,
) -> SurveyTables:
    """Put a questionnaire to the residents of a run at several time steps, without changing the run.

    Args:
        run: Directory of the run.
        questionnaire: As for ``find_questionnaire``.
        progress: Reports progress.
        every: Time steps from one time to the next, at least 1; after the last step alone when None.
        model: Answers for the residents, a name or a TOML file; the one that decides for them when None.
        skip: Whether residents whose minds cannot be asked are left out.
        out: Folder of the tables, the page and the transcript; nothing is written when None. In a folder with answers
            of the same run, model and questionnaire, only what is missing is asked.

    Returns:
        The answers.

    Raises:
        ValueError: for a questionnaire, a run or a folder that cannot be; nothing is written then.
        OSError: if a file cannot be read or written.
        RunError: if the model cannot be had, no question was answered, or the run cannot be replayed.
    """
    asked = find_questionnaire(questionnaire)
    if out is not None:
        check_outside_runs(out)
        check_place(out)
    try:
        with opened(RunDirectory(run), every=every, skip=skip, model=model) as ready:
            if out is not None:
                begin_folder(out, run, ready.model, asked)
            with Transcript(":memory:" if out is None else out / TRANSCRIPT) as transcript:
                found = ask_all(ready, asked, transcript, progress, model=model)
    except ReplayError as error:
        raise RunError(f"{run} cannot be replayed by this version: {str(error).splitlines()[0]}") from error
    if found.failures.total() == len(found.answers):
        reason = found.failures.most_common(1)[0][0]
        raise RunError(f"none of {len(found.answers):,} questions was answered, most often since {reason}")
    tables = SurveyTables(run=str(run), questionnaire=asked, survey=found)
    if out is not None:
        write_folder(tables, out)
    return tables
