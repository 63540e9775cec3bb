"""The command ``irollan``.

Exit status: 0, 1 (it failed or was stopped, and says in one line on standard error why) or 2 (wrong usage, and nothing
was written). Standard output has the answer alone, standard error the progress.
"""

from __future__ import annotations

import difflib
import json
import re
import sys
from collections.abc import Sequence
from dataclasses import asdict
from importlib import metadata
from pathlib import Path
from typing import Annotated, Any

import typer

from evaluation import measure_commands
from evaluation.anova_command import anova
from evaluation.architectures import ARCHITECTURES
from evaluation.bench_command import bench
from evaluation.complaints import complain as _complain
from evaluation.configuration import Configuration

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


def _whole_number(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise typer.BadParameter(f"{text!r} is not a whole number") from None


def _filled(text: str) -> str:
    if not text:
        raise typer.BadParameter("it must not be empty")
    return text


def _path(text: str) -> Path:
    return Path(_filled(text))


_DEFAULTS = Configuration()
_RUN_HELP = "Let a society live for some time steps, and report on it.\n\nArchitectures:\n\n\b\n" + "\n".join(
    f"{name:17}  {one.description}" for name, one in ARCHITECTURES.items()
)

Json = Annotated[bool, typer.Option("--json", help="Print the answer as JSON, for other programs.")]
RunArgument = Annotated[
    Path, typer.Argument(metavar="RUN", parser=_path, help="The directory of a run.", show_default=False)
]


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
        int, typer.Option(metavar="N", parser=_whole_number, help="How many time steps.")
    ] = _DEFAULTS.steps,
    seed: Annotated[
        int, typer.Option(metavar="N", parser=_whole_number, help="All chance follows from it; at least 0.")
    ] = _DEFAULTS.seed,
    architecture: Annotated[
        str, typer.Option(metavar="NAME", help=f"One of {', '.join(ARCHITECTURES)}.")
    ] = _DEFAULTS.architecture,
    model: Annotated[
        str, typer.Option(metavar="NAME", help="The language model; see irollan models.")
    ] = _DEFAULTS.model,
    embedder: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            parser=_filled,
            help="What compares names and sentences; see irollan models. [default: minilm; hash with scripted]",
            show_default=False,
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            parser=_path,
            help="Where to leave the run. [default: runs/ARCHITECTURE-MODEL-seedSEED-TIME]",
            show_default=False,
        ),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace a run that is in DIR already.")] = False,
    checkpoint_every: Annotated[
        int,
        typer.Option(
            metavar="N",
            parser=_whole_number,
            help="Write a checkpoint every N steps, to go on from with irollan resume.",
        ),
    ] = _DEFAULTS.checkpoint_every,
    as_json: Json = False,
) -> int:
    """Let a society live."""
    try:
        configuration = Configuration(
            architecture=architecture,
            model=model,
            embedder=embedder or "",
            steps=steps,
            seed=seed,
            checkpoint_every=checkpoint_every,
        )
    except ValueError as error:
        return _complain(str(error), 2)
    from evaluation import runs
    from evaluation.progress import progress_on

    given = {
        name: str(value) if isinstance(value, Path) else value
        for name, value in context.params.items()
        if str(getattr(context.get_parameter_source(name), "name", "")) == "COMMANDLINE"
    }
    try:
        result = runs.start(configuration, progress_on(), out=out, force=force, given=given)
    except (ValueError, runs.RunError, OSError) as error:
        return _complain(str(error), 2 if isinstance(error, ValueError) else 1)
    return _conclude(result, configuration.steps, as_json)


@app.command()
def resume(
    run: RunArgument,
    steps: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            parser=_whole_number,
            help="Go on to this many time steps. [default: as begun]",
            show_default=False,
        ),
    ] = None,
    as_json: Json = False,
) -> int:
    """Go on with a run that was stopped, from its last checkpoint, exactly as if it had not been stopped."""
    from evaluation import runs
    from evaluation.progress import progress_on

    try:
        result = runs.resume(run, progress_on(), steps=steps)
    except (ValueError, runs.RunError, OSError) as error:
        return _complain(str(error), 2 if isinstance(error, ValueError) else 1)
    return _conclude(result, int(result.directory.read_manifest()["configuration"]["effective"]["steps"]), as_json)


@app.command()
def report(run: RunArgument, as_json: Json = False) -> int:
    """Draw the figures and write the report of a run anew, from what is in its directory."""
    from evaluation import runs
    from evaluation.progress import progress_on
    from evaluation.run_directory import RunDirectory

    directory = RunDirectory(run)
    try:
        path = runs.write_outcome(directory, progress_on())
    except (ValueError, OSError) as error:
        return _complain(str(error), 2 if isinstance(error, ValueError) else 1)
    if path is None:
        return _complain(f"{run} has no time step to report on yet", 1)
    print(json.dumps({"run": str(run), "report": str(path)}) if as_json else path)
    return 0


@app.command()
def models(as_json: Json = False) -> int:
    """List what --model and --embedder take, and whether the weights are here."""
    from evaluation.model_list import embedder_rows, model_rows

    listed = {"model": model_rows(), "embedder": embedder_rows()}
    if as_json:
        print(json.dumps({option: [asdict(row) for row in rows] for option, rows in listed.items()}, indent=2))
        return 0
    for option, rows in listed.items():
        print(f"--{option} NAME")
        width = max(len(row.name) for row in rows)
        for row in rows:
            print(f"  {row.name:{width}}  {row.description}")
            print(f"  {'':{width}}  {row.state}")
    return 0


app.command()(anova)
app.command()(measure_commands.measures)
app.command()(measure_commands.social)


def _conclude(result: Any, steps: int, as_json: bool) -> int:
    """Say how a run ended: where the report is on standard output, the rest on standard error."""
    from evaluation import runs

    path = result.directory.path
    costs = runs.costs(result.directory) if result.report is not None else {}
    if costs:
        print(
            f"{costs['calls_per_resident_step']:.2f} model calls and {costs['tokens_per_resident_step']:.0f} tokens "
            "per resident and step",
            file=sys.stderr,
        )
    failed, decisions, reason = runs.unanswered(result.directory)
    if failed:
        _complain(f"{failed} of {decisions} decisions had no answer from the model; the first: {reason}", 0)
    if as_json:
        answer = {
            "status": result.status,
            "steps": result.steps,
            "run": str(path),
            "report": None if result.report is None else str(result.report),
            "unanswered": failed,
            **costs,
        }
        print(json.dumps(answer), flush=True)
    elif result.report is not None:
        print(result.report, flush=True)
    if result.status == "finished":
        return 0
    went = f"stopped after step {result.steps} of {steps}"
    if result.status == "failed":
        trace = result.directory.error_path
        went = f"{result.error} ({went}{f'; where in the program: {trace}' if trace.exists() else ''})"
    return _complain(f"{went}; go on with: irollan resume {path}", 1)


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
