"""``irollan bench ability``."""

from __future__ import annotations

import json
import sys
from contextlib import ExitStack
from typing import Annotated

import typer

from evaluation.ability.textworld_game import KINDS
from evaluation.commands.arguments import AsJson
from evaluation.commands.errors import print_error, why_idle


def ability(
    games: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="GAME",
            help=f"Kinds of TextWorld games ({', '.join(KINDS)}). [default: all]",
            show_default=False,
        ),
    ] = None,
    episodes: Annotated[int, typer.Option(metavar="N", help="Episodes of each game, of the seeds 0 to N - 1.")] = 30,
    players: Annotated[
        list[str] | None,
        typer.Option(
            "--player",
            metavar="NAME",
            help="random, itcma, itcma-s, or itcma-s-led, whom the model leads; again for several. "
            "[default: the first three]",
            show_default=False,
        ),
    ] = None,
    model: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Says what there may be in places never seen; as irollan run has it. [default: smollm2]",
            show_default=False,
        ),
    ] = None,
    as_json: AsJson = False,
) -> int:
    """Measure what a mind can do in another world: how often it wins TextWorld games, beside chance and ITCMA.

    The decision is the whole mind's; thoughts and words, which come after it, are left out. A language
    model is asked about places never seen alone; the embedded one takes minutes. For the valley's tasks: bench tasks.
    """
    in_vain = model is not None and set(players or ()) == {"random"}
    if reason := why_idle(("--model", in_vain, "random asks no model")):
        return print_error(reason, 2)
    from evaluation.ability.ability import PLAYERS, Players, make_game, measure, table
    from evaluation.models.closing import release_models
    from language_models.embedders.sentence_embedder import MiniLM
    from language_models.registry import find_model

    def tell(line: str) -> None:
        print(f"bench ability: {line}", file=sys.stderr)

    with ExitStack() as stack:
        try:
            played = [make_game(name) for name in games or KINDS]
            for game in played:
                stack.callback(game.close)
            loaded = find_model(model or "smollm2").build()
            stack.callback(release_models, [loaded])
            makes = Players(loaded, MiniLM())
            rows = list(measure(played, makes, players or PLAYERS, episodes, tell))
        except ValueError as error:
            return print_error(str(error), 2)
        except (OSError, ModuleNotFoundError, RuntimeError) as error:
            return print_error(str(error), 1)
    print(json.dumps([row.to_json() for row in rows], indent=2) if as_json else table(rows))
    return 0
