"""``irollan sweep``: many runs from one declaration, and their comparison."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from evaluation.commands.arguments import AsJson, AtOnce, Prices, filled_path, whole_number
from evaluation.commands.errors import print_error, print_path, print_refusal, print_what_is_left
from evaluation.commands.run_result import print_estimate
from evaluation.html_theme.printable import printable
from evaluation.runs.config_parts import LimitsConfig

if TYPE_CHECKING:
    from evaluation.sweeps import SweepResult


_File = Annotated[
    Path | None,
    typer.Argument(
        metavar="FILE",
        parser=filled_path,
        help="A TOML file: keys of a run's configuration, each with a value or a list of values.",
        show_default=False,
    ),
]
_Settings = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="KEY=VALUES",
        help="Values of a key in place of those in FILE, such as architecture=ltrha,itcma-s or seed=0-9; may be "
        "given several times.",
        show_default=False,
    ),
]
_Out = Annotated[
    Path | None,
    typer.Option(
        metavar="DIR",
        parser=filled_path,
        help="Where the sweep is, or is to be. [default: runs/ and the name of FILE]",
        show_default=False,
    ),
]
_MaxTokens = Annotated[
    int | None,
    typer.Option(
        metavar="N", parser=whole_number, help="Stop each run before it goes beyond N tokens.", show_default=False
    ),
]
_MaxCost = Annotated[
    float | None,
    typer.Option(metavar="X", help="Stop each run before it goes beyond X US dollars.", show_default=False),
]
_DryRun = Annotated[bool, typer.Option("--dry-run", help="Say what would be run, and run nothing.")]
_Estimate = Annotated[
    bool, typer.Option("--estimate", help="Say about what the runs that are left cost and take, and run nothing.")
]


def sweep(
    file: _File = None,
    settings: _Settings = None,
    out: _Out = None,
    at_once: AtOnce = 2,
    max_tokens: _MaxTokens = None,
    max_cost: _MaxCost = None,
    prices: Prices = None,
    dry_run: _DryRun = False,
    estimate: _Estimate = False,
    as_json: AsJson = False,
) -> int:
    """Run every combination of the values in FILE that is missing, and compare all runs.

    Keys are those of a run's configuration, by their path, such as seed, model.name or ltrha.rank_by; irollan config
    lists them. The same command continues a sweep that was stopped or killed, tries again what failed, and runs
    what was added to FILE since. It leaves runs.csv (one row a run) and report.html.
    """
    from evaluation.models.errors import RunError
    from evaluation.runs.estimate import estimate_runs
    from evaluation.sweeps import read_declaration
    from evaluation.sweeps import sweep as begin
    from evaluation.sweeps.sweep import plan
    from evaluation.sweeps.sweep_progress import sweep_progress_on
    from language_models.prices import read_prices

    if file is None and not settings:
        return print_error("say what to run: a FILE, or --set KEY=VALUES; see irollan sweep --help", 2)
    where = out if out is not None else Path("runs") / (file.stem if file is not None else "sweep")
    try:
        declaration = read_declaration(file, settings or [])
        if dry_run:
            return _print_plan(plan(declaration, where), as_json)
        if estimate:
            states = plan(declaration, where)
            left = [cell.configuration for cell in declaration.cells() if states[cell.name] != "finished"]
            return print_estimate(estimate_runs(left, read_prices(prices)), as_json)
        limits = LimitsConfig(max_tokens=max_tokens, max_cost=max_cost, prices="" if prices is None else str(prices))
        result = begin(
            declaration,
            where,
            sweep_progress_on(),
            at_once=at_once,
            limits=limits,
        )
    except (ValueError, RunError, OSError) as error:
        return print_refusal(error)
    return _print_result(result, as_json)


def _print_result(result: SweepResult, as_json: bool) -> int:
    """Print how a sweep ended: its report on standard output, the rest on standard error."""
    counts = Counter(map(str, result.table["status"]))
    if as_json:
        answer = {
            "status": result.status,
            "sweep": str(result.directory.path),
            "runs": dict(counts),
            "table": str(result.directory.table_path),
            "report": None if result.report is None else str(result.report),
            "reasons": dict(result.reasons),
        }
        print(json.dumps(answer), flush=True)
    elif result.report is not None:
        print_path(result.report)
    return print_what_is_left(result.status, counts["finished"], len(result.table), result.reasons)


def _print_plan(states: Mapping[str, str], as_json: bool) -> int:
    if as_json:
        print(json.dumps(dict(states)))
        return 0
    for name, state in states.items():
        print(printable(f"{state:9} {name}"))
    counts = Counter(states.values())
    print(", ".join(f"{counts[state]} {state}" for state in ("missing", "started", "finished")), file=sys.stderr)
    return 0
