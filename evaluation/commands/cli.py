"""The command ``irollan``.

Exit status: 0, 1 (it failed or was stopped, and says in one line on standard error why) or 2 (wrong usage, and nothing
was written). Standard output has the answer alone, standard error the progress.
"""

from __future__ import annotations

import difflib
import functools
import json
import re
import sys
from collections.abc import Callable, Sequence
from importlib import metadata
from pathlib import Path
from typing import Annotated, Any

import typer

from evaluation.commands import measures
from evaluation.commands.anova import anova
from evaluation.commands.arguments import (
    MODEL_HELP,
    AsJson,
    Force,
    MaxCost,
    MaxTokens,
    RunArgument,
    filled,
    filled_path,
    given,
    whole_number,
)
from evaluation.commands.bench import bench
from evaluation.commands.branch import branch
from evaluation.commands.compare import report_on_both
from evaluation.commands.end_of_run import conclude
from evaluation.commands.errors import complain as _complain
from evaluation.commands.estimate import say_estimate
from evaluation.commands.judge import judge
from evaluation.commands.models import models
from evaluation.commands.rate import app as rate
from evaluation.commands.replay import replay
from evaluation.commands.resume import resume
from evaluation.commands.serve import serve
from evaluation.commands.sweep import sweep
from evaluation.models.model_roles import read_models
from evaluation.runs.architectures import ARCHITECTURES
from evaluation.runs.budget import Limits
from evaluation.runs.configuration import Configuration
from evaluation.runs.full_disk import unwritten
from language_models.prices import read_prices

app = typer.Typer(
    add_completion=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="A society of ITCMA-S residents in IrollanValley, as the ITCMA-S paper describes it.\n\n"
    "Start with:  irollan run\n\n"
    "It needs no key and no server; some minutes later it prints where the report is.",
    epilog="irollan COMMAND --help says more about a command.",
)

app.add_typer(bench, name="bench")


