"""``irollan bench tasks`` and ``irollan bench leaderboard``."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from evaluation.commands.arguments import AsJson
from evaluation.commands.errors import print_error
from irollan_env.tasks import FAMILIES, Task
from irollan_env.world.observation import Observation

if TYPE_CHECKING:
    from evaluation.ability.ability import Players
    from evaluation.ability.task_players import Player

_MINDS = ("itcma", "itcma-s")


def tasks(
    agent: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="expert, scripted, random, wait; blind and closed-eyes, who never look; itcma or itcma-s.",
        ),
    ],
    families: Annotated[
        list[str] | None,
        typer.Argument(metavar="FAMILY", help=f"Of {', '.join(FAMILIES)}. [default: all]", show_default=False),
    ] = None,
    instances: Annotated[
        int, typer.Option(metavar="N", help="The first N instances of test_seen and of test_unseen; 100 to submit.")
    ] = 100,
    description: Annotated[str, typer.Option(metavar="TEXT", help="Of the agent, for the leaderboard.")] = "",
    partners: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="Of families that nobody wins alone: play with five keen, slow or wayward partners."
        ),
    ] = None,
    model: Annotated[
        str, typer.Option(metavar="NAME", help="Of a mind: what there may be in places never seen; as irollan run.")
    ] = "scripted",
    as_json: AsJson = False,
) -> int:
    """Let an agent play the fixed list of the benchmark's tasks; with --json, what it submits to the leaderboard."""
    from evaluation.ability.task_players import SIMPLE, simple_player
    from evaluation.ability.task_protocol import play, submission, table
    from irollan_env.hints import did_you_mean

    if agent not in (*SIMPLE, *_MINDS):
        known = (*SIMPLE, *_MINDS)
        return print_error(f"unknown agent {agent!r}{did_you_mean(agent, known) or f'; known are {known}'}", 2)

    def tell(line: str) -> None:
        print(f"bench tasks: {line}", file=sys.stderr)

    with ExitStack() as stack:
        try:
            make = _minds(model, stack) if agent in _MINDS else simple_player
            results = list(play(agent, families or list(FAMILIES), instances, make, tell, partners))
        except ValueError as error:
            return print_error(str(error), 2)
        except (OSError, ModuleNotFoundError, RuntimeError) as error:
            return print_error(str(error), 1)
    print(json.dumps(submission(agent, description, results)) if as_json else table({agent: results}))
    return 0


def leaderboard(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Of the submissions.")] = Path(
        "benchmarks/data/leaderboard"
    ),
) -> int:
    """Print the page of all submissions, which docs/leaderboard.md is."""
    from evaluation.ability.task_protocol import leaderboard as page

    try:
        print(page(folder), end="")
    except (ValueError, OSError) as error:
        return print_error(str(error), 2)
    return 0


class _Mind:
    """A mind that begins an episode with nothing seen."""

    def __init__(self, players: Players, agent: str, name: str, seed: int) -> None:
        self._players, self._mind = players, players.make(agent, name, seed)

    def act(self, observation: Observation, info: Mapping[str, Any]) -> str | None:
        """What it decides; a chat has the dots that the task replaces."""
        from irollan_env.world.primitives import is_chat
        from itcma_s.actions import without_words

        decided = asyncio.run(self._mind.act(observation))
        if decided.failure is not None:
            raise RuntimeError(f"{observation.resident!r} could not decide: {decided.failure}")
        self._players.done(self._mind)
        action = decided.action
        return f"{without_words(action)}: ..." if action is not None and is_chat(action) else action


def _minds(model: str, stack: ExitStack) -> Callable[[str, str, Task, int], Player]:
    from evaluation.ability.ability import Players
    from evaluation.models.closing import release_models
    from language_models.embedders.minilm import MiniLM
    from language_models.registry import resolve_model

    loaded = resolve_model(model).build()
    stack.callback(release_models, [loaded])
    players = Players(loaded, MiniLM())

    def make(agent: str, name: str, task: Task, seed: int) -> Player:
        return _Mind(players, agent, name, seed)

    return make
