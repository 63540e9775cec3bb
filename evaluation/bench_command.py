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
    as_json: Annotated[bool, typer.Option("--json", help="Print the answer as JSON, for other programs.")] = False,
) -> int:
    """Measure the environment: agent-steps per second beside TextWorld's steps, in towns, and saving and copying."""
    from evaluation.bench_env import measure

    try:
        measurements, machine = measure(rounds, lambda line: _say("env", line))
    except ValueError as error:
        return complain(str(error), 2)
    if as_json:
        rows = [{**asdict(one), "reached": one.reached} for one in measurements]
        print(json.dumps({"measurements": rows, "machine": machine}, indent=2))
        return 0
    width = max(len(one.name) for one in measurements)
    for one in measurements:
        value = (
            one.note
            if one.value is None
            else f"{one.value:,.3g} {one.unit}"
            if one.value < 100
            else (f"{one.value:,.0f} {one.unit}")
        )
        verdict = {True: "reached", False: "not reached", None: ""}[one.reached]
        goal = "" if one.goal is None else f"  (goal: {'>=' if one.at_least else '<='} {one.goal:.3g}; {verdict})"
        print(f"{one.name:{width}}  {value}{goal}")
    return 0


@bench.command("ability")
def ability(
    games: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="GAME",
            help="Families of the valley's tasks (fetch, clean, heat, find, deliver, tell, gather) or kinds of "
            "TextWorld games (coin-collector, treasure-hunter and the like). [default: all]",
            show_default=False,
        ),
    ] = None,
    episodes: Annotated[int, typer.Option(metavar="N", help="Episodes of each game, of the seeds 0 to N - 1.")] = 30,
    players: Annotated[
        list[str] | None,
        typer.Option(
            "--player", metavar="NAME", help="random, itcma or itcma-s; again for several. [default: all three]"
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the answer as JSON, for other programs.")] = False,
) -> int:
    """Measure what a mind can do: how often it wins the valley's tasks and TextWorld games, beside chance and ITCMA.

    The decision is the whole mind's; thoughts and words, which come after it, are left out. It takes the embedded
    language model, for places never seen, and minutes.
    """
    from evaluation.ability import PLAYERS, Players, make_game, measure, table
    from evaluation.textworld_game import KINDS
    from irollan_env.tasks import FAMILIES
    from language_models.embedded import EmbeddedModel
    from language_models.embedder import MiniLM

    try:
        played = [make_game(name) for name in games or (*FAMILIES, *KINDS)]
        embedder = MiniLM()
        makes = Players(EmbeddedModel.smollm2(embedder=embedder), embedder)
        rows = list(measure(played, makes, players or PLAYERS, episodes, lambda line: _say("ability", line)))
    except ValueError as error:
        return complain(str(error), 2)
    except (OSError, ModuleNotFoundError, RuntimeError) as error:
        return complain(str(error), 1)
    print(json.dumps([row.to_json() for row in rows], indent=2) if as_json else table(rows))
    return 0


def _say(command: str, line: str) -> None:
    print(f"bench {command}: {line}", file=sys.stderr)