_DEFAULTS = Configuration()
_RUN_HELP = "Let a society live for some time steps, and report on it.\n\nArchitectures:\n\n\b\n" + "\n".join(
    f"{name:17}  {one.description}" for name, one in ARCHITECTURES.items()
)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command.

    Args:
        argv: Its arguments, without its name; those of the process when None.

    Returns:
        The exit status.
    """
    arguments = sys.argv[1:] if argv is None else list(argv)
    command = typer.main.get_command(app)
    try:
        status = command.main(arguments, prog_name="irollan", standalone_mode=False)
    except typer.TyperException as error:
        return _complain(_usage_message(error), 2)
    except BrokenPipeError:
        # Whoever read the output has enough. What is left in the buffer has nowhere to go.
        sys.stdout = sys.stderr
        return 1
    if status == 130:
        return _complain("interrupted", 1)
    return int(status or 0)


@app.callback(invoke_without_command=True)
def _overview(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version and end.")] = False,
) -> None:
    if version:
        print(metadata.version("irollan-valley"))
    elif context.invoked_subcommand is None:
        print(context.get_help())


@app.command(help=_RUN_HELP)
def run(
    context: typer.Context,
    steps: Annotated[
        int, typer.Option(metavar="N", parser=whole_number, help="How many time steps.")
    ] = _DEFAULTS.steps,
    seed: Annotated[
        int, typer.Option(metavar="N", parser=whole_number, help="All chance follows from it; at least 0.")
    ] = _DEFAULTS.seed,
    architecture: Annotated[
        str, typer.Option(metavar="NAME", help=f"One of {', '.join(ARCHITECTURES)}.")
    ] = _DEFAULTS.architecture,
    model: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            parser=filled,
            help=f"{MODEL_HELP} [default: smollm2]",
            show_default=False,
        ),
    ] = None,
    embedder: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            parser=filled,
            help="What compares names and sentences; see irollan models. [default: minilm; hash with scripted]",
            show_default=False,
        ),
    ] = None,
    protention: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            parser=filled,
            help="Who says what follows where neither rule nor memory does: model, fracast, or learned:FILE for a "
            "network that examples/train_protention.py trained.",
        ),
    ] = _DEFAULTS.protention,
    elimination: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            parser=filled,
            help="What scores the relevance of actions: embedder, without tokens, or model. [default: embedder; model "
            "with --model elimination=NAME]",
            show_default=False,
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            parser=filled_path,
            help="Where to leave the run. [default: runs/ARCHITECTURE-MODEL-seedSEED-TIME]",
            show_default=False,
        ),
    ] = None,
    force: Force = False,
    checkpoint_every: Annotated[
        int,
        typer.Option(
            metavar="N",
            parser=whole_number,
            help="Write a checkpoint every N steps, to go on from with irollan resume.",
        ),
    ] = _DEFAULTS.checkpoint_every,
    on_failure: Annotated[
        str,
        typer.Option(
            metavar="WHAT",
            help="What a model call that fails (returns nothing of use, or refuses) does: wait, and its resident waits "
            "for one step; or stop, and the run ends, to be gone on with by irollan resume.",
        ),
    ] = _DEFAULTS.on_failure,
    max_tokens: MaxTokens = None,
    max_cost: MaxCost = None,
    prices: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", parser=filled_path, help="What tokens cost, by model, as TOML.", show_default=False
        ),
    ] = None,
    estimate: Annotated[
        bool, typer.Option("--estimate", help="Say what the run would cost, and do not begin it.")
    ] = False,
    as_json: AsJson = False,
) -> int:
    """Let a society live."""
    try:
        asked = read_models(model or [])
        configuration = Configuration(
            architecture=architecture,
            model=asked.model or _DEFAULTS.model,
            roles=asked.roles,
            options=asked.options,
            embedder=embedder or asked.embedder or "",
            elimination=elimination or "",
            steps=steps,
            seed=seed,
            checkpoint_every=checkpoint_every,
            protention=protention,
            on_failure=on_failure,
        )
        limits, known = Limits(max_tokens=max_tokens, max_cost=max_cost), read_prices(prices)
    except (ValueError, OSError) as error:
        return _complain(str(error), 2)
    if estimate:
        return say_estimate(configuration, known, as_json)
    from evaluation.models.backends import RunError
    from evaluation.runs.progress import progress_on
    from evaluation.runs.start import start

    try:
        result = start(
            configuration,
            progress_on(),
            out=out,
            force=force,
            given=given(context),
            limits=limits,
            prices=known,
        )
    except OSError as error:
        return _complain(unwritten(error, out or Path.cwd()) or str(error), 1)
    except (ValueError, RunError) as error:
        return _complain(str(error), 2 if isinstance(error, ValueError) else 1)
    return conclude(result, configuration.steps, as_json)


@app.command()
def report(
    run: RunArgument,
    other: Annotated[
        Path | None,
        typer.Argument(
            metavar="OTHER", parser=filled_path, help="A second run, to set beside the first.", show_default=False
        ),
    ] = None,
    as_json: AsJson = False,
) -> int:
    """Draw the figures and write the report of a run anew, from what is in its directory.

    With two runs, say where they part, and write OTHER/comparison.html, which shows them side by side.
    """
    if other is not None:
        return report_on_both(run, other, as_json)
    from evaluation.records.run_directory import RunDirectory
    from evaluation.report.write_report import write_outcome
    from evaluation.runs.progress import progress_on

    directory = RunDirectory(run)
    try:
        path = write_outcome(directory, progress_on())
    except (ValueError, OSError) as error:
        return _complain(str(error), 2 if isinstance(error, ValueError) else 1)
    if path is None:
        return _complain(f"{run} has no time step to report on yet", 1)
    print(json.dumps({"run": str(run), "report": str(path)}) if as_json else path)
    return 0


app.command()(resume)
app.command()(replay)
app.command()(branch)
app.command()(sweep)
app.command()(models)
app.command()(anova)
app.command()(judge)
app.command()(measures.measures)
app.command()(measures.social)
app.add_typer(rate, name="rate")


def _complaining(command: Callable[..., int]) -> Callable[..., int]:
    """The command, with wrong usage and what failed outside as one line and an exit status."""

    @functools.wraps(command)
    def run_it(**arguments: Any) -> int:
        try:
            return command(**arguments)
        except (ValueError, OSError) as error:
            return _complain(str(error), 2 if isinstance(error, ValueError) else 1)

    return run_it


app.command()(_complaining(serve))


def _usage_message(error: typer.TyperException) -> str:
    """What was wrong with the arguments, in one line, with what was probably meant."""
    format_message = getattr(error, "format_message", None)
    message = str(format_message() if format_message is not None else error).strip()
    option, near = getattr(error, "option_name", None), getattr(error, "possibilities", None)
    if option is not None and message.startswith("No such option"):
        best = difflib.get_close_matches(option, near or (), n=1, cutoff=0.7)
        message = f"unknown option {option}" + (f"; did you mean {best[0]}?" if best else "")
    message = re.sub(r"\. Did you mean (.*)\?", r"; did you mean \1?", message)
    message = f"{message[:1].lower()}{message[1:]}".rstrip(".")
    context = getattr(error, "ctx", None)
    path = context.command_path if context is not None else "irollan"
    return f"{message} See {path} --help" if message.endswith("?") else f"{message}; see {path} --help"


if __name__ == "__main__":
    sys.exit(main())
