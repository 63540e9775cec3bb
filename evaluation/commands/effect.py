"""``irollan effect``: what events change, from pairs of runs with and without them."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from evaluation.commands.arguments import (
    AsJson,
    AtOnce,
    MaxCost,
    MaxTokens,
    RunArgument,
    filled,
    filled_path,
    whole_number,
)
from evaluation.commands.errors import print_note, print_path, print_refusal, print_what_is_left
from evaluation.runs.config_parts import LimitsConfig

if TYPE_CHECKING:
    from evaluation.effects import EffectResult

_Events = Annotated[
    Path, typer.Option(metavar="FILE", parser=filled_path, help="What happens in one arm and not in the other.")
]
_At = Annotated[
    int, typer.Option(metavar="N", parser=whole_number, help="How many steps of RUN come before, in both arms.")
]
_Seeds = Annotated[
    int, typer.Option(metavar="N", parser=whole_number, help="How many pairs of runs, each with a seed of its own.")
]
_Measures = Annotated[
    str | None,
    typer.Option(
        metavar="NAMES",
        parser=filled,
        help="Which measures, separated by commas; irollan measures has their names. [default: all]",
        show_default=False,
    ),
]
_Outcome = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        parser=filled,
        help="The primary outcome, a measure or variable: it is tested alone, and the others are exploratory.",
        show_default=False,
    ),
]
_Out = Annotated[
    Path | None,
    typer.Option(
        metavar="DIR",
        parser=filled_path,
        help="The experiment's directory, new or begun. [default: RUN-effect-FILE]",
        show_default=False,
    ),
]


def effect(
    run: RunArgument,
    events: _Events,
    at: _At = 0,
    seeds: _Seeds = 30,
    measures: _Measures = None,
    outcome: _Outcome = None,
    out: _Out = None,
    at_once: AtOnce = 2,
    max_tokens: MaxTokens = None,
    max_cost: MaxCost = None,
    as_json: AsJson = False,
) -> int:
    """Measure what events change: continue RUN with and without them, on the same seeds, and compare the pairs.

    All runs begin with the first N steps of RUN and have its configuration. The same command continues what was
    stopped or killed. It writes report.html, effects.csv (one row a measure or variable), pairs.csv and steps.csv.
    """
    from evaluation.effects import effect as find
    from evaluation.models.errors import RunError
    from evaluation.runs.replay import ReplayError
    from evaluation.sweeps.sweep_progress import sweep_progress_on

    try:
        result = find(
            run,
            events,
            run.with_name(f"{run.resolve().name}-effect-{events.stem}") if out is None else out,
            sweep_progress_on(),
            at=at,
            seeds=seeds,
            measures=[one.strip() for one in (measures or "").split(",") if one.strip()],
            outcome=outcome or "",
            at_once=at_once,
            limits=LimitsConfig(max_tokens=max_tokens, max_cost=max_cost),
        )
    except (ValueError, RunError, ReplayError, OSError) as error:
        return print_refusal(error)
    return _print_result(result, as_json)


def _print_result(result: EffectResult, as_json: bool) -> int:
    counts = Counter(map(str, result.runs["status"]))
    if as_json:
        answer = {
            "status": result.status,
            "experiment": str(result.directory.path),
            "runs": dict(counts),
            "report": None if result.report is None else str(result.report),
            "reasons": dict(result.reasons),
            "primary": result.primary,
        }
        print(json.dumps(answer), flush=True)
    elif result.report is not None:
        if result.primary:
            print_note(result.primary)
        print_path(result.report)
    return print_what_is_left(result.status, counts["finished"], len(result.runs), result.reasons)
