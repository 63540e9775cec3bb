"""Tests of the page data of a run against its records."""

import json
import math
import shutil
from collections import Counter

import pytest
from configs import run_config
from made_up_runs import made_up_run, signed
from project import ROOT
from synthetic_run import synthetic_run

from evaluation.records.checksums import read_chain
from evaluation.records.records import to_jsonl
from evaluation.records.run_directory import RunDirectory
from evaluation.viewer.run_view import RunView, _facts
from evaluation.viewer.things import ThingsSeen
from language_models.transcript.transcript import Transcript

LIFE = ROOT / "examples" / "recorded_life"


@pytest.fixture(scope="module")
def life(tmp_path_factory):
    path = tmp_path_factory.mktemp("life") / "recorded_life"
    shutil.copytree(LIFE, path)
    return RunDirectory(path)


@pytest.fixture(scope="module")
def told(life):
    return RunView(life).new_steps()


def test_the_head_says_what_decisions_lack():
    def facts(*ablate):
        return _facts({"configuration": {"effective": {"architecture": "itcma-s", "mind": {"ablate": ablate}}}}, ["AY"])

    assert ("Decisions lack", "driver, habitus") in facts("driver", "habitus")
    assert facts() == [("Architecture", "itcma-s")]


def test_every_record_is_there(life, told):
    for record in life.records():
        act = told["steps"][record["time"]]["acts"][record["resident"]]
        assert {key: act[key] for key in ("place", "goal", "thought", "outcome", "result", "memories", "calls")} == {
            key: record[key] for key in ("place", "goal", "thought", "outcome", "result", "memories", "calls")
        }
        assert act["holds"] == [one["name"] for one in record["percepts"] if one["held"]]


def test_those_who_see_one_another_stand_as_far_apart_as_they_saw(life, told):
    """Residents that act later in a step may see others after they moved; the first in a place sees all unmoved."""
    compared = 0
    for record in life.records():
        acts = told["steps"][record["time"]]["acts"]
        own = acts[record["resident"]]
        if own["turn"]:
            continue
        for percept in record["percepts"]:
            if percept["kind"] == "person" and acts[percept["name"]]["place"] == own["place"]:
                far = math.dist(own["at"][:2], acts[percept["name"]]["at"][:2])
                assert far == pytest.approx(percept["gamma"], abs=0.03)
                compared += 1
    assert compared > 100


def test_what_came_of_blending_is_what_was_recorded_and_says_where_it_is_from(life, told):
    """In the recorded run nobody has memories from before it, so that every kind is known."""
    drawn = 0
    for record in life.records():
        blended = told["details"][record["time"]][record["resident"]]["blended"]
        assert (blended is None) == (record["imagination"] is None) == (not record["memories"])
        if blended is None:
            continue
        held = {one["name"] for one in record["percepts"] if one["held"]}
        shown = [row for row in record["imagination"] if row[0] not in held]
        assert [row[0] for row in blended] == [row[0] for row in shown]
        assert [row[2:4] for row in blended] == [[round(row[2], 3), round(row[3], 2)] for row in shown]
        kinds = {one["name"]: one["kind"] for one in record["percepts"]}
        places = {(one["name"], round(one["phi"], 3), round(one["gamma"], 2)) for one in record["percepts"]}
        for name, kind, phi, gamma, source in blended:
            assert kind == kinds.get(name, kind)
            assert ((name, phi, gamma) in places) == (source == "seen")
        drawn += {row[4] for row in blended} == {"seen", "remembered"}
    assert drawn > 50


def test_a_run_of_before_imaginations_were_kept_has_none(life, tmp_path):
    shutil.copytree(life.path, tmp_path / "life")
    old = RunDirectory(tmp_path / "life")
    records = [{key: value for key, value in one.items() if key != "imagination"} for one in old.records()]
    old.events_path.write_bytes(to_jsonl(records))
    signed(old)
    assert all(one["blended"] is None for step in RunView(old).new_steps()["details"] for one in step.values())


def test_options_and_what_elimination_took(life, told):
    record = next(one for one in life.records() if one["relevance"])
    detail = told["details"][record["time"]][record["resident"]]
    assert {action: (score, expected) for action, score, expected in detail["options"]} == {
        action: (record["relevance"].get(action), record["protention"].get(action)) for action in record["admissible"]
    }
    kept = [expected is not None for _, _, expected in detail["options"]]
    assert kept == sorted(kept, reverse=True)


