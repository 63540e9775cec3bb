"""Worlds as code: named in a configuration, recorded, resumed, branched, replayed; and their faults in one line."""

import importlib
import json
import shutil
import sys

import pytest

import evaluation
from evaluation.commands.cli import main
from evaluation.records.recorded_run import read_run
from evaluation.runs import run_loop
from irollan_env.world import world_classes

STEPS = 5


def run(path, *arguments, steps=STEPS, world="town_rules:TownRules"):
    options = ["--model", "scripted", "--steps", str(steps), "--world", world, "--out", str(path)]
    return main(["run", *options, *arguments])


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    path = tmp_path_factory.mktemp("town") / "run"
    assert run(path) == 0
    return path


def test_a_run_records_its_world_class(whole):
    lived = evaluation.load_run(whole)
    assert lived.config.world.rules == ("town_rules:TownRules",)
    [(name, known)] = lived.manifest["world_classes"].items()
    assert (name, known["version"], len(known["sha256"])) == ("town_rules:TownRules", "2", 64)
    assert set(lived.variables["subject"]) == {"world", *lived.events["resident"]}
    assert "The tax is" in lived.changes.query("origin == 'town crier'")["thing"].iloc[0]


@pytest.mark.parametrize("done", [1, 3])
def test_killed_and_resumed_to_the_same_bytes(whole, tmp_path, done, monkeypatch):
    path = tmp_path / "run"
    assert run(path, "--set", "recording.checkpoint_every=2", steps=done) == 0
    assert main(["resume", str(path), "--steps", str(STEPS)]) == 0
    assert (path / "events.jsonl").read_bytes() == (whole / "events.jsonl").read_bytes()
    own = [line for line in (path / "metrics.csv").read_text().splitlines() if ",seconds," not in line]
    assert own == [line for line in (whole / "metrics.csv").read_text().splitlines() if ",seconds," not in line]


def test_replay_and_branch(whole, tmp_path):
    assert main(["replay", str(whole)]) == 0
    same, other = tmp_path / "same", tmp_path / "other"
    assert main(["branch", str(whole), "--at", "2", "--out", str(same)]) == 0
    assert (same / "events.jsonl").read_bytes() == (whole / "events.jsonl").read_bytes()
    assert main(["branch", str(whole), "--at", "2", "--set", "seed=9", "--out", str(other)]) == 0
    taxes = [evaluation.load_run(one).variables.query("quantity == 'tax'")["value"].tolist() for one in (whole, other)]
    assert taxes[0][:2] == taxes[1][:2]
    assert taxes[0] != taxes[1]


def test_damage_of_what_a_world_did_is_noticed(whole, tmp_path):
    path = shutil.copytree(whole, tmp_path / "run")
    events = path / "events.jsonl"
    events.write_bytes(events.read_bytes().replace(b'"town crier"', b'"town clerk"', 1))
    with pytest.raises(ValueError, match=r"events\.jsonl"):
        read_run(path)


@pytest.mark.parametrize(
    ("world", "decisive"),
    [
        ("odd_worlds:NeedsArguments", "'tax'"),
        ("odd_worlds:Misspelt", "did you mean 'after_step'"),
        ("odd_worlds:Measures", "did you mean 'variables'"),
        ("odd_worlds:LacksWorld", "(self, world)"),
        ("odd_worlds:Awaits", "async"),
        ("odd_worlds:CannotBeMade", "no table of taxes"),
        ("odd_worlds:NoMechanic", "subclass of irollan_env.Mechanic"),
        ("odd_worlds:Awaitss", "cannot be imported: AttributeError"),
        ("odd_worlds:Awaitss", "did you mean 'Awaits'"),
        ("odd_worlds.py:Awaits", "write odd_worlds:Awaits"),
        ("no_such_module:World", "looked for in the working directory"),
        ("townn", "did you mean 'town'"),
    ],
)
def test_a_name_that_is_no_world_class_is_refused_in_a_line(world, decisive, tmp_path, capsys, monkeypatch):
    entry = importlib.metadata.EntryPoint("town", "town_rules:TownRules", world_classes.ENTRY_POINTS)
    monkeypatch.setattr(world_classes.metadata, "entry_points", lambda group: [entry])
    assert run(tmp_path / "run", world=world) == 2
    told = capsys.readouterr().err
    assert decisive in told
    assert len(told.splitlines()) == 1
    assert not (tmp_path / "run").exists()


