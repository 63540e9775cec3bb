"""``irollan bench``: how fast the parts of the project are."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from benchmarks.benchmark import show
from evaluation.commands.ability import ability
from evaluation.commands.arguments import AsJson
from evaluation.commands.errors import print_error

bench = typer.Typer(help="Measure how fast a part of the project is.", no_args_is_help=True)
bench.command("ability")(ability)


@bench.command("env")
def env(
    rounds: Annotated[int, typer.Option(metavar="N", help="How often each side has its turn.")] = 5,
    towns: Annotated[
        list[int], typer.Option(metavar="N", help="How many residents the towns have; give it again for more towns.")
    ] = [1000, 10_000],  # noqa: B006  (never changed)
    as_json: AsJson = False,
) -> int:
    """Measure the environment: agent-steps per second beside TextWorld, in towns and over HTTP; saving and copying."""
    from benchmarks.valley import measure

    try:
        measurements, machine = measure(rounds, lambda line: print(f"bench env: {line}", file=sys.stderr), towns)
    except ValueError as error:
        return print_error(str(error), 2)
    except RuntimeError as error:
        return print_error(str(error), 1)
    show(measurements, machine, as_json=as_json)
    return 0


@bench.command("mind")
def mind(
    runs: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="[RUN]...",
            help="Runs whose own calls and tokens are to be set beside each other.",
            show_default=False,
        ),
    ] = None,
    embedder: Annotated[
        str, typer.Option(metavar="NAME", help="What compares names and sentences; see irollan models.")
    ] = "hash",
    part: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Measure this only: activation, blending, steps or tokens. Again for more."),
    ] = None,
    residents: Annotated[int, typer.Option(metavar="N", help="How many residents are stepped together.")] = 1000,
    as_json: AsJson = False,
) -> int:
    """Measure the mind: activation of memories, blending, steps without the language model, and what runs cost.

    All of it takes some minutes; --part NAME and fewer --residents are quicker.
    """
    from benchmarks.minds import measure

    try:
        measurements, machine = measure(
            runs or [],
            lambda line: print(f"bench mind: {line}", file=sys.stderr),
            embedder=embedder,
            parts=part or (),
            society=residents,
        )
    except (ValueError, OSError) as error:
        return print_error(str(error), 2)
    show(measurements, machine, as_json=as_json)
    return 0


@bench.command("models")
def models(
    part: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="Measure this only: embedded, societies, server, recording, replay or kills. Again for more.",
        ),
    ] = None,
    kills: Annotated[int, typer.Option(metavar="N", help="How many runs to kill.")] = 200,
    slots: Annotated[
        int, typer.Option(metavar="N", help="How many slots the embedded model has that societies live on.")
    ] = 12,
    as_json: AsJson = False,
) -> int:
    """Measure how busy a society keeps its model, what recording, replay and resume cost, and whether kills do harm.

    All of it takes about a quarter of an hour; --part NAME is quicker.
    """
    from benchmarks.benchmark import machine, show
    from benchmarks.model_calls import measure

    try:
        measurements = measure(part or (), kills, slots, lambda line: print(f"bench models: {line}", file=sys.stderr))
    except (ValueError, FileNotFoundError) as error:
        return print_error(str(error), 2)
    show(measurements, machine(), as_json=as_json)
    return 0
