"""``irollan bench``: how fast the parts of the project are."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from typing import Annotated

import typer

from evaluation.complaints import complain

bench = typer.Typer(help="Measure how fast a part of the project is.", no_args_is_help=True)


@bench.command("env")
def env(
    rounds: Annotated[int, typer.Option(metavar="N", help="How often each side has its turn.")] = 5,
    towns: Annotated[
        list[int], typer.Option(metavar="N", help="How many residents the towns have; give it again for more towns.")
    ] = [1000, 10_000],  # noqa: B006  (never changed)
    as_json: Annotated[bool, typer.Option("--json", help="Print the answer as JSON, for other programs.")] = False,
) -> int:
    """Measure the environment: agent-steps per second beside TextWorld, in towns and over HTTP; saving and copying."""
    from evaluation.bench_env import measure

    try:
        measurements, machine = measure(rounds, lambda line: print(f"bench env: {line}", file=sys.stderr), towns)
    except ValueError as error:
        return complain(str(error), 2)
    except RuntimeError as error:
        return complain(str(error), 1)
    if as_json:
        rows = [{**asdict(one), "reached": one.reached} for one in measurements]
        print(json.dumps({"measurements": rows, "machine": machine}, indent=2))
        return 0
    width = max(len(one.name) for one in measurements)
    for one in measurements:
        value = one.note if one.value is None else f"{_short(one.value)} {one.unit}"
        verdict = {True: "reached", False: "not reached", None: ""}[one.reached]
        goal = "" if one.goal is None else f"  (goal: {'>=' if one.at_least else '<='} {_short(one.goal)}; {verdict})"
        print(f"{one.name:{width}}  {value}{goal}")
    return 0


def _short(number: float) -> str:
    return f"{number:.3g}" if number < 100 else f"{number:,.0f}"
