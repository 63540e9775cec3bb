"""Questionnaires put to the residents of a run."""

import asyncio
import json
import shutil
from contextlib import contextmanager
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from empty_reports import empty_reports

import evaluation
from evaluation.commands.cli import main
from evaluation.interviews import asking
from evaluation.interviews.asking import Answered, LikeliestOption, Survey
from evaluation.interviews.interview import Interviewed
from evaluation.interviews.past_society import RecordedLife, past_society
from evaluation.interviews.questionnaire import find_questionnaire, read_questionnaire
from evaluation.interviews.survey_page import render_page
from evaluation.interviews.survey_tables import SurveyTables
from evaluation.records.run_directory import RunDirectory
from evaluation.runs.progress import progress_on
from language_models.protocol import Caller, Refused
from language_models.registry import find_model
from language_models.scripted import ScriptedModel
from language_models.transcript.transcript import Transcript

TOML = """
title = "Ease"
instructions = "Say how it is with {resident}."
points = ["no", "rather no", "rather yes", "yes"]
items = [
  {id = "calm", kind = "likert", scale = "ease", text = "Are you calm?"},
  {id = "afraid", kind = "likert", scale = "ease", reversed = true, text = "Are you afraid?"},
  {id = "glad", kind = "number", scale = "ease", minimum = 1, maximum = 4, text = "How glad are you?"},
  {id = "whom", kind = "choice", options = ["SG", "{resident}", "nobody"], text = "Whom do you trust?"},
  {id = "wish", kind = "free", text = "What does {resident} wish for?"},
]
[scales]
ease = "Ease <b>"
"""


def files(path):
    return {file: file.read_bytes() for file in sorted(path.rglob("*")) if file.is_file()}


@pytest.fixture(scope="module")
def ease(tmp_path_factory):
    path = tmp_path_factory.mktemp("questionnaires") / "ease.toml"
    path.write_text(TOML)
    return path


@pytest.fixture(scope="module")
def asked(lived, ease, tmp_path_factory):
    """All who can be asked, after 3 steps and after the last, 4, with the folder of the answers."""
    out = tmp_path_factory.mktemp("asked") / "out"
    before = files(lived)
    found = evaluation.ask(lived, ease, every=3, skip=True, out=out)
    assert files(lived) == before
    return found, out


def test_every_item_is_asked_at_every_nth_step_and_the_last_and_the_run_stays_as_it_is(asked):
    found, _ = asked
    assert list(found.answers.columns) == ["run", "time", "resident", "scale", "item", "value", "text"]
    assert found.survey.skipped == ["MD"]
    assert found.answers.groupby(["time", "resident"])["item"].agg(list).map(len).to_dict() == {
        (time, name): 5 for time in (3, 4) for name in ("AY", "LL", "SG", "WL", "WM")
    }
    answers = {item.id: item.answers for item in found.questionnaire.items}
    for row in found.answers.itertuples():
        known = [answer.replace("{resident}", row.resident) for answer in answers[row.item]]
        assert row.text in known or (row.item == "wish" and row.text)
        points = {"no": 1.0, "rather no": 2.0, "rather yes": 3.0, "yes": 4.0}
        worth = None if row.item in ("whom", "wish") else points.get(row.text) or float(row.text)
        assert np.isnan(row.value) if worth is None else row.value == worth


def test_who_is_asked_is_told_what_its_mind_knew_then_and_each_call_is_in_the_transcript(asked, lived):
    _, out = asked
    with Transcript(out / "transcript.sqlite", read_only=True) as transcript:
        calls = list(transcript.calls())
    assert sum(call.request.method == "score" for call in calls) == 2 * 5 * 4 + 2 + 5
    assert sum(call.request.method == "generate" for call in calls) == 2 * 5
    for step in (3, 4):
        with past_society(RunDirectory(lived), step, progress_on()) as past:
            for name in ("LL", "SG", "WM", "WL", "AY"):
                known, _ = Interviewed(past, name).prompt("")
                own = [one for one in calls if (one.caller.time, one.caller.resident) == (step, name)]
                assert len(own) == 5
                assert all(call.request.prompt.startswith(known) for call in own)
                assert sum(f"Say how it is with {name}." in call.request.prompt for call in own) == 4


def test_answers_do_not_depend_on_checkpoints_and_a_lost_transcript_is_one_line(lived, asked, ease, tmp_path, capsys):
    without = shutil.copytree(lived, tmp_path / "run")
    shutil.rmtree(without / "checkpoints")
    found = evaluation.ask(without, ease, every=3, skip=True)
    assert found.answers.drop(columns="run").equals(asked[0].answers.drop(columns="run"))
    (without / "transcript.sqlite").unlink()
    capsys.readouterr()
    assert main(["ask", str(without), str(ease), "--skip"]) == 2
    assert len(capsys.readouterr().err.strip().splitlines()) == 1


