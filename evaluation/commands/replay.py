"""``irollan replay``: a run taken again from its transcript."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from typing import Annotated

import typer

from evaluation.commands.arguments import AsJson, RunArgument
from evaluation.commands.errors import print_error, print_refusal


def replay(
    run: RunArgument,
    report: Annotated[bool, typer.Option("--report", help="Draw the figures and write the report anew, too.")] = False,
    as_json: AsJson = False,
) -> int:
    """Take a run again from its manifest and its transcript, with no model, and compare events.jsonl byte by byte.

    Where a record differs, or a call was made that the transcript does not have, the difference is shown and the exit
    status is 1. So it is where events.jsonl has fewer time steps than the run had done, or none that is whole.
    """
    from evaluation.html_theme.printable import printable
    from evaluation.models.errors import RunError
    from evaluation.records.run_directory import RunDirectory
    from evaluation.runs.progress import progress_on
    from evaluation.runs.replay import ReplayError
    from evaluation.runs.replay import replay as replay_run
    from evaluation.viewer.run_pages import write_pages

    directory, progress = RunDirectory(run), progress_on()
    try:
        done = replay_run(directory, progress)
        page = write_pages(directory, progress) if report else None
    except ReplayError as error:
        reason, *details = str(error).splitlines()
        if as_json:
            print(json.dumps({"identical": False, "run": str(run), "difference": str(error)}))
        for line in details:
            print(printable(line), file=sys.stderr)
        return print_error(reason.rstrip(":"), 1)
    except (ValueError, RunError, OSError) as error:
        return print_refusal(error)
    if as_json:
        answer = {"identical": True, "run": str(run), **asdict(done)}
        print(json.dumps(answer | ({"report": str(page)} if page is not None else {})))
    else:
        print(
            f"identical: {done.steps} steps, {done.records} records, {done.calls} model calls out of the transcript, "
            f"{done.seconds:.1f} s{_but(done.rounded)}"
        )
        if page is not None:
            print(page)
    return 0


def _but(rounded: int) -> str:
    return f"; {rounded} records but for the last digits of numbers, as on another processor" if rounded else ""
