"""``irollan arena``: every combination of minds, scenarios and seeds, scored by outcome."""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path
from typing import Annotated

import typer

from evaluation.commands.arguments import AsJson, AtOnce, Prices, filled_path, whole_number
from evaluation.commands.errors import print_error, print_path, print_what_is_left
from evaluation.commands.run_result import print_estimate
from evaluation.html_theme.printable import printable_lines
from evaluation.runs.config_parts import LimitsConfig

_File = Annotated[
    Path,
    typer.Argument(
        metavar="FILE",
        parser=filled_path,
        help="A TOML file: minds, and what else is to be said; see docs/arena.md.",
        show_default=False,
    ),
]
_Out = Annotated[
    Path | None,
    typer.Option(
        metavar="DIR", parser=filled_path, help="Where the arena is, or is to be. [default: runs/ and the name of FILE]"
    ),
]
_MaxTokens = Annotated[
    int | None,
    typer.Option(
        metavar="N", parser=whole_number, help="Stop each run before it goes beyond N tokens.", show_default=False
    ),
]
_DryRun = Annotated[bool, typer.Option("--dry-run", help="Say what would be run, and run nothing.")]
_Estimate = Annotated[
    bool, typer.Option("--estimate", help="Say about what the runs that are left cost and take, and run nothing.")
]


def arena(
    file: _File,
    out: _Out = None,
    at_once: AtOnce = 2,
    max_tokens: _MaxTokens = None,
    prices: Prices = None,
    dry_run: _DryRun = False,
    estimate: _Estimate = False,
    as_json: AsJson = False,
) -> int:
    """Let minds live in scenarios, and score them by what the world's ledger says.

    The same command continues an arena that was stopped or killed, tries again what failed, and runs what was added
    to FILE since. It leaves runs.csv (one row a run), table.csv (one row a scenario, role and mind), table.md and
    report.html.
    """
    from evaluation.arena.arena import hold, plan
    from evaluation.arena.declaration import read_arena
    from evaluation.models.errors import RunError
    from evaluation.runs.estimate import estimate_runs
    from evaluation.sweeps.sweep_progress import sweep_progress_on
    from language_models.prices import read_prices

    where = out if out is not None else Path("runs") / file.stem
    try:
        asked = read_arena(file)
        if dry_run:
            states = plan(asked, where)
            listed = "\n".join(f"{state:9} {name}" for name, state in states.items())
            print(json.dumps(dict(states)) if as_json else printable_lines(listed))
            counts = Counter(states.values())
            print(
                ", ".join(f"{counts[state]} {state}" for state in ("missing", "started", "finished")), file=sys.stderr
            )
            return 0
        if estimate:
            states, cells = plan(asked, where), [entry.cell for entry in asked.entries()]
            left = [cell.configuration for cell in cells if states[cell.name] != "finished"]
            return print_estimate(estimate_runs(left, read_prices(prices)), as_json)
        result = hold(
            asked,
            where,
            sweep_progress_on(),
            at_once=at_once,
            limits=LimitsConfig(max_tokens=max_tokens, prices="" if prices is None else str(prices)),
        )
    except (ValueError, RunError, OSError) as error:
        return print_error(str(error), 2 if isinstance(error, ValueError) else 1)
    if as_json:
        print(
            json.dumps(
                {
                    "status": result.status,
                    "arena": str(where),
                    "runs": len(result.runs),
                    "report": None if result.page is None else str(result.page),
                    "reasons": dict(result.reasons),
                }
            ),
            flush=True,
        )
    elif result.page is not None:
        print_path(result.page)
    return print_what_is_left(result.status, len(result.runs), len(asked.entries()), result.reasons)
