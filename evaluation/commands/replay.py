"""``irollan replay``: repeat a run with the answers in its transcript."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from typing import Annotated

import typer

from evaluation.commands.arguments import AsJson, RunArgument
from evaluation.commands.errors import print_error, print_path, print_refusal


def replay(
    run: RunArgument,
    report: Annotated[bool, typer.Option("--report", help="Draw the figures and write the report anew, too.")] = False,
    as_json: AsJson = False,
) -> int:
    """Repeat a run from its manifest and its transcript, without a model, and compare each record with events.jsonl.

    Bytes are compared first. On another processor floating-point values may differ by up to 1e-6 of their size (or of
    1, where they are smaller); the output then counts the records in which they do.

    Where anything else differs, or a call is missing from the transcript, the difference is shown and the exit status
    is 1. The same holds where events.jsonl has fewer time steps than the manifest counts, or no complete one.
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
            print_path(page)
    return 0


def _but(rounded: int) -> str:
    return f"; {rounded} records but for the last digits of numbers, as on another processor" if rounded else ""
