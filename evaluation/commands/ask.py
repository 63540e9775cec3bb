"""``irollan ask``: put a questionnaire to the residents of a run."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from evaluation.commands.arguments import AsJson, RunArgument, filled, filled_path, whole_number
from evaluation.commands.errors import print_error, print_note, print_path, print_refusal
from evaluation.commands.interview import SpeakingModel
from evaluation.html_theme.printable import printable

if TYPE_CHECKING:
    from evaluation.interviews.survey_tables import SurveyTables

_File = Annotated[
    str,
    typer.Argument(
        metavar="FILE",
        parser=filled,
        help="A questionnaire: a TOML file, mini-ipip, ipip-trust, or module:Class of Concordia's.",
        show_default=False,
    ),
]
_Every = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        parser=whole_number,
        help="Ask after every N steps, and after the last. [default: after the last alone]",
        show_default=False,
    ),
]
_Skip = Annotated[bool, typer.Option("--skip", help="Leave out residents whose minds cannot be asked.")]
_Out = Annotated[
    Path | None,
    typer.Option(
        metavar="DIR",
        parser=filled_path,
        help="Where to leave tables, page and transcript. [default: RUN-FILE]",
        show_default=False,
    ),
]


def ask(
    run: RunArgument,
    file: _File,
    every: _Every = None,
    model: SpeakingModel = None,
    skip: _Skip = False,
    out: _Out = None,
    as_json: AsJson = False,
) -> int:
    """Put a questionnaire to all residents of a run, without changing their lives.

    Each resident is asked each item by itself, by what its own mind knows and what it perceives after that step, as in
    an interview. The model chooses among the answers of an item, or writes where it is free. The run's files stay as
    they are; the answers, scores, means, reliability and a page are left in DIR. docs/questionnaires.md says how to
    write FILE.
    """
    from evaluation.interviews.questionnaire import QuestionnaireError
    from evaluation.interviews.survey import survey
    from evaluation.interviews.survey_page import PAGE
    from evaluation.models.errors import RunError
    from evaluation.records.numbers import json_ready
    from evaluation.runs.directory_names import directory_beside
    from evaluation.runs.progress import progress_on

    name = re.sub(r"[^A-Za-z0-9._]+", "-", Path(file).stem)
    folder = directory_beside(run, name) if out is None else out
    try:
        found = survey(run, file, progress_on(), every=every, model=model, skip=skip, out=folder)
    except QuestionnaireError as error:
        for fault in error.faults:
            print_note(fault)
        return 2
    except (ValueError, OSError) as error:
        return print_refusal(error)
    except RunError as error:
        return print_error(str(error), 1)
    if cut := sum(one.left_out > 0 for one in found.survey.answers):
        print_note(f"in {cut} of {len(found.answers)} prompts there was no room for the oldest things known")
    if as_json:
        tables = {name: json_ready(getattr(found, name)) for name in ("means", "reliability", "missing")}
        who = {"residents": found.survey.residents, "skipped": found.survey.skipped}
        asked = {"run": str(run), "out": str(folder), "model": found.survey.model, "questions": len(found.answers)}
        print(json.dumps({**asked, **who, **tables}, indent=2))
        return 0
    print(printable(f"{found.questionnaire.title}, answered by {found.survey.model}: {found.described()}") + "\n")
    if found.questionnaire.scales:
        print(_table(found) + "\n")
    print_path(folder / PAGE)
    return 0


def _table(found: SurveyTables) -> str:
    from evaluation.records.numbers import number, row_dicts

    titles = {scale: printable(title) for scale, title in found.questionnaire.scales.items()}
    width = max(map(len, titles.values()))
    lines = [
        f"{'':{width}}  {'after':>5}  {'mean':>6}  {'95 % interval':>16}  {'residents':>9}  {'alpha':>6}  {'omega':>6}"
    ]
    for row in row_dicts(found.scales):
        interval = f"{number(row['low'])} to {number(row['high'])}"
        lines.append(
            f"{titles[row['scale']]:{width}}  {row['time']:>5}  {number(row['mean']):>6}  {interval:>16}  "
            f"{row['residents']:>9}  {number(row['alpha']):>6}  {number(row['omega']):>6}"
        )
    return "\n".join(lines)
