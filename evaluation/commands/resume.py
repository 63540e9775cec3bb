"""``irollan resume``: continue a run that was stopped."""

from __future__ import annotations

from typing import Annotated

import typer

from evaluation.commands.arguments import AsJson, MaxCost, MaxTokens, NoLimits, RunArgument, filled, whole_number
from evaluation.commands.run_options import View
from evaluation.commands.run_result import print_failure, print_result
from evaluation.commands.view import looked_at
from evaluation.runs.config_parts import LimitsConfig, OnFailure


def resume(
    run: RunArgument,
    steps: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            parser=whole_number,
            help="Stop at this many time steps. [default: as started]",
            show_default=False,
        ),
    ] = None,
    on_failure: Annotated[
        str | None,
        typer.Option(
            metavar="WHAT",
            help=f"What a model call that fails does from now on: {' or '.join(OnFailure)}. [default: as started]",
            show_default=False,
        ),
    ] = None,
    model: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FILE",
            parser=filled,
            help="A TOML file with other options of how the models of RUN are reached and served, such as context, "
            "deadline or retries, or with the new place of an adapter.",
            show_default=False,
        ),
    ] = None,
    max_tokens: MaxTokens = None,
    max_cost: MaxCost = None,
    no_limits: NoLimits = False,
    view: View = False,
    as_json: AsJson = False,
) -> int:
    """Go on with a run that was stopped, from its last checkpoint, exactly as if it had not been stopped."""
    from evaluation.models.errors import RunError
    from evaluation.runs.progress import progress_on
    from evaluation.runs.resume import resume as go_on

    try:
        limits = LimitsConfig(max_tokens=max_tokens, max_cost=max_cost)
        changes = {
            key: value for key, value in (("steps", steps), ("model.on_failure", on_failure)) if value is not None
        }
        with looked_at(run, progress_on(), view) as watched:
            result = go_on(
                run,
                watched.progress,
                changes=changes,
                models=model or [],
                limits=limits,
                keep_limits=not no_limits,
                human=watched.human,
                write_report=watched.write_report,
            )
    except (OSError, ValueError, RunError) as error:
        return print_failure(error, run)
    return print_result(result, int(result.directory.read_manifest()["configuration"]["effective"]["steps"]), as_json)
