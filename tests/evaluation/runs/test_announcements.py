"""Speakers who are no residents: every kind of mind hears them, and no measure takes them for a resident."""

import json

import pytest
from leading import lead

import evaluation
from evaluation.commands.cli import main
from evaluation.records.run_directory import RunDirectory
from evaluation.runs.checkpoints import newest
from evaluation.viewer.run_view import RunView

STEPS = 4
MINDS = {"AY": "itcma-s", "SG": "model", "MD": "react", "WL": "piano", "LL": "generative-agents", "WM": "reflexion"}
PROMPTED = [name for name in MINDS if name != "AY"]


def run(path, *arguments):
    world = ["--model", "scripted", "--world", "town_rules:Crier", "--steps", str(STEPS)]
    assert main(["run", *world, *arguments, "--out", str(path)]) == 0
    return evaluation.load_run(path)


@pytest.fixture(scope="module")
def mixed(tmp_path_factory):
    chosen = [word for name, mind in MINDS.items() for word in ("--mind", f"{name}={mind}")]
    return run(tmp_path_factory.mktemp("crier") / "run", *chosen, "--architecture", "itcma")


def prompts(lived, name, time):
    calls = lived.calls
    return "\n".join(calls[(calls["resident"] == name) & (calls["time"] == time)]["prompt"])


@pytest.mark.parametrize("name", PROMPTED)
def test_every_mind_that_is_prompted_hears_it(mixed, name):
    assert "The mill burned down at 2." in prompts(mixed, name, 2)
    assert ("LL owes a coin." in prompts(mixed, name, 2)) == (name == "LL")


def test_a_mind_that_decides_by_similarity_remembers_it(mixed):
    mind = newest(RunDirectory(mixed.path).checkpoints_path).society["residents"]["AY"]
    assert "town crier to AY: The mill burned down" in json.dumps(mind)


def test_a_mind_that_decides_by_model_hears_it(tmp_path, monkeypatch):
    monkeypatch.setattr("language_models.scripted.WRITERS", {"action": lead})
    lived = run(tmp_path / "run", "--deliberation", "llm")
    assert "The mill burned down at 2." in prompts(lived, "WM", 2)


def test_nothing_takes_the_speaker_for_a_resident(mixed):
    assert {"town crier", "world"}.isdisjoint(evaluation.measure(mixed)["subject"])
    assert set(evaluation.actions(mixed)["resident"]) == set(MINDS)
    view = RunView(RunDirectory(mixed.path))
    assert {one["name"] for one in view.head()["residents"]} == set(MINDS)
    assert "town crier to everybody: The mill burned down at 1." in view.new_steps()["steps"][0]["world"]["changes"]
