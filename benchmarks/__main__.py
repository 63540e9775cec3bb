"""The command ``python -m benchmarks``: lists the benchmarks, or runs one of them.

Exit status: 0, 1 (it failed, or a requirement is not met) or 2 (wrong usage). Standard output has the numbers alone,
standard error the progress.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any

import typer

from irollan_env.hints import did_you_mean

BENCHMARKS: dict[str, tuple[str, str]] = {
    "env": ("valley", "agent-steps per second, beside TextWorld, in towns and over HTTP; saving and copying"),
    "tasks": ("valley", "whether the tasks' instances are distinct, and what can be won without looking"),
    "mind": ("mind", "what a mind costs beside the language model, and what runs cost in calls and tokens"),
    "mutation": ("mutation", "how many changes of the files of the equations their tests notice"),
    "models": ("models", "what asking, recording, replay and resume take, and what kill -9 leaves"),
    "exactness": ("models", "whether runs of one seed on an embedded model end alike, and what it takes"),
    "writer": ("models", "what the small model writes: how often again or twice the same, and at what cost"),
    "anova_null": ("analysis", "how often ratings of architectures that do not differ are said to differ"),
    "social_nulls": ("analysis", "how often the tests of social structure find what is not there, and what is"),
    "ltrha": ("analysis", "who is held back under each setting of LTRHA, and whether standing follows deeds"),
    "many_residents": ("analysis", "what a run of many takes to live, resume, replay, report and view"),
    "plan_options": ("analysis", "whether the next step of a plan is among the options, over recorded lives"),
    "talk_measures": ("analysis", "precision and recall of the measures of talk, on lines labelled by hand"),
}
"""Folder and description of each benchmark, by name."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command.

    Args:
        argv: Its arguments, without its name; those of the process when None.

    Returns:
        The exit status.
    """
    name, *arguments = (sys.argv[1:] if argv is None else list(argv)) or ["--help"]
    if name in ("-h", "--help"):
        print(overview())
        return 0
    if name not in BENCHMARKS:
        hint = did_you_mean(name, BENCHMARKS) or ";"
        return _complain(f"no benchmark {name!r}{hint} python -m benchmarks lists them all", 2)
    try:
        status = _command(name)(arguments, prog_name=f"python -m benchmarks {name}", standalone_mode=False)
    except typer.TyperException as error:
        said = getattr(error, "format_message", error.__str__)()
        return _complain(f"{said.rstrip('.')}; see python -m benchmarks {name} --help", 2)
    except (ValueError, FileNotFoundError) as error:
        return _complain(str(error), 2)
    except (RuntimeError, OSError, ImportError) as error:
        return _complain(str(error), 1)
    return int(status or 0)


def overview() -> str:
    """Return the usage message with one line per benchmark."""
    width = max(map(len, BENCHMARKS))
    lines = [f"  {name:{width}}  {what}" for name, (_, what) in BENCHMARKS.items()]
    return "\n".join(
        ["Usage: python -m benchmarks NAME [OPTIONS] [--json]", "", *lines, "", "NAME --help says more about one."]
    )


def _command(name: str) -> Callable[..., Any]:
    """Return the Typer entry point of one benchmark, without importing the others."""
    app = typer.Typer(
        add_completion=False, rich_markup_mode=None, context_settings={"help_option_names": ["-h", "--help"]}
    )
    app.command(name)(import_module(f"benchmarks.{BENCHMARKS[name][0]}.{name}").command)
    return typer.main.get_command(app).main


def _complain(message: str, status: int) -> int:
    # Imported here, so that listing the benchmarks stays fast.
    from evaluation.html_theme.printable import printable

    print(f"benchmarks: {printable(' '.join(message.split()))}", file=sys.stderr)
    return status


if __name__ == "__main__":
    sys.exit(main())
