"""``irollan check``: verify the files of a run."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Annotated

import typer

from evaluation.commands.arguments import AsJson, RunArgument
from evaluation.commands.errors import print_error, print_refusal


def check(
    run: RunArgument,
    accept: Annotated[
        bool,
        typer.Option("--accept", help="Give checksums to a run from before runs had any, which takes it as it is."),
    ] = False,
    as_json: AsJson = False,
) -> int:
    """Verify the files of a run, and say what is whole, what is not, and what can still be had.

    Every command verifies what it reads, and refuses what is damaged. The exit status is 0 for a whole run, and 1 for
    a damaged one.
    """
    from evaluation.html_theme.printable import printable
    from evaluation.records.accepting import accept as accept_run
    from evaluation.records.checksums import DamageError
    from evaluation.records.run_directory import RunDirectory
    from evaluation.runs.run_check import check_run

    directory = RunDirectory(run)
    try:
        if accept:
            accept_run(directory)
        found = check_run(directory)
    except DamageError as error:
        return print_error(str(error), 1)
    except (ValueError, OSError) as error:
        return print_refusal(error)
    if as_json:
        print(json.dumps({"run": str(run), "whole": found.whole, **asdict(found)}))
        return 0 if found.whole else 1
    width = max(len(one.file) for one in found.files)
    for one in found.files:
        whole = f"whole up to step {one.steps} of {found.steps}" if one.steps is not None else ""
        print(printable(f"{one.file:{width}}  {'; '.join(filter(None, (one.fault, whole))) if one.fault else 'whole'}"))
    for remedy in found.remedies:
        print(printable(f"You can {remedy}"))
    return 0 if found.whole else 1