def test_the_folder_has_tables_and_a_page_on_which_texts_are_no_markup(asked):
    found, out = asked
    for name in ("answers", "scores", "means", "reliability"):
        assert len(pd.read_csv(out / f"{name}.csv")) == len(getattr(found, name))
    page = (out / "report.html").read_text(encoding="utf-8")
    assert "Ease &lt;b&gt;" in page
    assert "Ease <b>" not in page
    assert json.loads((out / "questionnaire.json").read_text())["questionnaire"]["title"] == "Ease"


@contextmanager
def failing(*given):
    def fails(caller, prompt):
        if caller.resident == "LL":
            raise Refused("not my opinion")
        return caller.resident == "SG" and "calm" in prompt

    yield find_model("scripted"), ScriptedModel(fail_on=fails)


def test_refused_and_failed_answers_are_empty_and_counted(lived, ease, tmp_path, monkeypatch):
    monkeypatch.setattr(asking, "answering_model", failing)
    found = evaluation.ask(lived, ease, skip=True, out=tmp_path / "out")
    empty = found.answers[found.answers["text"] == ""]
    assert empty.groupby("resident")["item"].count().to_dict() == {"LL": 5, "SG": 1}
    assert empty["value"].isna().all()
    assert dict(zip(found.missing["refused"], found.missing["count"], strict=True)) == {True: 5, False: 1}
    scores = found.scores.set_index("resident")
    assert np.isnan(scores["score"]["LL"])
    assert scores["answered"]["SG"] == 2
    assert scores["score"].notna().sum() == found.means["residents"].item() == 4
    assert found.reliability["respondents"].item() == 3
    assert "not my opinion" in (tmp_path / "out" / "report.html").read_text()


def test_where_nothing_is_answered_the_reason_is_one_line(lived, ease, tmp_path, monkeypatch, capsys):
    @contextmanager
    def silent(*given):
        yield find_model("scripted"), ScriptedModel(fail_on=lambda caller, prompt: True)

    monkeypatch.setattr(asking, "answering_model", silent)
    assert main(["ask", str(lived), str(ease), "--skip", "--out", str(tmp_path / "out")]) == 1
    assert "none of 25 questions was answered" in capsys.readouterr().err.splitlines()[-1]


def test_what_is_missing_is_asked_again_and_nothing_else(lived, ease, tmp_path, monkeypatch, capsys):
    out = tmp_path / "out"
    with monkeypatch.context() as patch:
        patch.setattr(asking, "answering_model", failing)
        evaluation.ask(lived, ease, skip=True, out=out)
    model = ScriptedModel()

    @contextmanager
    def working(*given):
        yield find_model("scripted"), model

    monkeypatch.setattr(asking, "answering_model", working)
    found = evaluation.ask(lived, ease, skip=True, out=out)
    assert not len(found.missing)
    assert model.calls == 5 + 1
    for arguments, message in (
        (["ipip-trust"], "another questionnaire"),
        ([str(ease), "--model", "openai:http://127.0.0.1:1/v1#x"], "another model"),
    ):
        before = files(out)
        assert main(["ask", str(lived), *arguments, "--skip", "--out", str(out)]) == 2
        assert message in capsys.readouterr().err
        assert files(out) == before


def test_a_thousand_residents_have_a_page_of_bounded_size(ease):
    read = read_questionnaire(ease)
    names = [f"R{number}" for number in range(1000)]
    answers = [
        Answered(time=time, resident=name, item=item, value=2.0 if item.values else None, text="rather no")
        for time in (10, 20)
        for name in names
        for item in read.items
    ]
    survey = Survey(model="m", residents=names, skipped=[], answers=answers)
    page = render_page(SurveyTables(run="r", questionnaire=read, survey=survey))
    assert len(page) < 500_000
    assert ">R59<" in page
    assert ">R60<" not in page


def test_scores_turn_reversed_items_and_means_have_t_intervals(ease):
    read = read_questionnaire(ease)
    calm, afraid, glad = read.items[:3]
    values = {"LL": (4, 1, 4), "SG": (1, 4, 1), "WM": (2, 2, None)}
    answers = [
        Answered(time=9, resident=name, item=item, value=value, text="" if value is None else str(value))
        for name, own in values.items()
        for item, value in zip((calm, afraid, glad), own, strict=True)
    ]
    tables = SurveyTables(
        run="r",
        questionnaire=read,
        survey=Survey(model="m", residents=list(values), skipped=[], answers=answers),
    )
    assert dict(zip(tables.scores["resident"], tables.scores["score"], strict=True)) == {"LL": 4, "SG": 1, "WM": 2.5}
    mean = tables.means.iloc[0]
    assert (mean["residents"], mean["mean"], mean["sd"]) == (3, 2.5, 1.5)
    assert mean["high"] - mean["mean"] == pytest.approx(4.3027 * 1.5 / 3**0.5, abs=1e-3)


