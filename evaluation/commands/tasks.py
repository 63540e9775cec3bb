"""``irollan bench tasks`` and ``irollan bench leaderboard``."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from contextlib import ExitStack, closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from evaluation.commands.arguments import AsJson
from evaluation.commands.errors import print_error
from irollan_env.tasks import FAMILIES

if TYPE_CHECKING:
    from evaluation.ability.task_protocol import MakePlayer


def tasks(
    agent: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="expert, scripted, random, wait; blind and closed-eyes, who never look; itcma or itcma-s, who decide "
            "by likeness; itcma-s-led or react, whom --model leads.",
        ),
    ],
    families: Annotated[
        list[str] | None,
        typer.Argument(metavar="FAMILY", help=f"Of {', '.join(FAMILIES)}. [default: all]", show_default=False),
    ] = None,
    instances: Annotated[
        int, typer.Option(metavar="N", help="The first N instances of each split; 100 to submit.")
    ] = 100,
    split: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="This split only; again for more. [default: test_seen and test_unseen]"),
    ] = None,
    description: Annotated[str, typer.Option(metavar="TEXT", help="Of the agent, for the leaderboard.")] = "",
    partners: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="Of families that nobody wins alone: play with five keen, slow or wayward partners."
        ),
    ] = None,
    model: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="Of a mind: what leads it, or says what there may be in places never seen; as irollan run.",
        ),
    ] = "scripted",
    record: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Of a mind: write every call of the model to this transcript.")
    ] = None,
    replay: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE", help="Of a mind: take the model's answers from this transcript; again for more of them."
        ),
    ] = None,
    as_json: AsJson = False,
) -> int:
    """Let an agent play the fixed list of the benchmark's tasks; with --json, what it submits to the leaderboard."""
    from evaluation.ability.submissions import submission, table
    from evaluation.ability.task_minds import MINDS
    from evaluation.ability.task_players import SIMPLE, simple_player
    from evaluation.ability.task_protocol import TESTED, play
    from irollan_env.hints import did_you_mean
    from language_models.transcript.replaying import NotRecorded

    known = (*SIMPLE, *MINDS)
    if agent not in known:
        return print_error(f"unknown agent {agent!r}{did_you_mean(agent, known) or f'; known are {known}'}", 2)

    if agent not in MINDS and (record is not None or replay):
        return print_error(f"{agent} asks no model, so there is nothing to record or replay", 2)

    def tell(line: str) -> None:
        print(f"bench tasks: {line}", file=sys.stderr)

    with ExitStack() as stack:
        try:
            make = _minds(model, replay or (), record, stack) if agent in MINDS else simple_player
            splits = tuple(dict.fromkeys(split or TESTED))
            results = list(play(agent, families or list(FAMILIES), instances, make, tell, partners, splits))
        except ValueError as error:
            return print_error(str(error), 2)
        except (OSError, ModuleNotFoundError, NotRecorded, RuntimeError) as error:
            return print_error(str(error), 1)
    print(json.dumps(submission(agent, description, results)) if as_json else table({agent: results}, splits))
    return 0


def leaderboard(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Of the submissions.")] = Path(
        "benchmarks/data/leaderboard"
    ),
) -> int:
    """Print the page of all submissions, which docs/leaderboard.md is."""
    from evaluation.ability.submissions import leaderboard as page

    try:
        print(page(folder), end="")
    except (ValueError, OSError) as error:
        return print_error(str(error), 2)
    return 0


def _minds(model: str, replay: Sequence[Path], record: Path | None, stack: ExitStack) -> MakePlayer:
    """Makes minds by a model; by the answers of transcripts where there are any; every call is recorded on request."""
    from evaluation.ability.task_minds import TaskMinds
    from evaluation.models.closing import release_models
    from language_models.embedders.minilm import MiniLM
    from language_models.protocol import LanguageModel
    from language_models.registry import resolve_model
    from language_models.transcript.recording import Recorded
    from language_models.transcript.replaying import Replayed
    from language_models.transcript.transcript import Transcript

    asked: LanguageModel | None = None
    for path in replay:
        asked = Replayed(stack.enter_context(closing(Transcript(path, read_only=True))), otherwise=asked)
    loaded = [resolve_model(model).build()] if asked is None else []
    stack.callback(release_models, loaded)
    asked = asked or loaded[0]
    if record is not None:
        asked = Recorded(asked, stack.enter_context(closing(Transcript(record))))
    minds = TaskMinds(asked, MiniLM())
    stack.callback(minds.close, loaded)
    return minds.make
