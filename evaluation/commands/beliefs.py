"""``irollan beliefs``: what residents of a time step of a run believe, scored against its ledger."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from evaluation.commands.arguments import AsJson, RunArgument, whole_number
from evaluation.commands.errors import print_error, print_note, print_refusal
from evaluation.commands.interview import At, SpeakingModel

if TYPE_CHECKING:
    from evaluation.interviews.beliefs import Score

_Most = Annotated[int, typer.Option(metavar="N", parser=whole_number, help="Questions of a kind, at most.")]


def beliefs(
    run: RunArgument, at: At = None, model: SpeakingModel = None, most: _Most = 10, as_json: AsJson = False
) -> int:
    """Ask all residents of a step of a run who is where, holds what, said what, and score it against the ledger.

    Each is told what an interview tells it, and chooses among all options; chance is the share that would be right if
    every option were as likely. Nothing is written. docs/measures.md says what is asked.
    """
    from evaluation.interviews.beliefs import ask_all, scores
    from evaluation.interviews.interview import answering_model, in_one_go
    from evaluation.interviews.past_society import past_society
    from evaluation.interviews.questionnaire import questions_of
    from evaluation.models.errors import RunError
    from evaluation.records.run_directory import RunDirectory
    from evaluation.runs.progress import progress_on
    from evaluation.runs.replay import ReplayError
    from language_models.protocol import ModelError, ModelUnavailable

    directory = RunDirectory(run)
    try:
        with past_society(directory, at, progress_on()) as past:
            records = [record for record in directory.records() if record["time"] < past.step]
            questions = questions_of(past, records, most)
            with answering_model(past, model) as (name, speaking):
                found = in_one_go(speaking, ask_all(past, speaking, questions))
    except (ValueError, OSError) as error:
        return print_refusal(error)
    except ReplayError as error:
        return print_error(f"{run} cannot be lived again by this version: {str(error).splitlines()[0]}", 2)
    except (RunError, ModelError, ModelUnavailable) as error:
        return print_error(str(error), 1)
    if cut := sum(one.left_out > 0 for one in found):
        print_note(f"in {cut} of {len(found)} prompts there was no room for the oldest things known")
    if as_json:
        told = {"run": str(run), "step": past.step, "model": name, "questions": len(questions)}
        rows = [score.to_json() for score in scores(found)]
        print(json.dumps({**told, "scores": rows, "beliefs": [one.to_json() for one in found]}, indent=2))
    else:
        print(f"{len(questions)} questions after step {past.step}, answered by {name}\n")
        print(_table(scores(found)))
    return 0


def _table(rows: Sequence[Score]) -> str:
    width = max(len(row.label) for row in rows)
    lines = [f"{'':{width}}  {'right':>9}  {'share':>6}  {'95 % interval':>16}  {'chance':>6}"]
    for row in rows:
        low, high = row.interval
        counted = f"{row.right} of {row.of}"
        none = f"  {row.unanswered} without an answer" if row.unanswered else ""
        lines.append(
            f"{row.label:{width}}  {counted:>9}  {row.right / row.of:>6.1%}  {f'{low:.1%} to {high:.1%}':>16}  "
            f"{row.chance:>6.1%}{none}"
        )
    return "\n".join(lines)
