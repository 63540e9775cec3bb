"""Runs whose residents are led by a model are resumed, replayed, branched and foretold as any."""

from __future__ import annotations

import pytest
from leading import lead, options_of

from evaluation.commands.cli import main
from evaluation.records.run_directory import RunDirectory
from language_models.transcript.transcript import Transcript

SAME = ("events.jsonl", "metrics.csv")
BY_MODEL = ("--deliberation", "llm")
STEPS = 6


@pytest.fixture(autouse=True, scope="module")
def reads():
    """The scripted model answers what it is asked."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("language_models.scripted.WRITERS", {"action": lead})
        yield


def run(out, *arguments, steps=STEPS):
    return main(["run", "--model", "scripted", *BY_MODEL, "--steps", str(steps), "--out", str(out), *arguments])


def files(path):
    return {name: (path / name).read_bytes() for name in SAME}


@pytest.fixture(scope="module")
def whole(tmp_path_factory, reads):
    path = tmp_path_factory.mktemp("led") / "whole"
    assert run(path) == 0
    return path


def test_a_led_life_is_recorded(whole):
    records = RunDirectory(whole).records()
    assert len(records) == 6 * STEPS
    assert all(record["failure"] is None for record in records)
    assert all(record["thought"] and record["calls"] for record in records)
    assert any(record["goal"] for record in records)
    assert any(record["plan"] for record in records)
    assert all(record["relevance"] is None for record in records if record["time"] == 0)
    stayed = [record for record in records if record["action"] is None]
    assert all(record["outcome"] == "executed" for record in stayed)
    with Transcript(whole / "transcript.sqlite") as transcript:
        calls = list(transcript.calls(module="action"))
        assert len(calls) == 6 * STEPS
        assert {call.usage.call for call in calls} <= {number for record in records for number in record["calls"]}
        prompts = [call.request.prompt for call in calls]
        assert all(len(options_of(prompt)) > 1 for prompt in prompts)
        assert not list(transcript.calls(module="writing"))
        places = [call.caller.resident for call in transcript.calls(module="protention")]
    assert len(places) == len(set(places)) <= 8


def test_it_is_replayed_to_the_byte(whole, capsys):
    assert main(["replay", str(whole)]) == 0
    assert capsys.readouterr().out.startswith(f"identical: {STEPS} steps, {6 * STEPS} records, ")


def test_it_is_resumed_to_the_byte(whole, tmp_path):
    assert run(tmp_path, steps=3) == 0
    assert main(["resume", str(tmp_path), "--steps", str(STEPS)]) == 0
    assert files(tmp_path) == files(whole)


def test_it_is_branched(whole, tmp_path):
    assert main(["branch", str(whole), "--at", "3", "--out", str(tmp_path / "same")]) == 0
    assert files(tmp_path / "same") == files(whole)
    other, changes = tmp_path / "other", ("--set", "world.scheduling=simultaneous", "--seed", "5")
    assert main(["branch", str(whole), "--at", "3", "--out", str(other), *changes]) == 0
    events = [files(path)["events.jsonl"].splitlines() for path in (whole, other)]
    assert events[0][:18] == events[1][:18]
    assert events[0][18:] != events[1][18:]
    assert main(["replay", str(other)]) == 0


@pytest.mark.parametrize("architecture", ["itcma", "driver"])
def test_the_other_architectures_are_led_and_replayed_too(tmp_path, architecture):
    assert run(tmp_path, "--architecture", architecture, "--scheduling", "simultaneous", steps=3) == 0
    assert all(record["failure"] is None for record in RunDirectory(tmp_path).records())
    assert main(["replay", str(tmp_path)]) == 0