def test_the_threshold_of_elimination_is_that_of_the_run(tmp_path):
    records, rows, _ = synthetic_run(steps=1)
    records[0]["relevance"] = dict.fromkeys(records[0]["admissible"], 2.0)
    mind = {"parameters": {"elimination_threshold": 1.5}}
    effective = {**run_config().to_json(), "mind": mind}
    run = made_up_run(tmp_path, records, rows, configuration={"effective": effective})
    (details,) = RunView(run).new_steps()["details"]
    assert details[records[0]["resident"]]["threshold"] == 1.5


def test_calls_word_for_word_with_their_cost(life, told):
    asked = [record for record in life.records() if record["calls"]]
    assert len(asked) > 200
    with Transcript(life.transcript_path) as transcript:
        for record in asked[::40]:
            call = transcript.get(record["calls"][-1])
            shown = told["calls"][str(record["calls"][-1])]
            assert shown["prompt"] == call.request.prompt
            assert json.loads(shown["answer"])["thought"] == record["thought"]
            usage = call.usage
            assert shown["tokens"] == [usage.prompt_tokens, usage.cached_tokens, usage.generated_tokens]
            assert shown["dollars"] is None


def test_memories_that_came_to_mind_are_told_as_the_request_told_them(life, told):
    """Requests also describe speech and company; the actions are the same."""
    lines = [
        (line, told["calls"][str(record["calls"][-1])]["prompt"])
        for record in life.records()
        for line in told["details"][record["time"]][record["resident"]]["came_to_mind"]
    ]
    assert len(lines) > 100
    assert all(line.partition(", ")[0] in prompt for line, prompt in lines)


def test_reading_while_it_grows_gives_the_same_steps(life, told, tmp_path):
    """Incomplete lines and steps are not returned yet, and no step is returned twice."""
    growing = RunDirectory(tmp_path)
    for name in ("metrics.csv", "transcript.sqlite"):
        shutil.copy(life.path / name, tmp_path / name)
    growing.write_manifest({**life.read_manifest(), "status": "running", "steps_done": 0})
    data, lines = life.events_path.read_bytes(), read_chain(life.path).lines
    view, steps, details, calls = RunView(growing), [], [], {}
    for part in (0, 0.13, 0.131, 0.5, 0.77, 1):
        size = int(len(data) * part)
        growing.events_path.write_bytes(data[:size])
        done = [line.to_line() for line in lines if line.files["events.jsonl"].size <= size]
        growing.checksums_path.write_bytes(b"".join(done))
        more = view.new_steps()
        steps += more["steps"]
        details += more["details"]
        calls |= more["calls"]
    assert steps == told["steps"]
    assert details == told["details"]
    assert calls == told["calls"]


def test_a_thing_lies_where_it_was_seen_last_and_nowhere_in_somebodys_hands():
    things = ThingsSeen({"book 1": "bookshelf 1"})

    def record(*percepts):
        return {"percepts": [{"kind": "item", "held": False, "on": None, **one} for one in percepts]}

    assert things.step([record()]) == {"book 1": "bookshelf 1"}
    assert things.step([record({"name": "book 1", "held": True})]) == {}
    assert things.step([record()]) == {}
    assert things.step([record({"name": "book 1", "on": "table 2"})]) == {"book 1": "table 2"}


def test_a_place_that_is_not_on_the_map_is_named(life, tmp_path):
    lost = made_up_run(tmp_path, [{**life.records()[0], "place": "Nowhere"}])
    with pytest.raises(ValueError, match="AY is in 'Nowhere', which is no place of the map"):
        RunView(lost).new_steps()


def test_a_run_without_percepts_or_transcript_is_shown(tmp_path):
    records, rows, _ = synthetic_run(steps=4)
    run = made_up_run(tmp_path, records, rows)
    run.transcript_path.unlink()
    told = RunView(run).new_steps()
    assert len(told["steps"]) == 4
    assert all(act["at"] is None for step in told["steps"] for act in step["acts"].values())
    assert told["calls"] == {}


def test_turns_follow_what_was_heard_within_a_step(life, told):
    """A resident whose request contains words said in the same step acts after their speaker."""
    heard = 0
    for record in life.records():
        acts, words = told["steps"][record["time"]]["acts"], str(record["action"]).partition(": ")[2]
        if record["outcome"] != "executed" or not str(record["action"]).startswith("chat") or len(words) < 20:
            continue
        for listener, other in acts.items():
            prompt = told["calls"][str(other["calls"][-1])]["prompt"]
            if listener != record["resident"] and words in prompt:
                assert acts[record["resident"]]["turn"] < other["turn"]
                heard += 1
    assert heard > 50
    assert all(Counter(act["turn"] for act in step["acts"].values())[0] >= 1 for step in told["steps"])
