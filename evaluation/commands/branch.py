"""``irollan branch``: start a new run from the middle of another one."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from evaluation.commands.arguments import (
    MODEL_HELP,
    AsJson,
    Force,
    MaxCost,
    MaxTokens,
    NoLimits,
    RunArgument,
    filled,
    filled_path,
    whole_number,
)
from evaluation.commands.run_options import View
from evaluation.commands.run_result import print_failure, print_result
from evaluation.commands.view import looked_at
from evaluation.runs.architectures import ARCHITECTURES
from evaluation.runs.config_parts import LimitsConfig

_At = Annotated[
    int,
    typer.Option(
        metavar="N", parser=whole_number, help="How many steps of RUN come before the branch.", show_default=False
    ),
]
_Seed = Annotated[
    int | None,
    typer.Option(metavar="N", parser=whole_number, help="Another seed from there on.", show_default=False),
]
_Architecture = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help=f"Another architecture from there on, one of {', '.join(ARCHITECTURES)}.",
        show_default=False,
    ),
]
_Model = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME",
        parser=filled,
        help=f"{MODEL_HELP} From there on; models that are not named stay.",
        show_default=False,
    ),
]
_Settings = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="KEY=VALUE",
        help="Another value of a key of the configuration from there on, such as steps=100 or "
        "ltrha.rank_by=company; may be given several times.",
        show_default=False,
    ),
]
_Events = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        parser=filled_path,
        help="What happens from there on, beside what happens in RUN; see docs/events.md.",
        show_default=False,
    ),
]
_Out = Annotated[
    Path | None,
    typer.Option(
        metavar="DIR",
        parser=filled_path,
        help="Where to leave the new run. [default: RUN-atN]",
        show_default=False,
    ),
]


def branch(
    run: RunArgument,
    at: _At,
    seed: _Seed = None,
    architecture: _Architecture = None,
    model: _Model = None,
    settings: _Settings = None,
    events: _Events = None,
    out: _Out = None,
    force: Force = False,
    max_tokens: MaxTokens = None,
    max_cost: MaxCost = None,
    no_limits: NoLimits = False,
    view: View = False,
    as_json: AsJson = False,
) -> int:
    """Begin a new run from step N of another one, with something changed.

    The steps before are replayed from the transcript. From there on, what is asked exactly as in RUN is answered
    from its transcript, so that the two differ by what was changed alone; the rest is asked of the model. With no
    change the new run is identical to RUN. It has the limits of RUN, on all its steps. Compare the two with:
    irollan report RUN NEW.
    """
    from evaluation.models.errors import RunError
    from evaluation.runs.branching import branch as begin
    from evaluation.runs.branching import read_changes
    from evaluation.runs.directory_names import branch_directory
    from evaluation.runs.event_files import read_event_file
    from evaluation.runs.progress import progress_on
    from evaluation.runs.replay import ReplayError

    try:
        changes = read_changes(settings or [])
        changes |= {key: value for key, value in (("seed", seed), ("architecture", architecture)) if value is not None}
        happens = None if events is None else read_event_file(events)
        directory = branch_directory(run, at) if out is None else out
        with looked_at(directory, progress_on(), view) as watched:
            result = begin(
                run,
                watched.progress,
                at=at,
                changes=changes,
                models=model or [],
                events=happens,
                out=directory,
                force=force,
                given={
                    **changes,
                    **({"model": list(model)} if model else {}),
                    **({} if happens is None else {"events": happens}),
                },
                limits=LimitsConfig(max_tokens=max_tokens, max_cost=max_cost),
                keep_limits=not no_limits,
                human=watched.human,
                write_report=watched.write_report,
            )
    except (OSError, ValueError, RunError, ReplayError) as error:
        return print_failure(error, out or run)
    return print_result(result, int(result.directory.read_manifest()["configuration"]["effective"]["steps"]), as_json)
