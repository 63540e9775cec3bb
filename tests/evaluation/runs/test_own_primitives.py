"""The primitives of docs/worlds.md are lived with, recorded, resumed, branched and replayed; and faults in one line."""

import json
import re
import sqlite3
import sys
from contextlib import closing
from importlib import metadata

import pytest
from project import DOCS

import evaluation
from evaluation.commands.cli import main
from evaluation.measures.data_frames import actions
from evaluation.measures.social_roles import activity_counts
from evaluation.viewer.acts import deed_of
from irollan_env.world import world_classes

PAGE = (DOCS / "worlds.md").read_text(encoding="utf-8")
PLAY = next(code for code in re.findall(r"^```python\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL) if "Play" in code)
FAULTS = """
class Raises(Play):
    def perform(self, world, resident, action):
        raise KeyError("no ball")

class Hangs(Play):
    def perform(self, world, resident, action):
        while world.time < 99:
            pass

class Collides(Play):
    primitives = ("go round {person}",)

class Fishes(Play):
    primitives = ("fish for {trout}",)

class Misspelt(Play):
    primitive = ("hug {person}",)

class Twin(Play):
    pass
"""
WISHES = """
[world]
rules = ["docs_play:Play"]
[world.identities.LL]
place = "outside"
goals = ["I want to hug SG.", "I want to hug my friends."]
[world.identities.SG]
place = "outside"
things = ["toy 1"]
goals = ["I want to throw the toy to LL."]
[world.identities.AY]
place = "outside"
goals = ["I want to hug everybody."]
"""
STEPS = 6


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A working directory with the class of the page, in which whole runs lie."""
    folder = tmp_path_factory.mktemp("play")
    (folder / "docs_play.py").write_text(PLAY + FAULTS)
    (folder / "wishes.toml").write_text(WISHES)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(folder)
        yield folder
    sys.modules.pop("docs_play", None)


def run(path, *arguments, steps=STEPS, model="scripted"):
    options = ["--model", model, "--steps", str(steps), "--out", str(path), "--set", "recording.checkpoint_every=2"]
    return main(["run", *options, *arguments])


@pytest.fixture(scope="module")
def whole(folder):
    assert run(folder / "whole", "--config", str(folder / "wishes.toml")) == 0
    return folder / "whole"


def records(path):
    return [json.loads(line) for line in (path / "events.jsonl").read_text().splitlines()]


def test_the_page_has_at_most_twenty_lines_of_code():
    assert len(PLAY.strip().splitlines()) <= 20


def test_itcma_s_wants_them_and_does_them(whole):
    done = {one["action"].partition(" [")[0] for one in records(whole) if one["action"] and "[" in one["action"]}
    assert done == {"hug", "throw"}
    thrown = evaluation.load_run(whole).changes.query("cause == 'thrown'")
    assert set(thrown["thing"]) == {"toy 1"}
    results = {one["result"] for one in records(whole)}
    assert any(result.endswith("catches it.") for result in results)
    assert any(re.fullmatch(r"You hug \w+\.", result) for result in results)


def test_ltrha_and_measures_count_them_apart(whole):
    last = json.loads(sorted(whole.glob("checkpoints/*.json"))[-1].read_text())
    frame = actions(whole)
    counts = activity_counts(frame).sum()
    assert counts["hug"] == (frame["primitive"] == "hug").sum() > 0
    assert counts["throw to"] > 0
    hugs = frame[(frame["primitive"] == "hug") & (frame["outcome"] == "executed")]
    assert (hugs["partner"] == hugs["target"]).all()
    learned = [habitus["tree"]["primitives"] for habitus in last["content"]["society"]["framework"]["habitus"].values()]
    assert any("hug" in primitives for primitives in learned)


def test_a_line_of_the_viewer_reads_well():
    assert deed_of("throw [toy 1] to [LL]") == {
        "kind": "did",
        "text": "throw [toy 1] to [LL]",
        "thing": "toy 1",
        "other": "LL",
        "to": "throw toy 1 to LL",
        "does": "throws toy 1 to LL",
        "did": "threw toy 1 to LL",
    }


@pytest.mark.parametrize("done", [1, 3])
def test_killed_and_resumed_to_the_same_bytes(folder, whole, tmp_path, done):
    path = tmp_path / "run"
    assert run(path, "--config", str(folder / "wishes.toml"), steps=done) == 0
    assert main(["resume", str(path), "--steps", str(STEPS)]) == 0
    assert (path / "events.jsonl").read_bytes() == (whole / "events.jsonl").read_bytes()


def test_replayed_and_branched_to_the_same_bytes(whole, tmp_path):
    assert main(["replay", str(whole)]) == 0
    assert main(["branch", str(whole), "--at", "3", "--out", str(tmp_path / "branch")]) == 0
    assert (tmp_path / "branch" / "events.jsonl").read_bytes() == (whole / "events.jsonl").read_bytes()


@pytest.mark.parametrize(
    "mind",
    ["itcma-s", "piano", "react", "generative-agents", "model", "reflexion", "random", "scripted"],
)
@pytest.mark.usefixtures("folder")
def test_every_mind_lives_with_them(mind, tmp_path):
    led = ["--deliberation", "llm"] if mind == "itcma-s" else []
    assert run(tmp_path / "run", "--mind", mind, "--world", "docs_play:Play", *led, steps=4) == 0
    lived = records(tmp_path / "run")
    assert not any(one["failure"] for one in lived)
    assert any(action.startswith("hug [") for one in lived for action in one["admissible"])
    assert main(["replay", str(tmp_path / "run")]) == 0


@pytest.mark.usefixtures("folder")
def test_a_large_model_has_them_among_its_options_and_learns_what_was_done(tmp_path):
    assert run(tmp_path / "run", "--deliberation", "llm", "--world", "docs_play:Play", steps=6) == 0
    with closing(sqlite3.connect(tmp_path / "run" / "transcript.sqlite")) as database:
        prompts = "\n".join(text for (text,) in database.execute("SELECT text FROM prompts"))
    assert re.search(r"- hug \[\d+\] [A-Z]{2}.* or \[\d+\] [A-Z]{2}\n", prompts)
    assert not re.search(r"\[[A-Z]{2}\]", prompts)


@pytest.mark.parametrize(
    ("arguments", "decisive"),
    [
        (("--world", "docs_play:Collides"), "'go round {person}' begins like"),
        (("--world", "docs_play:Misspelt"), "did you mean 'primitives'"),
        (("--world", "docs_play:Fishes"), "unknown slot {trout}"),
        (("--world", "docs_play:Play", "--world", "docs_play:Twin"), "have the same words"),
        (("--world", "gone"), "cannot be imported"),
    ],
)
@pytest.mark.usefixtures("folder")
def test_wrong_primitives_are_refused_in_a_line(arguments, decisive, tmp_path, capsys, monkeypatch):
    entry = metadata.EntryPoint("gone", "no_such_module:Hug", "irollan.primitives")
    found = {"irollan.primitives": [entry]}
    monkeypatch.setattr(world_classes.metadata, "entry_points", lambda group: found.get(group, []))
    assert run(tmp_path / "run", *arguments) == 2
    told = capsys.readouterr().err
    assert decisive in told
    assert len(told.splitlines()) == 1
    assert not (tmp_path / "run").exists()


@pytest.mark.usefixtures("folder")
def test_an_installed_one_is_found_by_its_name(monkeypatch):
    entry = metadata.EntryPoint("play", "docs_play:Play", "irollan.primitives")
    found = {"irollan.primitives": [entry]}
    monkeypatch.setattr(world_classes.metadata, "entry_points", lambda group: found.get(group, []))
    assert world_classes.find_world_class("play").__name__ == "Play"


@pytest.mark.parametrize(
    ("fault", "decisive"),
    [("Raises", "failed in perform at docs_play.py:"), ("Hangs", "gave no answer in perform for 0.2 s")],
)
def test_an_effect_with_a_fault_stops_the_run_which_resumes_once_it_is_mended(
    folder, fault, decisive, tmp_path, capsys, monkeypatch
):
    import docs_play

    path = tmp_path / "run"
    options = ["--config", str(folder / "wishes.toml"), "--world", f"docs_play:{fault}"]
    assert run(path, *options, "--set", "world.rules_deadline=0.2") == 1
    told = [line for line in capsys.readouterr().err.splitlines() if fault in line]
    assert len(told) == 1
    assert decisive in told[0]
    monkeypatch.setattr(getattr(docs_play, fault), "perform", docs_play.Play.perform)
    assert main(["resume", str(path)]) == 0


def test_a_primitive_taken_away_is_named_on_resume(folder, whole, tmp_path, capsys, monkeypatch):
    import docs_play

    path = tmp_path / "run"
    assert run(path, "--config", str(folder / "wishes.toml"), steps=2) == 0
    monkeypatch.setattr(docs_play.Play, "primitives", ("hug {person}",))
    capsys.readouterr()
    assert main(["resume", str(path), "--steps", "4"]) == 2
    [told] = [line for line in capsys.readouterr().err.splitlines() if "throw {toy}" in line]
    assert "restore them" in told
