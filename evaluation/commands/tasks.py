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
from evaluation.commands.errors import print_error, why_idle
from evaluation.html_theme.printable import printable_lines
from irollan_env.tasks import FAMILIES

if TYPE_CHECKING:
    from evaluation.ability.task_protocol import MakePlayer
    from language_models.protocol import LanguageModel


def tasks(
    agent: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="expert, scripted, random, wait; blind and closed-eyes, who never look; itcma or itcma-s, who decide "
            "by similarity; itcma-s-led or react, whom --model leads; me, which is you, at this terminal.",
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
        str | None,
        typer.Option(
            metavar="NAME",
            help="Of a mind: what leads it, or says what there may be in places never seen; as irollan run. [default: "
            "scripted]",
            show_default=False,
        ),
    ] = None,
    record: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Of a mind: write every call of the model to this transcript. Of me: write your answers there, and go "
            "on from those that it has.",
        ),
    ] = None,
    replay: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE", help="Of a mind, or me: take the answers from this transcript; again for more of them."
        ),
    ] = None,
    as_json: AsJson = False,
) -> int:
    """Let an agent play the fixed list of the benchmark's tasks; with --json, what it submits to the leaderboard."""
    from evaluation.ability.submissions import submission, table
    from evaluation.ability.task_minds import MINDS
    from evaluation.ability.task_players import SIMPLE, simple_player
    from evaluation.ability.task_protocol import TESTED, play
    from evaluation.models.person import Left
    from irollan_env.hints import did_you_mean
    from irollan_env.tasks import ALONE
    from language_models.transcript.replaying import NotRecorded
    from minds.mind_specs import ME

    known = (*SIMPLE, *MINDS, ME)
    if agent not in known:
        return print_error(f"unknown agent {agent!r}{did_you_mean(agent, known) or f'; known are {known}'}", 2)

    families = families or list(FAMILIES)
    if agent == ME and partners is None and (shared := [name for name in families if name in FAMILIES.keys() - ALONE]):
        return print_error(f"nobody wins {shared[0]} alone, and you are one; choose --partners, or other families", 2)
    asks, together = agent not in SIMPLE, any(name not in ALONE for name in families)
    if reason := why_idle(
        ("--record", record is not None and not asks, f"{agent} asks no model"),
        ("--replay", bool(replay) and not asks, f"{agent} asks no model"),
        ("--model", model is not None and agent not in MINDS, f"{agent} asks no model"),
        ("--model", model is not None and bool(replay), "--replay has the answers"),
        ("--partners", partners is not None and not together, "each of these families is won alone"),
        ("--description", bool(description) and not as_json, "only --json prints it"),
    ):
        return print_error(reason, 2)

    def tell(line: str) -> None:
        print(f"bench tasks: {line}", file=sys.stderr)

    with ExitStack() as stack:
        try:
            make: MakePlayer = simple_player
            if agent == ME:
                make = _person(replay or (), record, stack)
            elif agent in MINDS:
                make = _minds(model or "scripted", replay or (), record, stack)
            splits = tuple(dict.fromkeys(split or TESTED))
            results = list(play(agent, families, instances, make, tell, partners, splits))
        except Left as error:
            kept = "the same command continues from there" if record is not None else "--record FILE would have kept it"
            return print_error(f"{error}; {kept}", 1)
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
        print(printable_lines(page(folder)))
    except (ValueError, OSError) as error:
        return print_error(str(error), 2)
    return 0


def _minds(model: str, replay: Sequence[Path], record: Path | None, stack: ExitStack) -> MakePlayer:
    """Make minds by a model, or from the answers of transcripts; record every call on request."""
    from evaluation.ability.task_minds import TaskMinds
    from evaluation.models.closing import release_models
    from language_models.embedders.sentence_embedder import MiniLM
    from language_models.registry import find_model
    from language_models.transcript.recording import RecordedModel
    from language_models.transcript.transcript import Transcript

    asked = _replayed(replay, stack)
    loaded = [find_model(model).build()] if asked is None else []
    stack.callback(release_models, loaded)
    asked = asked or loaded[0]
    if record is not None:
        asked = RecordedModel(asked, stack.enter_context(closing(Transcript(record))))
    minds = TaskMinds(asked, MiniLM())
    stack.callback(minds.close, loaded)
    return minds.make


def _person(replay: Sequence[Path], record: Path | None, stack: ExitStack) -> MakePlayer:
    """Make players for a person at the terminal, or from the answers of transcripts."""
    from evaluation.ability.task_person import TaskPerson
    from evaluation.models.model_roles import PERSON
    from evaluation.models.person import Person
    from evaluation.models.terminal import HELP_IN_A_TASK, Terminal
    from language_models.transcript.recording import RecordedModel
    from language_models.transcript.replaying import ReplayedModel
    from language_models.transcript.transcript import Transcript

    # A call failed when the person left, and was repeated on return.
    asked = _replayed(replay, stack, failures_until=0) or Person(
        Terminal.of_process(HELP_IN_A_TASK, "run this command in one")
    )
    if record is not None:
        kept = stack.enter_context(closing(Transcript(record)))
        asked = ReplayedModel(kept, name=PERSON, failures_until=0, otherwise=RecordedModel(asked, kept))
    person = TaskPerson(asked)
    stack.callback(person.close)
    return person.make


def _replayed(paths: Sequence[Path], stack: ExitStack, *, failures_until: int | None = None) -> LanguageModel | None:
    """Make a model that answers from transcripts, failed calls included; None without transcripts."""
    from language_models.transcript.replaying import ReplayedModel
    from language_models.transcript.transcript import Transcript

    asked: LanguageModel | None = None
    for path in paths:
        transcript = stack.enter_context(closing(Transcript(path, read_only=True)))
        asked = ReplayedModel(transcript, failures_until=failures_until, otherwise=asked)
    return asked
