"""``irollan beliefs``: score the beliefs of residents at a time step against the ledger."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from evaluation.commands.arguments import AsJson, RunArgument, filled, whole_number
from evaluation.commands.errors import print_error, print_note, print_refusal
from evaluation.commands.interview import At, SpeakingModel
from evaluation.html_theme.printable import printable

if TYPE_CHECKING:
    from evaluation.interviews.beliefs import JudgeError, Score

_Judge = Annotated[
    str | None,
    typer.Option(
        "--judge",
        metavar="NAME",
        parser=filled,
        help="Says of each answer whether it is right, by what all residents did; see irollan models.",
        show_default=False,
    ),
]
_Most = Annotated[int, typer.Option(metavar="N", parser=whole_number, help="Questions of a kind, at most.")]


def beliefs(
    run: RunArgument,
    at: At = None,
    model: SpeakingModel = None,
    judge: _Judge = None,
    most: _Most = 10,
    as_json: AsJson = False,
) -> int:
    """Ask all residents of a step of a run who is where, holds what, said what, and score it against the ledger.

    Each gets the same context as in an interview, and chooses among all options; chance is the share that would be
    right if every option were as likely. With --judge, another model rates the answers, and its error against the
    ledger is printed. Nothing is written. docs/questionnaires.md says what is asked.
    """
    from evaluation.interviews.beliefs import ask_all, errors, judge_all, scores
    from evaluation.interviews.interview import answering_model, in_one_go, model_asked
    from evaluation.interviews.ledger_questions import questions_of
    from evaluation.interviews.past_society import past_society
    from evaluation.models.errors import RunError
    from evaluation.records.run_directory import RunDirectory
    from evaluation.runs.progress import progress_on
    from evaluation.runs.replay import ReplayError
    from language_models.protocol import ModelError, ModelUnavailable

    directory, progress = RunDirectory(run), progress_on()
    try:
        with past_society(directory, at, progress) as past:
            records = [record for record in directory.records() if record["time"] < past.step]
            questions = questions_of(past, records, most)
            if judge is not None:
                model_asked(past.configuration, judge)  # refuse an unknown model before asking anybody
            with answering_model(past.configuration, past.embedder, model, progress) as (speaker, speaking):
                progress.say(f"all residents are asked {len(questions)} questions ...")
                found = in_one_go(speaking, ask_all(past, speaking, questions, progress))
            if judge is not None:
                with answering_model(past.configuration, past.embedder, judge, progress) as (judging_spec, judging):
                    progress.say(f"{judging_spec.name} judges the answers ...")
                    verdicts = in_one_go(
                        judging, judge_all(judging, found, records, past.step, past.society.world.map.setting)
                    )
    except (ValueError, OSError) as error:
        return print_refusal(error)
    except ReplayError as error:
        return print_error(f"{run} cannot be replayed by this version: {str(error).splitlines()[0]}", 2)
    except (RunError, ModelError, ModelUnavailable) as error:
        return print_error(str(error), 1)
    if cut := sum(one.left_out > 0 for one in found):
        print_note(f"in {cut} of {len(found)} prompts there was no room for the oldest things known")
    if as_json:
        answer: dict[str, Any] = {
            "run": str(run),
            "step": past.step,
            "model": speaker.name,
            "questions": len(questions),
        }
        answer |= {"scores": [one.to_json() for one in scores(found)], "beliefs": [one.to_json() for one in found]}
        if judge is not None:
            rows = [one.to_json() for one in errors(verdicts)]
            answer["judge"] = {
                "model": judging_spec.name,
                "errors": rows,
                "verdicts": [one.to_json() for one in verdicts],
            }
        print(json.dumps(answer, indent=2))
    else:
        print(printable(f"{len(questions)} questions after step {past.step}, answered by {speaker.name}") + "\n")
        print(_table(scores(found)))
        if judge is not None:
            print("\n" + printable(f"The same answers, judged by {judging_spec.name}") + "\n")
            print(_judge_table(errors(verdicts)))
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


def _judge_table(rows: Sequence[JudgeError]) -> str:
    head = (
        f"{'':8}  {'wrong':>9}  {'error':>6}  {'95 % interval':>16}  {'blind':>6}  {'judged right':>12}  {'right':>6}"
    )
    lines = [head]
    for row in rows:
        low, high = row.interval
        none = f"  {row.unanswered} without a verdict" if row.unanswered else ""
        lines.append(
            f"{row.label:8}  {f'{row.wrong} of {row.of}':>9}  {row.wrong / row.of:>6.1%}  "
            f"{f'{low:.1%} to {high:.1%}':>16}  {row.blind:>6.1%}  {row.judged_right / row.of:>12.1%}  "
            f"{row.right / row.of:>6.1%}{none}"
        )
    return "\n".join(lines)
