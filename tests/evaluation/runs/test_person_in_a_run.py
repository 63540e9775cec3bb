"""A run with a person and five others: what the person did is in the transcript, and the run is one like any other."""

import json
import os

import pytest
from at_terminal import typed_into

from evaluation.commands.cli import main
from evaluation.models.terminal import Terminal
from evaluation.records.run_directory import RunDirectory
from language_models.transcript.transcript import Transcript

PERSON = ("run", "--model", "scripted", "--seed", "3", "--mind", "LL=me")
SAME = ("events.jsonl", "metrics.csv")


def types_at_terminal(monkeypatch, typed):
    """The terminal of this process, with all that will be typed."""
    ours, its = os.pipe()
    os.write(its, typed.encode())
    os.close(its)
    screen = open(os.devnull, "w")  # noqa: SIM115
    monkeypatch.setattr(Terminal, "of_process", lambda: Terminal(ours, screen))


def own(directory):
    """What LL did, and what its person was asked and answered, by step."""
    acts = [one["action"] for one in directory.records() if one["resident"] == "LL"]
    with Transcript(directory.transcript_path) as transcript:
        calls = [call for call in transcript.calls() if call.caller.module == "person"]
    return acts, calls


def test_a_persons_acts_are_in_the_transcript_and_replay_resume_and_branch(tmp_path, monkeypatch, capsys):
    types_at_terminal(monkeypatch, "1\n1\n1\n2\n1\n3\n")
    whole = RunDirectory(tmp_path / "whole")
    assert main([*PERSON, "--steps", "6", "--out", str(whole.path)]) == 0
    acts, calls = own(whole)
    assert acts[0] == "go to outside"
    assert {call.request.model for call in calls} == {"person"}
    assert [call.response["option"] for call in calls] == acts
    assert all(call.request.prompt.startswith("You are LL.") for call in calls)
    records = [one for one in whole.records() if one["resident"] == "LL"]
    assert [set(one["calls"]) for one in records] == [{call.usage.call} for call in calls]
    # Nobody is at the terminal any more.
    monkeypatch.setattr(Terminal, "of_process", lambda: pytest.fail("nobody is to be asked"))
    assert main(["replay", str(whole.path)]) == 0

    # Who leaves in the middle goes on there.
    types_at_terminal(monkeypatch, "1\n1\n1\nq\n")
    parts = RunDirectory(tmp_path / "parts")
    assert main([*PERSON, "--steps", "6", "--out", str(parts.path)]) == 1
    assert "LL's person has left in step 4 (stopped after step 3 of 6); resume with: " in capsys.readouterr().err
    types_at_terminal(monkeypatch, "2\n1\n3\n")
    assert main(["resume", str(parts.path)]) == 0
    assert (parts.path / "events.jsonl").read_bytes() == (whole.path / "events.jsonl").read_bytes()

    # A branch asks for what is other than it was; its parent's transcript answers the rest.
    types_at_terminal(monkeypatch, "")
    alike, other = tmp_path / "alike", tmp_path / "other"
    assert main(["branch", str(whole.path), "--at", "3", "--out", str(alike)]) == 0
    assert (alike / "events.jsonl").read_bytes() == (whole.path / "events.jsonl").read_bytes()
    assert main(["branch", str(whole.path), "--at", "3", "--model", "person=scripted", "--out", str(other)]) == 0
    assert own(RunDirectory(other))[0][:3] == acts[:3]


# A pseudo-terminal that a person types into takes its time.
@pytest.mark.slow
def test_at_a_true_terminal(tmp_path):
    out = tmp_path / "run"
    status, shown = typed_into([*PERSON, "--steps", "3", "--out", str(out)], ["nine", "1", "1", "1"])
    assert status == 0, shown
    assert "'nine' is no number from 1 to " in shown
    assert shown.count("You are LL.") == 3
    # A person sees what the resident sees, and not what others do elsewhere.
    assert "decided so far" not in shown
    assert "everyone thinks" not in shown
    assert own(RunDirectory(out))[0][0] == "go to outside"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--mind", "LL=me"], "needs a person at a terminal, and there is no terminal here"),
        (["--model", "person"], "a person answers for residents with --mind RESIDENT=me, and for no other module"),
        (["--model", "matrix=person"], "a person answers for residents with --mind RESIDENT=me"),
    ],
)
def test_where_there_is_nobody_to_ask_nothing_begins(tmp_path, capsys, arguments, message):
    out = tmp_path / "run"
    assert main(["run", "--model", "scripted", "--steps", "2", "--out", str(out), *arguments]) == 2
    told = capsys.readouterr().err.strip()
    assert message in told
    assert "\n" not in told
    assert not out.exists()


def test_a_model_can_take_the_place_of_the_person(tmp_path):
    out = tmp_path / "run"
    arguments = ("--model", "person=scripted", "--steps", "2", "--out", str(out))
    assert main([*PERSON, *arguments]) == 0
    effective = json.loads((out / "manifest.json").read_bytes())["configuration"]["effective"]
    assert effective["model"]["roles"] == {"person": "scripted"}
