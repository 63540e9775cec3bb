"""Entry point of the command ``irollan``.

Exit status: 0, 1 (it failed or was stopped, with the reason in one line on standard error) or 2 (wrong usage; nothing
was written). The answer goes to standard output, progress to standard error.
"""

from __future__ import annotations

import difflib
import errno
import functools
import re
import sys
from collections.abc import Callable, Sequence
from importlib import metadata
from typing import Annotated, Any

import typer

from evaluation.commands.anova import anova
from evaluation.commands.arena import arena
from evaluation.commands.ask import ask
from evaluation.commands.beliefs import beliefs
from evaluation.commands.bench import bench
from evaluation.commands.branch import branch
from evaluation.commands.check import check
from evaluation.commands.effect import effect
from evaluation.commands.errors import print_error, print_refusal
from evaluation.commands.interview import interview
from evaluation.commands.judge import judge
from evaluation.commands.map import maps
from evaluation.commands.measures import measures, social
from evaluation.commands.minds import minds
from evaluation.commands.models import models
from evaluation.commands.people import app as people
from evaluation.commands.rate import app as rate
from evaluation.commands.replay import replay
from evaluation.commands.report import report
from evaluation.commands.resume import resume
from evaluation.commands.run import HELP as RUN_HELP
from evaluation.commands.run import config, run
from evaluation.commands.run_options import PATHS
from evaluation.commands.serve import serve
from evaluation.commands.sweep import sweep
from evaluation.commands.view import view
from irollan_env.hints import quote

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
app.add_typer(maps, name="map")


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command.

    Args:
        argv: The arguments without the command's name; those of the process if None.

    Returns:
        The exit status.
    """
    arguments = sys.argv[1:] if argv is None else list(argv)
    command = typer.main.get_command(app)
    if len(arguments) == 1 and arguments[0] in {group.name for group in app.registered_groups}:
        arguments.append("--help")
    try:
        status = command.main(arguments, prog_name="irollan", standalone_mode=False)
        sys.stdout.flush()
    except typer.TyperException as error:
        return print_error(_usage_message(error), 2)
    except BrokenPipeError:
        # The reader closed the pipe; the rest of the buffer is discarded.
        sys.stdout = sys.stderr
        return 1
    except OSError as error:
        if error.errno != errno.ENOSPC or error.filename is not None:
            raise
        sys.stdout = sys.stderr
        return print_error(f"cannot write the answer to standard output: {error.strerror}", 1)
    if status == 130:
        return print_error("interrupted", 1)
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


app.command(help=RUN_HELP)(run)
app.command()(config)
app.command()(report)
app.command()(view)
app.command()(resume)
app.command()(replay)
app.command()(check)
app.command()(branch)
app.command()(effect)
app.command()(interview)
app.command()(ask)
app.command()(beliefs)
app.command()(sweep)
app.command()(arena)
app.command()(models)
app.command()(minds)
app.command()(anova)
app.command()(judge)
app.command()(measures)
app.command()(social)
app.add_typer(rate, name="rate")
app.add_typer(people, name="people")


def _with_exit_status(command: Callable[..., int]) -> Callable[..., int]:
    """Wrap a command to report wrong usage and external failures in one line and as an exit status."""

    @functools.wraps(command)
    def run_it(**arguments: Any) -> int:
        try:
            return command(**arguments)
        except (ValueError, OSError) as error:
            return print_refusal(error)

    return run_it


app.command()(_with_exit_status(serve))


def _usage_message(error: typer.TyperException) -> str:
    """Describe wrong arguments in one line, with a suggestion."""
    format_message = getattr(error, "format_message", None)
    message = str(format_message() if format_message is not None else error).strip()
    option, near = getattr(error, "option_name", None), getattr(error, "possibilities", None)
    if option is not None and message.startswith("No such option"):
        best = difflib.get_close_matches(option, near or (), n=1, cutoff=0.7)
        by_key = _by_key(option, getattr(error, "ctx", None))
        message = f"unknown option {option}" + (by_key or (f"; did you mean {best[0]}?" if best else ""))
    if needed := _needed_number(error.__cause__):
        message = f"{message.partition(': ')[0]}: {needed}"
    message = re.sub(r"\. Did you mean (.*)\?", r"; did you mean \1?", message)
    message = f"{message[:1].lower()}{message[1:]}".rstrip(".")
    context = getattr(error, "ctx", None)
    path = context.command_path if context is not None else "irollan"
    return f"{message} See {path} --help" if message.endswith("?") else f"{message}; see {path} --help"


def _by_key(option: str, context: Any) -> str:
    """Say how a command with --set takes what is an option of ``irollan run``, or why it does not; else empty."""
    key = PATHS.get(option.removeprefix("--").replace("-", "_"))
    if key is None or all("--set" not in one.opts for one in context.command.params):
        return ""
    if context.info_name == "branch":
        from evaluation.runs.branching import FIXED

        if key in FIXED:
            return f": {FIXED[key]}"
    return f"; give --set {key}=VALUE"


def _needed_number(cause: BaseException | None) -> str:
    """Say which number an option takes and which it got, from the error of pydantic that typer reports; else empty."""
    errors = getattr(cause, "errors", None)
    if errors is None:
        return ""
    found = errors()[0]
    bounds = {"ge": "at least", "gt": "more than", "le": "at most", "lt": "less than"}
    needed = [f"{bounds[key]} {limit}" for key, limit in found.get("ctx", {}).items() if key in bounds]
    whole = "a whole number" if found["type"].startswith("int") else "a number"
    return f"it must be {needed[0] if needed else whole}, got {quote(str(found['input']))}"


if __name__ == "__main__":
    sys.exit(main())
