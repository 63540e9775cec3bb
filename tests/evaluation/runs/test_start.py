"""Whole runs with the scripted model, from the command to the report."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from functools import cache, partial

import pytest
from failing_ranking import fail_ranking

from evaluation.commands.cli import main
from evaluation.records.run_directory import RunDirectory
from evaluation.runs import checkpoints, provenance
from evaluation.runs.architectures import ARCHITECTURES
from evaluation.runs.run_config import RunConfig
from itcma_s.mind_state import VERSION
from itcma_s.resident import ItcmaResident
from language_models.scripted import ScriptedModel
from language_models.transcript.transcript import Transcript

COMMAND = (sys.executable, "-m", "evaluation")
SAME = ("events.jsonl", "metrics.csv")
FIGURES = {"driver.png", "network.png", "emotion.png", "interactions.png", "whereabouts.png"}


def run(path, *arguments, steps=3):
    return main(["run", "--model", "scripted", "--steps", str(steps), "--out", str(path), *arguments])


def files(path):
    return {name: (path / name).read_bytes() for name in SAME}


def calls(path):
    with Transcript(path / "transcript.sqlite") as transcript:
        return list(transcript.calls())


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """Gives a run of so many steps that nothing disturbed, which is made once."""

    @cache
    def of(steps):
        path = tmp_path_factory.mktemp("whole") / "run"
        assert run(path, steps=steps) == 0
        return path

    return of


@pytest.fixture
def copied(tmp_path, whole):
    """Gives a copy of such a run, which a test may spoil."""
    return lambda steps: shutil.copytree(whole(steps), tmp_path / "run")


def same(one, other):
    assert files(one) == files(other)
    assert calls(one) == calls(other)


# Its figures and its report are written, which takes seconds.
@pytest.mark.parametrize("architecture", ["itcma", "itcma-s"])
def test_from_the_command_to_the_report(tmp_path, capsys, with_report, architecture):
    assert run(tmp_path / "run", "--architecture", architecture) == 0
    output = capsys.readouterr()
    assert output.out.splitlines() == [str(tmp_path / "run" / "report.html")]
    assert "model calls and" in output.err

    directory = RunDirectory(tmp_path / "run")
    records, rows = directory.records(), directory.metrics()
    chosen = ARCHITECTURES[architecture]
    assert [(r["time"], r["resident"]) for r in records] == [
        (time, name) for time in range(3) for name in ("AY", "SG", "MD", "WL", "LL", "WM")
    ]
    assert all(record["outcome"] != "failed" for record in records)
    assert all(call.usage.call >= 0 and call.outcome == "ok" for call in calls(directory.path))
    assert {call for record in records for call in record["calls"]} <= {c.usage.call for c in calls(directory.path)}
    assert all((record["relevance"] is not None) == chosen.mechanisms.elimination for record in records)
    for key in ("resources", "topic"):
        assert all((record[key] is not None) == chosen.ltrha for record in records)
        assert ({key} <= {row["quantity"] for row in rows}) == (chosen.ltrha or False)
    drawn = FIGURES | ({"resources.png", "topics.png"} if chosen.ltrha else set())
    assert {path.name for path in directory.figures_path.iterdir()} == drawn
    report = directory.report_path.read_text(encoding="utf-8")
    assert report.startswith("<!")
    assert 'href="view.html#step=2&amp;who=LL&amp;tab=why"' in report
    assert "A society in IrollanValley" in directory.view_path.read_text(encoding="utf-8")


def test_what_the_manifest_says(tmp_path):
    assert run(tmp_path, "--seed", "4", "--architecture", "driver") == 0
    manifest = RunDirectory(tmp_path).read_manifest()
    assert (manifest["status"], manifest["steps_done"]) == ("finished", 3)
    asked = {"model.name": "scripted", "steps": 3, "seed": 4, "architecture": "driver"}
    assert manifest["configuration"]["given"] == asked
    assert manifest["configuration"]["effective"] == RunConfig.from_keys(asked).to_json()
    assert manifest["mechanisms"] == {"compressed_memory": False, "driver": True, "elimination": False, "ltrha": False}
    assert manifest["seeds"]["world"] == {"entropy": 4, "spawn_key": "world"}
    assert "ltrha" not in manifest["seeds"]
    assert manifest["models"]["model"] == {"name": "scripted", "sha256": {}}
    assert manifest["versions"]["python"] == ".".join(map(str, sys.version_info[:3]))
    assert manifest["seconds"] > 0
    assert not {".manifest.json.new", "error.txt", "transcript.sqlite-wal"} & {path.name for path in tmp_path.iterdir()}


@pytest.mark.slow
def test_the_same_bytes_in_two_processes_with_different_hash_seeds(tmp_path):
    for hash_seed in ("1", "2"):
        done = subprocess.run(
            [*COMMAND, "run", "--model", "scripted", "--steps", "4", "--seed", "3", "--out", tmp_path / hash_seed],
            env={**os.environ, "PYTHONHASHSEED": hash_seed},
            capture_output=True,
            text=True,
            check=True,
        )
        assert done.stdout == f"{tmp_path / hash_seed / 'report.html'}\n"
    assert files(tmp_path / "1") == files(tmp_path / "2")
    assert calls(tmp_path / "1") == calls(tmp_path / "2")
    checkpoint = "checkpoints/step-0000004.json"
    assert (tmp_path / "1" / checkpoint).read_bytes() == (tmp_path / "2" / checkpoint).read_bytes()
    assert run(tmp_path / "3", "--seed", "5", steps=4) == 0
    assert files(tmp_path / "1") != files(tmp_path / "3")


@pytest.mark.parametrize("architecture", ["driver", "itcma-s"])
def test_stopped_and_resumed_is_uninterrupted(tmp_path, architecture):
    assert run(tmp_path / "whole", "--architecture", architecture, steps=4) == 0
    assert run(tmp_path / "parts", "--architecture", architecture, steps=2) == 0
    assert main(["resume", str(tmp_path / "parts"), "--steps", "4"]) == 0
    same(tmp_path / "parts", tmp_path / "whole")
    manifest = RunDirectory(tmp_path / "parts").read_manifest()
    assert manifest["steps_done"] == manifest["configuration"]["effective"]["steps"] == 4
    assert manifest["configuration"]["given"]["steps"] == 2


def test_steps_that_are_done_are_not_left_to_do(copied, capsys):
    path = copied(3)
    assert main(["resume", str(path)]) == 2
    assert "nothing left to do: 3 of 3 steps are done" in capsys.readouterr().err
    assert main(["resume", str(path), "--steps", "2"]) == 2
    assert capsys.readouterr().err.endswith(
        f"2 steps are less than the 3 that are done of {path}; give --steps a larger number\n"
    )
    manifest = RunDirectory(path).read_manifest()
    manifest["configuration"]["effective"]["steps"] = 7
    RunDirectory(path).write_manifest(manifest)
    assert main(["resume", str(path), "--steps", "2"]) == 2
    assert capsys.readouterr().err.endswith("or leave it out to reach 7\n")


def test_what_breaks_stops_the_run_with_a_report_and_it_goes_on_from_there(tmp_path, whole, capsys, monkeypatch):
    act = ItcmaResident.act

    async def broken(self, observation):
        if self.name == "MD" and observation.time == 3:
            raise ZeroDivisionError("a defect")
        return await act(self, observation)

    path = tmp_path / "run"
    with monkeypatch.context() as patch:
        patch.setattr(ItcmaResident, "act", broken)
        assert run(path, steps=5) == 1
    output = capsys.readouterr()
    assert output.out == f"{path / 'report.html'}\n"
    last = output.err.splitlines()[-1]
    assert last.startswith("irollan: ResidentError: resident MD at time step 3: ZeroDivisionError: a defect (stopped ")
    assert last.endswith(f"where in the program: {path / 'error.txt'}); resume with: irollan resume {path}")
    assert "ZeroDivisionError" in (path / "error.txt").read_text()
    manifest = RunDirectory(path).read_manifest()
    assert (manifest["status"], manifest["steps_done"]) == ("failed", 3)
    assert "a defect" in manifest["error"]
    assert main(["resume", str(path)]) == 0
    same(path, whole(5))
    assert "error" not in RunDirectory(path).read_manifest()
    assert not (path / "error.txt").exists()


def failing(monkeypatch, fail_on):
    monkeypatch.setattr("language_models.scripted.ScriptedModel", partial(ScriptedModel, fail_on=fail_on))


@pytest.mark.parametrize("every", [1, 10])
def test_a_step_without_any_answer_ends_the_run_and_is_taken_again(tmp_path, whole, capsys, monkeypatch, every):
    path = tmp_path / "run"
    with monkeypatch.context() as patch:
        failing(patch, lambda caller, prompt: caller.time == 2)
        assert run(path, "--set", f"recording.checkpoint_every={every}", steps=4) == 1
    output = capsys.readouterr()
    assert output.out == f"{path / 'report.html'}\n"
    last = output.err.splitlines()[-1]
    assert last.startswith("irollan: the model had no answer for anyone in step 3: planted failure of scripted call ")
    assert last.endswith(f" (stopped after step 2 of 4); resume with: irollan resume {path}")
    manifest = RunDirectory(path).read_manifest()
    assert (manifest["status"], manifest["steps_done"]) == ("failed", 2)
    assert not (path / "error.txt").exists()
    # The step before it has a checkpoint, however seldom they are.
    saved = [path.name for path in checkpoints.paths(path / "checkpoints")]
    assert saved == [f"step-{step:07d}.json" for step in ((1, 2) if every == 1 else (0, 2))]
    assert main(["resume", str(path)]) == 0
    assert "step 2/4" not in capsys.readouterr().err
    same(path, whole(4))


def test_decisions_without_an_answer_are_counted_at_the_end(tmp_path, capsys, monkeypatch):
    failing(monkeypatch, lambda caller, prompt: caller.time == 1 and caller.resident == "SG")
    assert run(tmp_path, "--json") == 0
    output = capsys.readouterr()
    assert json.loads(output.out)["unanswered"] == 1
    assert output.err.splitlines()[-1].startswith(
        "irollan: 1 of 18 decisions had no answer from the model; the first: planted failure of scripted call "
    )


def test_the_matrix_without_an_answer_is_said_at_once_and_in_the_report(tmp_path, capsys, monkeypatch, with_page):
    fail_ranking(monkeypatch, at=1)
    assert run(tmp_path, steps=4) == 0
    said = [line for line in capsys.readouterr().err.splitlines() if "matrix" in line]
    assert len(said) == 1
    assert said[0].startswith("the matrix had no answer at step 2: planted failure of the ranking")
    text = RunDirectory(tmp_path).report_path.read_text(encoding="utf-8")
    assert "<b>1</b><span>time steps without an answer from the matrix</span>" in text
    assert re.search(r"while it rested:\s+1\. The reason of the first: planted failure of", text)
    rows = RunDirectory(tmp_path).metrics()
    of_step = [[r["value"] for r in rows if r["quantity"] == "resources" and r["time"] == t] for t in range(4)]
    assert of_step[0] == of_step[1] == of_step[2] != of_step[3]


def test_code_that_changed_is_noted_when_a_run_goes_on(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(provenance, "git_revision", lambda: "abc")
    assert run(tmp_path, steps=1) == 0
    assert main(["resume", str(tmp_path), "--steps", "2"]) == 0
    assert "note: the code" not in capsys.readouterr().err
    monkeypatch.setattr(provenance, "git_revision", lambda: "def with local changes")
    assert main(["resume", str(tmp_path), "--steps", "3"]) == 0
    note = "note: the code is at revision def with local changes now and was at abc when the run started"
    assert note in capsys.readouterr().err.splitlines()


def test_a_checkpoint_counts_only_calls_that_are_on_the_disk(tmp_path, monkeypatch):
    log = "transcript.sqlite-wal"
    synced, saved = {}, []
    fsync, save = os.fsync, checkpoints.save

    def seen(descriptor):
        fsync(descriptor)
        path = os.readlink(f"/proc/self/fd/{descriptor}")
        if path.endswith(log):
            with open(path, "rb") as file:
                synced[path] = file.read()

    def compared(folder, checkpoint):
        path = folder.resolve().parent / log
        saved.append((checkpoint.step, path.read_bytes() == synced.get(str(path))))
        return save(folder, checkpoint)

    monkeypatch.setattr(os, "fsync", seen)
    monkeypatch.setattr(checkpoints, "save", compared)
    assert run(tmp_path) == 0
    assert saved == [(step, True) for step in range(4)]


def test_a_run_that_was_killed_before_its_first_step_or_before_its_report(tmp_path, whole, copied, capsys):
    late = copied(3)
    (late / "report.html").unlink()
    assert main(["resume", str(late)]) == 0
    assert (late / "report.html").is_file()
    early = shutil.copytree(whole(3), tmp_path / "early")
    shutil.rmtree(early / "checkpoints")
    for name in ("events.jsonl", "checksums.jsonl"):
        (early / name).write_bytes(b"")
    begun = RunDirectory(early)
    begun.write_manifest({**begun.read_manifest(), "status": "running", "steps_done": 0})
    assert main(["resume", str(early)]) == 0
    assert "there is no checkpoint yet: beginning with the first time step" in capsys.readouterr().err
    for path in (late, early):
        same(path, whole(3))
    (early / "manifest.json").unlink()
    assert run(early) == 2
    assert "holds files that are not a run's" in capsys.readouterr().err


def test_weights_that_changed_are_not_gone_on_with(copied, capsys):
    directory = RunDirectory(copied(3))
    manifest = directory.read_manifest()
    manifest["models"]["model"]["sha256"] = {"model.gguf": "0"}
    directory.write_manifest(manifest)
    before = files(directory.path)
    assert main(["resume", str(directory.path), "--steps", "4"]) == 1
    assert "the model scripted has other files than when" in capsys.readouterr().err
    assert files(directory.path) == before


def go_on(path, done):
    assert main(["resume", str(path), "--steps", str(done + 1)]) == 0
    whole = path.with_name(f"{path.name}-whole")
    assert run(whole, steps=done + 1) == 0
    same(path, whole)


@pytest.mark.parametrize(("number", "name"), [(signal.SIGINT, "Ctrl-C"), (signal.SIGTERM, "SIGTERM")])
def test_a_signal_ends_after_the_step_with_checkpoint_and_report(tmp_path, capsys, monkeypatch, number, name):
    act = ItcmaResident.act

    async def interrupting(self, observation):
        if self.name == "MD" and observation.time == 1:
            signal.raise_signal(number)
        return await act(self, observation)

    with monkeypatch.context() as patch:
        patch.setattr(ItcmaResident, "act", interrupting)
        assert run(tmp_path) == 1
    out, err = capsys.readouterr()
    assert out == f"{tmp_path / 'report.html'}\n"
    assert f"stopping after this step; {name} once more stops at once" in err
    assert err.splitlines()[-1] == f"irollan: stopped after step 2 of 3; resume with: irollan resume {tmp_path}"
    manifest = RunDirectory(tmp_path).read_manifest()
    assert (manifest["status"], manifest["steps_done"]) == ("stopped", 2)
    assert len(RunDirectory(tmp_path).records()) == 12
    assert (tmp_path / "checkpoints" / "step-0000002.json").is_file()
    go_on(tmp_path, 2)


def test_a_run_that_was_killed_goes_on_from_its_last_checkpoint(tmp_path):
    command = [*COMMAND, "run", "--model", "scripted", "--steps", "100000", "--set", "recording.checkpoint_every=3"]
    process = subprocess.Popen([*command, "--out", tmp_path], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    events = tmp_path / "events.jsonl"
    while process.poll() is None and not (events.exists() and events.read_bytes().count(b"\n") > 6):
        time.sleep(0.02)
    process.kill()
    process.wait(60)
    assert RunDirectory(tmp_path).read_manifest()["status"] == "running"
    go_on(tmp_path, len(RunDirectory(tmp_path).records()) // 6)


def test_the_directory_names_itself(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for _ in range(2):
        assert main(["run", "--model", "scripted", "--steps", "1", "--seed", "9"]) == 0
    names = [path.name for path in sorted((tmp_path / "runs").iterdir())]
    assert len(names) == 2
    assert all(name.startswith("itcma-s-scripted-seed9-") for name in names)


def test_a_run_asks_about_a_place_never_seen_once_and_says_who_asked(whole):
    asked = [call for call in calls(whole(5)) if call.caller.module == "protention"]
    assert 1 < len(asked) == len({call.request.key for call in asked}) == len({c.caller.resident for c in asked})
    named = [call for record in RunDirectory(whole(5)).records() for call in record["calls"]]
    assert all(named.count(call.usage.call) >= 1 for call in asked)
    assert any(named.count(call.usage.call) > 1 for call in asked)


def test_a_run_whose_minds_another_version_saved_is_refused_and_left_as_it_is(copied, capsys, monkeypatch):
    old = copied(3)
    max((old / "checkpoints").iterdir()).unlink()  # as after a kill: records go beyond the last checkpoint
    before = {path.name: path.read_bytes() for path in old.rglob("*") if path.is_file()}
    monkeypatch.setattr("itcma_s.mind_state.VERSION", VERSION + 1)
    assert main(["resume", str(old), "--steps", "5"]) == 2
    told = capsys.readouterr().err
    assert f"a saved mind must be of version {VERSION + 1}, got {VERSION}" in told
    assert "irollan branch" in told
    assert {path.name: path.read_bytes() for path in old.rglob("*") if path.is_file()} == before