def test_an_installed_world_class_is_found_by_its_name(monkeypatch):
    entry = importlib.metadata.EntryPoint("town", "town_rules:TownRules", world_classes.ENTRY_POINTS)
    monkeypatch.setattr(world_classes.metadata, "entry_points", lambda group: [entry])
    assert world_classes.find_world_class("town").__name__ == "TownRules"


@pytest.mark.parametrize(
    ("world", "decisive", "done"),
    [
        ("Raises", "odd_worlds:Raises failed in after_step at odd_worlds.py:12: KeyError: 'no till'", 2),
        ("Exits", "odd_worlds:Exits failed in observe at odd_worlds.py:18: SystemExit: 3", 2),
        ("Hangs", "odd_worlds:Hangs gave no answer in before_step for 0.2 s at odd_worlds.py:", 2),
        ("Forgets", "forgets its state: variables['steps'] of the world is 1, and 0", 1),
        ("ForgetsToRestore", "{'steps': 0} in a new object", 1),
        ("CountsQuestions", "asked again", 1),
        ("KeepsNumbers", "texts as keys", 1),
        ("KeepsSets", "not JSON serializable", 0),
    ],
)
def test_a_world_class_with_a_fault_stops_the_run_in_a_line(world, decisive, done, tmp_path, capsys):
    path = tmp_path / "run"
    assert run(path, "--set", "world.rules_deadline=0.2", world=f"odd_worlds:{world}") == 1
    told = [line for line in capsys.readouterr().err.splitlines() if "odd_worlds:" in line]
    assert len(told) == 1
    assert decisive in told[0]
    assert json.loads((path / "manifest.json").read_bytes())["steps_done"] == done


def test_a_world_class_that_was_mended_goes_on(tmp_path, capsys, monkeypatch):
    """Resume says that its source is another, and goes on where it failed."""
    source = tmp_path / "mended_town.py"
    broken = "from irollan_env import Mechanic\nclass Town(Mechanic):\n    def after_step(self, world):\n        {}\n"
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path, str(tmp_path)])
    source.write_text(broken.format("assert world.time < 3"))
    assert run(tmp_path / "run", world="mended_town:Town") == 1
    assert "mended_town.py:4" in capsys.readouterr().err
    source.write_text(broken.format("pass"))
    del sys.modules["mended_town"]
    importlib.invalidate_caches()
    assert main(["resume", str(tmp_path / "run")]) == 0
    assert capsys.readouterr().err.count("the source of the world class mended_town:Town is another") == 1
    assert len(read_run(tmp_path / "run").records) == STEPS * 6


def test_state_is_checked_again_later(tmp_path, monkeypatch):
    checked = []
    monkeypatch.setattr(run_loop, "check_state", lambda world: checked.append(world.time))
    monkeypatch.setattr(run_loop, "CHECKED_EVERY", 2)
    assert run(tmp_path / "run") == 0
    assert checked == [1, 2, 4]


def test_the_deadline_needs_a_world_class(tmp_path, capsys):
    options = ["--model", "scripted", "--set", "world.rules_deadline=5", "--out", str(tmp_path / "run")]
    assert main(["run", *options]) == 2
    assert "no world class" in capsys.readouterr().err


def test_events_read_what_a_world_class_measures(tmp_path):
    events = tmp_path / "events.toml"
    events.write_text('[[events]]\nwhen = { variable = "world.tax", at_least = 0 }\nleave = "LL"\n')
    assert run(tmp_path / "run", "--events", str(events), steps=2) == 0
    moved = evaluation.load_run(tmp_path / "run").changes.query("what == 'moved'")
    assert "LL" in list(moved["thing"])
