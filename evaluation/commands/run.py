"""``irollan run``: run a society from a configuration to a report; ``irollan config``: print the configuration."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import typer

from evaluation.commands.arguments import AsJson, Force
from evaluation.commands.errors import print_error, print_refusal, why_idle
from evaluation.commands.run_options import Estimate, Out, View, read_options, with_run_options
from evaluation.commands.run_result import print_estimate, print_failure, print_result
from evaluation.commands.view import looked_at
from evaluation.runs.architectures import ARCHITECTURES
from evaluation.runs.run_config import RunConfig
from language_models.prices import Price

HELP = "Let a society live for some time steps, and report on it.\n\nArchitectures:\n\n\b\n" + "\n".join(
    f"{name:17}  {one.description}" for name, one in ARCHITECTURES.items()
)


@with_run_options
def run(
    context: typer.Context,
    options: Mapping[str, Any],
    out: Out = None,
    force: Force = False,
    estimate: Estimate = False,
    view: View = False,
    as_json: AsJson = False,
) -> int:
    """Let a society live."""
    idle = {"--out": out is not None, "--force": force, "--view": view}
    if reason := why_idle(*((name, estimate and one, "an estimate begins no run") for name, one in idle.items())):
        return print_error(reason, 2)
    try:
        asked = read_options(options)
        configuration = asked.configuration
        known = configuration.limits.read_prices()
    except (ValueError, OSError) as error:
        return print_error(str(error), 2)
    if estimate:
        try:
            return _print_estimate(configuration, known, as_json)
        except ValueError as error:
            return print_error(str(error), 2)
    from evaluation.models.errors import RunError
    from evaluation.runs.directory_names import default_directory
    from evaluation.runs.progress import progress_on
    from evaluation.runs.start import start

    directory = out or default_directory(configuration)
    try:
        with looked_at(directory, progress_on(), view) as watched:
            result = start(
                configuration,
                watched.progress,
                out=directory,
                force=force,
                given=asked.given,
                human=watched.human,
                write_report=watched.write_report,
            )
    except (OSError, ValueError, RunError) as error:
        return print_failure(error, out or Path.cwd())
    return print_result(result, configuration.steps, as_json)


@with_run_options
def config(context: typer.Context, options: Mapping[str, Any]) -> int:
    """Print the configuration that irollan run would have with these options, as TOML that --config takes.

    Keys that have no effect in such a run are left out.
    """
    try:
        print(read_options(options).configuration.to_toml(), end="")
    except (ValueError, OSError) as error:
        return print_refusal(error)
    return 0


def _print_estimate(configuration: RunConfig, prices: Mapping[str, Price], as_json: bool) -> int:
    """Print the estimate of a run.

    Args:
        configuration: Configuration of the run.
        prices: Prices by model.
        as_json: Whether to print JSON.

    Returns:
        The exit status.
    """
    from evaluation.runs.estimate import estimate

    return print_estimate(estimate(configuration, prices), as_json)
