"""What residents believe, against the ledger."""

import asyncio
import json

import pytest

from evaluation.commands.cli import main
from evaluation.interviews.beliefs import Belief, ask_all, scores
from evaluation.interviews.ledger_questions import KINDS, Question, questions_of
from evaluation.interviews.past_society import past_society
from evaluation.records.run_directory import RunDirectory
from evaluation.runs.progress import progress_on
from language_models.protocol import Choice, Usage
from language_models.scripted import ScriptedModel


def questions_after(path, step, most=100):
    directory = RunDirectory(path)
    with past_society(directory, step, progress_on()) as past:
        records = [record for record in directory.records() if record["time"] < past.step]
        return questions_of(past, records, most)


def test_the_truth_is_what_the_records_of_the_next_step_say(lived):
    step = 3
    after = {record["resident"]: record for record in RunDirectory(lived).records() if record["time"] == step}
    found = questions_after(lived, step)
    where = {one.text: one for one in found if one.kind == "where"}
    held = {one.text: one.truth for one in found if one.kind == "holds"}
    for name, record in after.items():
        question = where[f"Where is {name} now?"]
        assert question.truth == record["place"]
        assert question.truth in question.options
        assert question.witnesses == {other for other in after if after[other]["place"] == record["place"]}
        things = [percept["name"] for percept in record["percepts"] if percept["held"]]
        assert [held.get(f"Who holds the {thing} now?") for thing in things] == [name] * len(things)
    assert len(held) == sum(percept["held"] for record in after.values() for percept in record["percepts"])


def test_who_is_not_there_is_neither_asked_nor_asked_of(lived):
    with past_society(RunDirectory(lived), 4, progress_on()) as past:
        past.society.world.move_resident("AY", None, cause="left")
        questions = [one for one in questions_of(past, [], 100) if one.kind == "where"]
        found = asyncio.run(ask_all(past, ScriptedModel(), questions, progress_on()))
    assert {name for one in questions for name in one.about} == {one.resident for one in found}
    assert len(questions) == 5


def test_words_are_asked_of_once_and_those_who_heard_them_are_witnesses(lived):
    step = 4
    found = [one for one in questions_after(lived, step) if one.kind == "said"]
    assert found
    actions = {record["action"]: record["resident"] for record in RunDirectory(lived).records() if record["action"]}
    for question in found:
        addressee, _, words = question.text.removeprefix("Who said to ").removesuffix("?").partition(": ")
        assert actions[f"chat with {addressee}: {words}"] == question.truth
        assert addressee in question.witnesses
        assert addressee not in question.options
        assert question.about == {question.truth}


def test_nothing_of_later_steps_is_asked_and_a_draw_is_the_same_twice(lived):
    assert {one.kind for one in questions_after(lived, 0)} == {"where"}
    said = [{one.text for one in questions_after(lived, step) if one.kind in ("said", "turns to")} for step in (1, 4)]
    assert len(said[0]) < len(said[1])
    drawn = questions_after(lived, 4, most=2)
    assert drawn == questions_after(lived, 4, most=2)
    assert all(sum(one.kind == kind for one in drawn) <= 2 for kind in KINDS)
    with pytest.raises(ValueError, match="at least 1 question of a kind, got 0"):
        questions_after(lived, 4, most=0)


def test_a_model_that_knows_the_truth_is_right_and_others_are_not(lived):
    questions = questions_after(lived, 4)
    truths = {one.text: one.truth for one in questions}

    class Knows(ScriptedModel):
        async def choose(self, prompt, options, *, caller, query="", descriptions=()):
            assert prompt.startswith(f"You are {caller.resident}.")
            return Choice(option=truths[query], probabilities=(1.0,) * len(options), usage=Usage())

    def score(model):
        with past_society(RunDirectory(lived), 4, progress_on()) as past:
            return scores(asyncio.run(ask_all(past, model, questions, progress_on())))

    assert all(one.right == one.of for one in score(Knows()))
    *_, everybody = score(ScriptedModel(fail_on=lambda caller, prompt: caller.resident == "LL"))
    assert everybody.of == sum(6 - len(one.about) for one in questions)
    assert everybody.unanswered == sum("LL" not in one.about for one in questions)
    assert everybody.right < everybody.of / 2


def test_shares_have_wilsons_interval_and_chance():
    def belief(number, options):
        nobody = frozenset()
        question = Question(kind="where", text="?", options=options, truth="a", witnesses=nobody, about=nobody)
        return Belief(resident="LL", question=question, answer="a" if number < 3 else "b")

    beliefs = [belief(number, ("a", "b") if number % 2 else ("a", "b", "c", "d")) for number in range(10)]
    counts = {"which": "all", "right": 3, "of": 10, "unanswered": 0}
    shares = {"share": 0.3, "low": 0.1078, "high": 0.6032, "chance": 0.375}
    assert scores(beliefs)[-1].to_json() == counts | shares


def test_the_command_prints_a_table_or_json_and_the_run_stays_as_it_is(lived, capsys):
    before = {file: file.read_bytes() for file in lived.rglob("*") if file.is_file()}
    assert main(["beliefs", str(lived), "--at", "3", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["step"], found["model"]) == (3, "scripted")
    assert found["scores"][-1]["of"] == len(found["beliefs"])
    assert all(one["answer"] in one["options"] for one in found["beliefs"])
    assert sum(one["right"] for one in found["beliefs"]) == found["scores"][-1]["right"]
    assert main(["beliefs", str(lived), "--at", "3"]) == 0
    assert "where, elsewhere" in capsys.readouterr().out
    assert {file: file.read_bytes() for file in lived.rglob("*") if file.is_file()} == before
    assert main(["beliefs", str(lived), "--at", "-1"]) == 2
