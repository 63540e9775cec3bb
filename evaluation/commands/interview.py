"""``irollan interview``: talk with a resident at a time step of a run."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from evaluation.commands.arguments import AsJson, RunArgument, filled, whole_number
from evaluation.commands.errors import print_error, print_note, print_refusal
from evaluation.html_theme.printable import printable_lines

if TYPE_CHECKING:
    from evaluation.interviews.interview import Turn

At = Annotated[
    int | None,
    typer.Option(
        metavar="STEP",
        parser=whole_number,
        help="After how many steps of RUN. [default: all of them]",
        show_default=False,
    ),
]
SpeakingModel = Annotated[
    str | None,
    typer.Option(
        "--model",
        metavar="NAME",
        parser=filled,
        help="Speaks for the residents; see irollan models. [default: the one that decides for them in RUN]",
        show_default=False,
    ),
]
_Who = Annotated[str, typer.Option(metavar="RESIDENT", parser=filled, help="Who is asked.", show_default=False)]
_Question = Annotated[
    str | None,
    typer.Argument(
        metavar="QUESTION", parser=filled, help="What is asked; without it, a question a line.", show_default=False
    ),
]


def interview(
    run: RunArgument,
    who: _Who,
    question: _Question = None,
    at: At = None,
    model: SpeakingModel = None,
    as_json: AsJson = False,
) -> int:
    """Talk with a resident of any step of a run, by what it knows then.

    The prompt is what the resident's own mind tells that it knows, and what it perceives in that step. Nothing is
    written, into the run or elsewhere; --json prints the whole interview with its prompts. The step comes from a
    checkpoint of the run, or is replayed from its transcript.
    """
    from evaluation.interviews.interview import Interviewed, answering_model, in_one_go
    from evaluation.interviews.past_society import past_society
    from evaluation.models.errors import RunError
    from evaluation.records.run_directory import RunDirectory
    from evaluation.runs.progress import progress_on
    from evaluation.runs.replay import ReplayError
    from language_models.protocol import ModelError, ModelUnavailable

    turns: list[Turn] = []
    progress = progress_on()
    try:
        with past_society(RunDirectory(run), at, progress) as past:
            asked = Interviewed(past, who)
            with answering_model(past.configuration, past.embedder, model, progress) as (speaker, speaking):
                for text in [question] if question is not None else _typed():
                    progress.say(f"{who} is asked ...")
                    turns.append(in_one_go(speaking, asked.answer(speaking, text, turns)))
                    if not as_json:
                        print(printable_lines(turns[-1].answer), flush=True)
                if left_out := max((turn.left_out for turn in turns), default=0):
                    print_note(f"the prompt had no room for the oldest {left_out} of {len(asked.known)} things known")
    except (ValueError, OSError) as error:
        return print_refusal(error)
    except ReplayError as error:
        return print_error(f"{run} cannot be replayed by this version: {str(error).splitlines()[0]}", 2)
    except (RunError, ModelError, ModelUnavailable) as error:
        return print_error(str(error), 1)
    if as_json:
        answer = {"run": str(run), "step": past.step, "resident": who, "model": speaker.name, "knows": asked.known}
        print(json.dumps({**answer, "turns": [turn.to_json() for turn in turns]}, indent=2))
    return 0


def _typed() -> Iterator[str]:
    """Yield questions from standard input, one per line."""
    asking = sys.stdin.isatty()
    while True:
        if asking:
            print("> ", end="", file=sys.stderr, flush=True)
        line = sys.stdin.readline()
        if not line:
            return
        if line.strip():
            yield line
