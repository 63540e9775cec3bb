"""Residents of any step of a run who are interviewed."""

import asyncio
import io
import json
import shutil
from dataclasses import replace

import pytest
from made_up_runs import signed

from evaluation.commands.cli import main
from evaluation.interviews.interview import LONGEST_KNOWN, Interviewed, fitting
from evaluation.interviews.past_society import past_society
from evaluation.records.run_directory import RunDirectory
from evaluation.runs.progress import progress_on
from language_models.protocol import PromptTooLong
from language_models.scripted import ScriptedModel


def interview(path, *arguments, capsys):
    capsys.readouterr()
    assert main(["interview", str(path), *arguments, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def files(path):
    return {file.name: file.read_bytes() for file in sorted(path.rglob("*")) if file.is_file()}


@pytest.mark.parametrize("who", ["LL", "WL"])
def test_anybody_can_be_asked_and_the_run_stays_as_it_is(lived, capsys, who):
    before = files(lived)
    found = interview(lived, "--who", who, "Where is SG?", capsys=capsys)
    assert (found["resident"], found["step"], found["model"]) == (who, 4, "scripted")
    (turn,) = found["turns"]
    assert turn["answer"]
    assert found["knows"]
    assert all(" ".join(line.split()) in turn["prompt"] for line in found["knows"])
    assert turn["prompt"].endswith(f"Question: Where is SG?\n{who}:")
    assert files(lived) == before


def test_who_is_asked_knows_what_it_knew_then(lived):
    def told(step):
        with past_society(RunDirectory(lived), step, progress_on()) as past:
            return {name: (past.knows(name), past.observation(name).to_json()) for name in past.society.residents}

    records = RunDirectory(lived).records()
    for step in (1, 3):
        for record in records[step * 6 : step * 6 + 6]:
            assert told(step)[record["resident"]][1]["sentence"] == record["observation"]
    assert told(1)["LL"][0] != told(3)["LL"][0]
    known = told(4)["LL"][0]
    assert [line[:6] for line in known if line.startswith("step")] == [f"step {time}" for time in range(4)]
    assert [line for line in known if line.startswith("you last knew of") and line.endswith("in LL's Home")]
    assert known[-2].startswith("you feel ")
    assert known[-1] == f"you want to {records[3 * 6 + 4]['goal']}"


def test_a_step_is_the_same_from_its_checkpoint_and_from_the_transcript(lived, tmp_path):
    without = shutil.copytree(lived, tmp_path / "run")
    shutil.rmtree(without / "checkpoints")
    states = []
    for path in (lived, without):
        with past_society(RunDirectory(path), 4, progress_on()) as past:
            told = {name: past.knows(name) for name in past.society.residents}
            states.append((json.loads(json.dumps(past.society.get_state())), told))
    assert states[0] == states[1]


def test_questions_of_one_interview_follow_one_another(lived, capsys, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO("What is near?\n\nAnd who?\n"))
    found = interview(lived, "--who", "AY", "--at", "2", capsys=capsys)
    first, second = found["turns"]
    assert f"Question: What is near?\nAY: {first['answer']}\nQuestion: And who?\nAY:" in second["prompt"]


def test_the_oldest_is_left_out_where_there_is_no_room(lived):
    class Small(ScriptedModel):
        async def generate(self, request):
            if len(request.prompt) > 3000:
                raise PromptTooLong("too long")
            return await super().generate(request)

    with past_society(RunDirectory(lived), 4, progress_on()) as past:
        who = Interviewed(past, "LL")
        who.known = [f"{number} " + "x" * 98 for number in range(200)]
        assert len(who.prompt("?")[0]) < LONGEST_KNOWN + 3000
        turn = asyncio.run(who.answer(Small(), "What now?"))
    assert "- 199 x" in turn.prompt
    assert "- 0 x" not in turn.prompt
    assert 150 < turn.left_out < 200


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--who", "L", "Who?"], "unknown resident 'L': it must be one of"),
        (["--who", "LL", "--at", "9", "Who?"], "from 0 to 4, got 9"),
        (["--who", "LL", ""], "must not be empty"),
        (["--who", "LL", "--model", "nothing", "Who?"], "nothing"),
    ],
)
def test_what_cannot_be_asked_is_one_line(lived, capsys, arguments, message):
    capsys.readouterr()
    assert main(["interview", str(lived), *arguments]) == 2
    told = capsys.readouterr().err.strip()
    assert message in told
    assert "\n" not in told


def test_a_run_of_another_version_is_refused_in_one_line(lived, tmp_path, capsys):
    other = shutil.copytree(lived, tmp_path / "run")
    shutil.rmtree(other / "checkpoints")
    events = other / "events.jsonl"
    events.write_text(events.read_text().replace('"driver":', '"driver":1', 4))
    signed(RunDirectory(other))
    capsys.readouterr()
    assert main(["interview", str(other), "--who", "LL", "Who?"]) == 2
    assert "cannot be replayed by this version" in capsys.readouterr().err.splitlines()[-1]


def test_a_mind_that_raises_while_it_tells_is_named(lived, monkeypatch):
    with past_society(RunDirectory(lived), 4, progress_on()) as past:
        mind = past.society.residents["WL"]._place._host._mind
        for answer, message in ((lambda self: [1], "told something"), (lambda self: 1 // 0, "raised ZeroDivision")):
            monkeypatch.setattr(type(mind), "answer", answer)
            with pytest.raises(ValueError, match=f"the mind react of WL {message}"):
                past.knows("WL")


def test_what_is_answered_does_not_steer_the_terminal(lived, capsys, monkeypatch):
    answered = Interviewed.answer

    async def evil(self, *given):
        return replace(await answered(self, *given), answer="I am\x1b[2J\nSG \u202ehere \ud800")

    monkeypatch.setattr(Interviewed, "answer", evil)
    capsys.readouterr()
    assert main(["interview", str(lived), "--who", "LL", "Who?"]) == 0
    assert capsys.readouterr().out == "I am\ufffd[2J\nSG \ufffdhere \ufffd\n"
    assert main(["interview", str(lived), "--who", "LL", "Who?", "--json"]) == 0
    told = capsys.readouterr().out
    assert told.isascii()
    assert json.loads(told)["turns"][0]["answer"] == "I am\x1b[2J\nSG \u202ehere \ud800"


def test_no_prompt_is_asked_twice_where_there_is_no_room():
    asked = []

    async def ask(prompt):
        asked.append(prompt)
        raise PromptTooLong("too long")

    def prompt_of(ending, longest):
        return f"{'x' * min(longest, 900)}{ending}", 0

    with pytest.raises(PromptTooLong):
        asyncio.run(fitting(prompt_of, "?", ask))
    assert [len(prompt) for prompt in asked] == [901, 751, 376, 188, 1]
