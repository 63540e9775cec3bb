"""``irollan report``: report on a run, or compare two runs."""

from __future__ import annotations

import json
import os
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from evaluation.commands.arguments import AsJson, RunArgument, filled_path
from evaluation.commands.errors import print_error, print_path, print_refusal, why_no_file
from evaluation.html_theme.printable import printable_lines

_Other = Annotated[
    Path | None,
    typer.Argument(
        metavar="OTHER", parser=filled_path, help="A second run, to set beside the first.", show_default=False
    ),
]

_Out = Annotated[
    Path | None,
    typer.Option(
        "--out", metavar="DIR", parser=filled_path, help="Where to write the pages; in the run's directory by default."
    ),
]


def report(run: RunArgument, other: _Other = None, out: _Out = None, as_json: AsJson = False) -> int:
    """Draw the figures and write the report of a run anew, from what is in its directory.

    With two runs, say where they part, and write OTHER/comparison.html, which shows them side by side.
    """
    if out is None and not os.access(written := run if other is None else other, os.W_OK) and written.is_dir():
        return print_error(f"{written} cannot be written to; name a folder for the pages with --out DIR", 2)
    if out is not None and not out.absolute().parent.is_dir():
        return print_error(why_no_file(out), 2)
    if other is not None:
        return _report_on_both(run, other, out, as_json)
    from evaluation.records.run_directory import RunDirectory, check_outside_runs
    from evaluation.runs.progress import progress_on
    from evaluation.viewer.run_pages import write_pages

    directory = RunDirectory(run, out)
    try:
        if out is not None:
            check_outside_runs(out, run)
        path = write_pages(directory, progress_on())
    except (ValueError, OSError) as error:
        return print_refusal(error)
    if path is None:
        return print_error(f"{run} has no time step to report on yet", 1)
    if as_json:
        print(json.dumps({"run": str(run), "report": str(path)}))
    else:
        print_path(path)
    return 0


def _report_on_both(run: Path, other: Path, out: Path | None, as_json: bool) -> int:
    """Print where two runs diverge, and write the comparison page.

    Args:
        run: The directory of the first run.
        other: The directory of the second run.
        out: Where the page is written; to the second run when None.
        as_json: Print the answer as JSON.

    Returns:
        The exit status.
    """
    from evaluation.records.run_directory import RunDirectory, check_outside_runs
    from evaluation.report.comparison import compare, in_words, write_comparison

    try:
        if run.resolve() == other.resolve():
            raise ValueError(f"{run} and {other} are the same run; give two")
        if out is not None:
            check_outside_runs(out, run, other)
        comparison = compare(RunDirectory(run), RunDirectory(other))
        directory = RunDirectory(other, out)
        directory.pages.mkdir(exist_ok=True)
        path = write_comparison(comparison, directory.comparison_path)
    except (ValueError, OSError) as error:
        return print_refusal(error)
    if as_json:
        print(json.dumps({**asdict(comparison), "report": str(path)}))
    else:
        print(printable_lines(in_words(comparison)))
        print_path(path)
    return 0