def test_a_small_model_chooses_what_its_prompt_makes_likelier_than_none():
    class Scoring(ScriptedModel):
        asked = 0

        async def score(self, prompt, continuations, *, caller):
            self.asked += 1
            values = (-9.0, -2.0, -1.0) if prompt == "Answer:" else (-5.0, -1.9, -1.0)
            return replace(await super().score(prompt, continuations, caller=caller), values=values)

    model = Scoring()
    choosing = LikeliestOption(model)

    async def twice():
        return [await choosing.choose("?", ["a", "b", "c"], caller=Caller(module="ask")) for _ in range(2)]

    choices = asyncio.run(twice())
    assert {one.option for one in choices} == {"a"}
    assert sum(choices[0].probabilities) == pytest.approx(1)
    assert model.asked == 3
    small, large = find_model("scripted"), find_model("openai:http://127.0.0.1:1/v1#x")
    assert isinstance(asking.speaker(small, model), LikeliestOption)
    assert asking.speaker(large, model) is model


def test_who_is_not_there_is_not_asked(lived, ease, monkeypatch):
    visit, gone = RecordedLife.visit, ["AY"]

    def leaving(life, steps, visitor, progress):
        def visited(past):
            for name in gone:
                past.society.world.move_resident(name, None, cause="left")
            visitor(past)

        visit(life, steps, visited, progress)

    monkeypatch.setattr(RecordedLife, "visit", leaving)
    assert set(evaluation.ask(lived, ease, skip=True).answers["resident"]) == {"LL", "SG", "WL", "WM"}
    gone += ["LL", "SG", "WL", "WM"]
    with pytest.raises(ValueError, match="nobody is there after step 4"):
        evaluation.ask(lived, ease, skip=True)


CONTAINED = """
class Counts:
    def __init__(self, context):
        self.seen = 0

    def act(self, observation):
        self.seen += 1

    def answer(self):
        return [f"I have lived {self.seen} steps."]

    def get_state(self):
        return {"seen": self.seen}

    def set_state(self, state):
        self.seen = state["seen"]
"""


def test_a_contained_mind_answers_in_its_process(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "counts.py").write_text(CONTAINED)
    run = ["run", "--model", "scripted", "--embedder", "hash", "--mind", "random", "--mind", "LL=counts:Counts"]
    with empty_reports():
        assert main([*run, "--steps", "3", "--out", "run"]) == 0
    found = evaluation.ask("run", "ipip-trust", every=2, skip=True, out="out")
    assert found.survey.residents == ["LL"]
    with Transcript("out/transcript.sqlite", read_only=True) as transcript:
        prompts = {call.caller.time: call.request.prompt for call in transcript.calls() if call.caller.resident}
    assert {time: f"I have lived {time} steps." in prompt for time, prompt in prompts.items()} == {2: True, 3: True}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["ease.toml"], "MD (random)"),
        (["ease.toml", "--skip", "--every", "0"], "every must be an integer >= 1, got 0"),
        (["ease.toml", "--skip", "--model", "nothing"], "nothing"),
        (["eas.toml", "--skip"], "did you mean"),
        (["broken.toml", "--skip"], "broken.toml is no questionnaire"),
        (["ease.toml", "--skip", "--out", "{run}"], "holds another run"),
        (["ease.toml", "--skip", "--out", "."], "not empty"),
    ],
)
def test_what_cannot_be_asked_is_one_line_and_nothing_is_written(
    lived, ease, tmp_path, monkeypatch, capsys, arguments, message
):
    monkeypatch.chdir(tmp_path)
    shutil.copy(ease, tmp_path)
    (tmp_path / "broken.toml").write_text("title =")
    before, own = files(tmp_path), files(lived)
    capsys.readouterr()
    assert main(["ask", str(lived), *(one.replace("{run}", str(lived)) for one in arguments)]) == 2
    told = capsys.readouterr().err.strip()
    assert message in told
    assert "\n" not in told
    assert files(tmp_path) == before
    assert files(lived) == own
    assert not list(lived.parent.glob("run-*"))


def test_the_command_prints_scales_or_json(lived, tmp_path, capsys):
    assert main(["ask", str(lived), "mini-ipip", "--skip", "--out", str(tmp_path / "one")]) == 0
    printed = capsys.readouterr().out
    assert all(title in printed for title in find_questionnaire("mini-ipip").scales.values())
    assert printed.rstrip().endswith(str(tmp_path / "one" / "report.html"))
    assert main(["ask", str(lived), "mini-ipip", "--skip", "--out", str(tmp_path / "two"), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["questions"] == 100
    assert [row["residents"] for row in found["means"]] == [5] * 5
