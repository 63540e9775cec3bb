"""Tests of a person as task player: questions, scores, and resuming."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from at_terminal import typed_into

from evaluation.ability.task_person import GIVE_UP, TaskPerson
from evaluation.ability.task_players import Expert, Player
from evaluation.ability.task_protocol import play
from evaluation.commands.cli import main
from evaluation.models.person import Left, Person, Question, left
from evaluation.models.terminal import Terminal

FETCH = ["bench", "tasks", "--agent", "me", "fetch", "--split", "test_seen", "--instances", "1"]


class Seated:
    """Human interface that replays a list of picks and words, and leaves when the list is used up."""

    def __init__(self, answers: list[str]) -> None:
        self.answers, self.asked = answers, list[Question]()

    async def ask(self, question: Question) -> str:
        self.asked.append(question)
        if not self.answers:
            raise Left(left(question))
        return self.answers.pop(0)


def as_the_expert_plays(family: str) -> tuple[list[str], tuple[int | None, ...]]:
    """Return the picks and words of a person who follows the expert's plan, and the expert's score."""
    answers: list[str] = []

    class Watched(Expert):
        def act(self, observation: Any, info: Any) -> str | None:
            action = super().act(observation, info)
            if action is not None and action.startswith("chat with"):
                person, _, words = action.partition(": ")
                answers.extend([f"{person}: ...", words.strip('"')])
            elif observation.admissible:
                answers.append(action or "wait")
            return action

    def make(*_: object) -> Player:
        return Watched()

    return answers, next(play("expert", [family], 1, make, splits=["test_seen"])).steps


def played(seat: Seated, family: str, tell: Any = lambda line: None) -> tuple[int | None, ...]:
    person = TaskPerson(Person(seat))
    try:
        return next(play("me", [family], 1, person.make, tell, splits=["test_seen"])).steps
    finally:
        person.close()


@pytest.mark.parametrize("family", ["fetch", "tell"])
def test_who_does_as_the_expert_scores_as_the_expert(family: str) -> None:
    answers, steps = as_the_expert_plays(family)
    seat, told = Seated(answers), list[str]()
    assert played(seat, family, told.append) == steps
    assert steps[0] is not None
    assert told[0] == f"me {family} test_seen instance 0: solved in {steps[0]} steps"
    first = seat.asked[0]
    assert first.prompt.startswith(f"{family}, instance 0, step 1 of 150\nYou are {first.resident}.")
    assert "You were set this goal: " in first.prompt
    assert len({(one.prompt, one.options) for one in seat.asked}) == len(seat.asked)


def test_who_gives_up_is_asked_no_more_and_has_not_solved_it() -> None:
    seat = Seated([GIVE_UP])
    assert played(seat, "fetch") == (None,)
    assert len(seat.asked) == 1


def test_it_goes_on_from_the_answers_that_were_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    answers, steps = as_the_expert_plays("fetch")
    seats = [Seated(answers[:4]), Seated(answers[4:])]
    coming = iter(seats)
    monkeypatch.setattr(Terminal, "of_process", lambda *_: next(coming))
    command = [*FETCH, "--json", "--record", str(tmp_path / "me.sqlite")]
    assert main(command) == 1
    error = capsys.readouterr().err
    assert error.splitlines()[-1].endswith("person has left in step 5; the same command continues from there")
    assert main(command) == 0
    handed_in = json.loads(capsys.readouterr().out)
    assert handed_in["results"] == [{"family": "fetch", "split": "test_seen", "steps": list(steps)}]
    assert seats[1].asked[0] == seats[0].asked[-1]
    assert main([*FETCH, "--json", "--replay", str(tmp_path / "me.sqlite")]) == 0
    assert json.loads(capsys.readouterr().out) == handed_in


# It waits for a terminal.
@pytest.mark.slow
def test_at_a_terminal() -> None:
    """A program of its own at a pseudo-terminal, whose start takes seconds."""
    status, shown = typed_into(FETCH, ["h", "zero", "1"])
    assert status == 1
    assert "The last number gives this task up" in shown
    assert "'zero' is no number from 1 to" in shown
    assert "step 2 of 150" in shown
    assert shown.rstrip().endswith("person has left in step 2; --record FILE would have kept it")


def test_without_a_terminal_it_ends_in_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(FETCH) == 2
    assert capsys.readouterr().err.splitlines() == [
        "irollan: a resident with the mind me needs a person at a terminal, and there is no terminal here; "
        "run this command in one"
    ]
    assert main(["bench", "tasks", "--agent", "me", "relay"]) == 2
    assert "nobody wins relay alone, and you are one; choose --partners" in capsys.readouterr().err
