"""Whole runs with the scripted model, from the command to the report."""

import json
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
from functools import cache, partial

import pytest
from failing_ranking import fail_ranking

from evaluation.commands.cli import main
from evaluation.records.run_directory import RunDirectory
from evaluation.report import run_report
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


quick = pytest.mark.usefixtures("no_figures")


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
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(run_report, "write_report", lambda *_: None)
            assert run(path, steps=steps) == 0
        return path

    return of


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_every_architecture_from_the_command_to_the_report(tmp_path, capsys, architecture):
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


@quick
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
@quick
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


@pytest.mark.parametrize("architecture", ["itcma", "itcma-s"])
@quick
def test_stopped_and_resumed_is_uninterrupted(tmp_path, capsys, architecture):
    assert run(tmp_path / "whole", "--architecture", architecture, steps=7) == 0
    assert run(tmp_path / "parts", "--architecture", architecture, steps=3) == 0
    assert main(["resume", str(tmp_path / "parts")]) == 2
    assert "nothing left to do: 3 of 3 steps are done" in capsys.readouterr().err
    assert main(["resume", str(tmp_path / "parts"), "--steps", "2"]) == 2
    told = f"irollan: 2 steps are less than the 3 that are done of {tmp_path / 'parts'}; give --steps a larger number\n"
    assert capsys.readouterr().err.endswith(told)
    stopped = shutil.copytree(tmp_path / "parts", tmp_path / "stopped")
    text = (stopped / "manifest.json").read_text("utf-8")
    (stopped / "manifest.json").write_text(text.replace('"steps": 3,', '"steps": 7,'), "utf-8")
    assert main(["resume", str(stopped), "--steps", "2"]) == 2
    assert capsys.readouterr().err.endswith("give --steps a larger number, or leave it out to go on to 7\n")
    assert main(["resume", str(tmp_path / "parts"), "--steps", "7"]) == 0
    assert files(tmp_path / "parts") == files(tmp_path / "whole")
    assert calls(tmp_path / "parts") == calls(tmp_path / "whole")
    manifest = RunDirectory(tmp_path / "parts").read_manifest()
    assert manifest["steps_done"] == manifest["configuration"]["effective"]["steps"] == 7
    assert manifest["configuration"]["given"]["steps"] == 3


def test_what_breaks_stops_the_run_with_a_report_and_it_goes_on_from_there(tmp_path, whole, capsys, monkeypatch):
    act = ItcmaResident.act

    async def broken(self, observation):
        if self.name == "MD" and observation.time == 3:
            raise ZeroDivisionError("a defect")
        return await act(self, observation)

    capsys.readouterr()
    monkeypatch.setattr(ItcmaResident, "act", broken)
    assert run(tmp_path / "run", steps=5) == 1
    output = capsys.readouterr()
    assert output.out == f"{tmp_path / 'run' / 'report.html'}\n"
    assert output.err.splitlines()[-1] == (
        "irollan: ResidentError: resident MD at time step 3: ZeroDivisionError: a defect (stopped after step 3 of 5; "
        f"where in the program: {tmp_path / 'run' / 'error.txt'}); go on with: irollan resume {tmp_path / 'run'}"
    )
    assert "ZeroDivisionError" in (tmp_path / "run" / "error.txt").read_text()
    manifest = RunDirectory(tmp_path / "run").read_manifest()
    assert (manifest["status"], manifest["steps_done"]) == ("failed", 3)
    assert "a defect" in manifest["error"]

    monkeypatch.undo()
    assert main(["resume", str(tmp_path / "run")]) == 0
    assert files(tmp_path / "run") == files(whole(5))
    assert calls(tmp_path / "run") == calls(whole(5))
    assert "error" not in RunDirectory(tmp_path / "run").read_manifest()
    assert not (tmp_path / "run" / "error.txt").exists()


def failing(monkeypatch, fail_on):
    monkeypatch.setattr("language_models.scripted.ScriptedModel", partial(ScriptedModel, fail_on=fail_on))


@quick
def test_a_step_without_any_answer_ends_the_run_and_is_taken_again(tmp_path, whole, capsys, monkeypatch):
    capsys.readouterr()
    failing(monkeypatch, lambda caller, prompt: caller.time == 2)
    assert run(tmp_path / "run", steps=4) == 1
    output = capsys.readouterr()
    assert output.out == f"{tmp_path / 'run' / 'report.html'}\n"
    last = output.err.splitlines()[-1]
    assert last.startswith("irollan: the model had no answer for anyone in step 3: planted failure of scripted call ")
    assert last.endswith(f" (stopped after step 2 of 4); go on with: irollan resume {tmp_path / 'run'}")
    manifest = RunDirectory(tmp_path / "run").read_manifest()
    assert (manifest["status"], manifest["steps_done"]) == ("failed", 2)
    assert manifest["error"].startswith("the model had no answer for anyone in step 3: ")
    assert not (tmp_path / "run" / "error.txt").exists()

    monkeypatch.undo()
    assert main(["resume", str(tmp_path / "run")]) == 0
    assert files(tmp_path / "run") == files(whole(4))
    assert calls(tmp_path / "run") == calls(whole(4))


@quick
def test_a_step_that_fails_leaves_a_checkpoint_of_the_one_before_it(tmp_path, whole, capsys, monkeypatch):
    failing(monkeypatch, lambda caller, prompt: caller.time == 3)
    assert run(tmp_path / "run", "--set", "recording.checkpoint_every=10", steps=5) == 1
    saved = [path.name for path in checkpoints.paths(tmp_path / "run" / "checkpoints")]
    assert saved == ["step-0000000.json", "step-0000003.json"]
    monkeypatch.undo()
    capsys.readouterr()
    assert main(["resume", str(tmp_path / "run")]) == 0
    assert "step 4/5" in (error := capsys.readouterr().err)
    assert "step 3/5" not in error
    assert files(tmp_path / "run") == files(whole(5))
    assert calls(tmp_path / "run") == calls(whole(5))


@pytest.mark.parametrize(
    ("status", "message"),
    [
        (
            404,
            "answered status 404: .*; there is no such model or address; irollan models test shows what the server has",
        ),
        (400, "the model had no answer for anyone in step 1: .* refused the request, status 400"),
    ],
)
@quick
def test_a_server_that_answers_nobody_ends_the_run_at_once(tmp_path, capsys, server, status, message):
    server.answers = [(status, {}, {"error": "no"})]
    assert run(tmp_path, "--model", f"openai:{server.url}#x", "--embedder", "hash", steps=2) == 1
    output = capsys.readouterr()
    assert output.out == ""
    last = output.err.splitlines()[-1]
    assert re.match(f"irollan: .*{message}", last)
    assert last.endswith(f" (stopped after step 0 of 2); go on with: irollan resume {tmp_path}")
    assert RunDirectory(tmp_path).read_manifest()["steps_done"] == 0
    assert RunDirectory(tmp_path).records() == []
    assert not (tmp_path / "error.txt").exists()


@quick
def test_decisions_without_an_answer_are_counted_at_the_end(tmp_path, capsys, monkeypatch):
    failing(monkeypatch, lambda caller, prompt: caller.time == 1 and caller.resident == "SG")
    assert run(tmp_path, "--json") == 0
    output = capsys.readouterr()
    assert json.loads(output.out)["unanswered"] == 1
    assert output.err.splitlines()[-1].startswith(
        "irollan: 1 of 18 decisions had no answer from the model; the first: planted failure of scripted call "
    )


def test_the_matrix_without_an_answer_is_said_at_once_and_in_the_report(tmp_path, capsys, monkeypatch):
    fail_ranking(monkeypatch, at=1)
    assert run(tmp_path) == 0
    said = [line for line in capsys.readouterr().err.splitlines() if "matrix" in line]
    assert len(said) == 1
    assert said[0].startswith("the matrix had no answer at step 2: planted failure of the ranking")
    text = RunDirectory(tmp_path).report_path.read_text(encoding="utf-8")
    assert "<b>1</b><span>time steps without an answer from the matrix</span>" in text
    assert re.search(r"resources stayed as they were:\s+1\. The reason of the first: planted failure of", text)
    rows = RunDirectory(tmp_path).metrics()
    first, second, third = ([r for r in rows if r["quantity"] == "resources" and r["time"] == t] for t in range(3))
    assert [row["value"] for row in first] == [row["value"] for row in second] != [row["value"] for row in third]

    monkeypatch.undo()
    assert run(tmp_path, "--force") == 0
    assert "matrix had no answer" not in capsys.readouterr().err
    assert "from the matrix" not in RunDirectory(tmp_path).report_path.read_text(encoding="utf-8")


@quick
def test_a_damaged_checkpoint_is_passed_over_and_said(tmp_path, whole, capsys):
    assert run(tmp_path / "run", steps=4) == 0
    (tmp_path / "run" / "checkpoints" / "step-0000004.json").write_text("{")
    assert main(["resume", str(tmp_path / "run"), "--steps", "5"]) == 0
    assert "passing over a checkpoint" in capsys.readouterr().err
    assert files(tmp_path / "run") == files(whole(5))


@quick
def test_code_that_changed_is_noted_when_a_run_goes_on(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(provenance, "git_revision", lambda: "abc")
    assert run(tmp_path, steps=1) == 0
    assert main(["resume", str(tmp_path), "--steps", "2"]) == 0
    assert "note: the code" not in capsys.readouterr().err
    monkeypatch.setattr(provenance, "git_revision", lambda: "def with local changes")
    assert main(["resume", str(tmp_path), "--steps", "3"]) == 0
    note = "note: the code is at revision def with local changes now and was at abc when the run was begun"
    assert note in capsys.readouterr().err.splitlines()


@quick
def test_a_manifest_that_somebody_spoilt_is_named(tmp_path, capsys):
    assert run(tmp_path, steps=1) == 0
    directory = RunDirectory(tmp_path)
    manifest = directory.read_manifest()
    manifest["configuration"]["effective"]["seed"] = "zero"
    directory.write_manifest(manifest)
    capsys.readouterr()
    assert main(["resume", str(tmp_path), "--steps", "2"]) == 2
    assert capsys.readouterr().err == (
        f"irollan: {tmp_path / 'manifest.json'} is damaged: "
        "seed must be a whole number from 0 to 9223372036854775807, got 'zero'\n"
    )


@quick
def test_records_that_were_cut_short_are_noticed_and_the_checkpoint_before_is_used(tmp_path, whole, capsys):
    assert run(tmp_path / "run", steps=4) == 0
    events = tmp_path / "run" / "events.jsonl"
    events.write_bytes(events.read_bytes()[:-100])
    assert main(["resume", str(tmp_path / "run"), "--steps", "5"]) == 0
    error = capsys.readouterr().err
    assert "passing over a checkpoint: " in error
    assert "events.jsonl is cut short: it has " in error
    assert "going on from the checkpoint before, with 3 steps done" in error
    assert files(tmp_path / "run") == files(whole(5))
    assert calls(tmp_path / "run") == calls(whole(5))


@quick
def test_a_checkpoint_that_was_passed_over_is_not_taken_later(tmp_path, capsys, monkeypatch):
    assert run(tmp_path, "--set", "recording.checkpoint_every=5") == 0
    events = tmp_path / "events.jsonl"
    events.write_bytes(events.read_bytes()[:-100])
    # The run that follows goes beyond the size that the checkpoint of step 3 has, and has no checkpoint of its own.
    failing(monkeypatch, lambda caller, prompt: caller.time == 4)
    assert main(["resume", str(tmp_path), "--steps", "6"]) == 1
    assert "passing over a checkpoint: " in capsys.readouterr().err
    assert "step-0000003.json" not in {path.name for path in (tmp_path / "checkpoints").iterdir()}
    monkeypatch.undo()
    assert main(["resume", str(tmp_path), "--steps", "6"]) == 0
    assert "passing over" not in capsys.readouterr().err
    assert main(["replay", str(tmp_path)]) == 0


@quick
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


@quick
def test_calls_that_are_lost_are_noticed(tmp_path, whole, capsys):
    assert run(tmp_path / "run", steps=4) == 0
    with sqlite3.connect(tmp_path / "run" / "transcript.sqlite") as database:
        database.execute("DELETE FROM calls WHERE time = 3")
    database.close()
    assert main(["resume", str(tmp_path / "run"), "--steps", "5"]) == 0
    assert "going on from the checkpoint before, with 3 steps done" in capsys.readouterr().err
    assert calls(tmp_path / "run") == calls(whole(5))


@quick
def test_when_nothing_can_be_gone_on_from_nothing_is_lost(tmp_path, capsys):
    assert run(tmp_path, steps=3) == 0
    before = files(tmp_path)
    for path in (tmp_path / "checkpoints").iterdir():
        path.write_text("{")
    assert main(["resume", str(tmp_path), "--steps", "5"]) == 2
    assert "to go on from: " in capsys.readouterr().err
    for path in (tmp_path / "checkpoints").iterdir():
        path.unlink()
    assert main(["resume", str(tmp_path), "--steps", "5"]) == 2
    way = f"begin a new run from step 2 of its transcript with: irollan branch {tmp_path} --at 2"
    assert capsys.readouterr().err.endswith(f"holds no checkpoint any more; get them back or {way}\n")
    assert files(tmp_path) == before
    assert main(["branch", str(tmp_path), "--at", "3", "--set", "steps=4", "--out", str(tmp_path / "saved")]) == 0


@quick
@pytest.mark.parametrize(
    ("name", "content", "fault", "at"),
    [
        ("transcript.sqlite", None, "is missing", None),
        ("transcript.sqlite", b"", "is empty", None),
        ("events.jsonl", None, "is missing", None),
        ("events.jsonl", b"", "is empty", 0),
        ("metrics.csv", None, "is missing", 2),
    ],
)
def test_a_run_that_lost_a_file_is_not_gone_on_with(tmp_path, capsys, name, content, fault, at):
    path = tmp_path / "run"
    assert run(path, steps=3) == 0
    (path / name).unlink()
    if content is not None:
        (path / name).write_bytes(content)
    before = {one.name: one.read_bytes() for one in path.rglob("*") if one.is_file()}
    capsys.readouterr()
    assert main(["resume", str(path), "--steps", "5"]) == 2
    way = f" or begin a new run from step {at} of its transcript with: irollan branch {path} --at {at}"
    told = f"{path / name} {fault}, and {path} cannot go on without it; get it back{'' if at is None else way}"
    assert capsys.readouterr().err == f"irollan: {told}\n"
    assert {one.name: one.read_bytes() for one in path.rglob("*") if one.is_file()} == before
    if at is not None:
        assert main(["branch", str(path), "--at", str(at), "--out", str(tmp_path / "saved")]) == 0


def test_a_report_without_the_calls_that_records_name_says_so(tmp_path, capsys):
    assert run(tmp_path, steps=2) == 0
    named = len({call for record in RunDirectory(tmp_path).records() for call in record["calls"]})
    (tmp_path / "transcript.sqlite").write_bytes(b"")
    capsys.readouterr()
    assert main(["report", str(tmp_path)]) == 0
    note = "the report goes without the model calls and what they cost: the records name "
    assert f"{note}{named}, and {tmp_path / 'transcript.sqlite'} has none\n" in capsys.readouterr().err
    assert (tmp_path / "transcript.sqlite").read_bytes() == b""
    assert run(tmp_path / "idle", "--mind", "idle", steps=2) == 0
    assert note not in capsys.readouterr().err


@quick
def test_no_branch_is_named_where_the_transcript_was_begun_anew(tmp_path, capsys):
    assert run(tmp_path, steps=3) == 0
    (tmp_path / "transcript.sqlite").unlink()
    Transcript(tmp_path / "transcript.sqlite").close()
    assert main(["resume", str(tmp_path), "--steps", "5"]) == 2
    told = capsys.readouterr().err
    assert "take the checkpoint and the transcript from one run" in told
    assert "irollan branch" not in told


@quick
def test_a_run_that_was_killed_before_its_first_step_or_before_its_report(tmp_path, capsys):
    assert run(tmp_path / "whole") == 0
    shutil.copytree(tmp_path / "whole", tmp_path / "late")
    (tmp_path / "late" / "report.html").unlink()
    assert main(["resume", str(tmp_path / "late")]) == 0
    assert (tmp_path / "late" / "report.html").is_file()
    early = tmp_path / "early"
    shutil.copytree(tmp_path / "whole", early)
    shutil.rmtree(early / "checkpoints")
    (early / "events.jsonl").write_bytes(b"")
    begun = RunDirectory(early)
    begun.write_manifest({**begun.read_manifest(), "status": "running", "steps_done": 0})
    assert main(["resume", str(early)]) == 0
    assert "there is no checkpoint yet: beginning with the first time step" in capsys.readouterr().err
    (early / "manifest.json").unlink()
    assert run(early) == 2
    assert "holds files that are not a run's" in capsys.readouterr().err
    (early / "events.jsonl").write_bytes(b"")
    assert run(early) == 0
    for path in (tmp_path / "late", early):
        assert files(path) == files(tmp_path / "whole")
        assert calls(path) == calls(tmp_path / "whole")


@quick
def test_sigterm_is_called_by_its_name(tmp_path):
    process = begin(tmp_path)
    process.send_signal(signal.SIGTERM)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 1
    assert "stopping after this step; SIGTERM once more stops at once" in err
    assert "Ctrl-C" not in err


@quick
def test_weights_that_changed_are_not_gone_on_with(tmp_path, capsys):
    assert run(tmp_path, steps=2) == 0
    directory = RunDirectory(tmp_path)
    manifest = directory.read_manifest()
    manifest["models"]["model"]["sha256"] = {"model.gguf": "0"}
    directory.write_manifest(manifest)
    before = files(tmp_path)
    assert main(["resume", str(tmp_path), "--steps", "3"]) == 1
    assert "the model scripted has other files than when" in capsys.readouterr().err
    assert files(tmp_path) == before


def begin(path, *arguments):
    """A run in a process of its own that would take long, once a few of its steps are done."""
    process = subprocess.Popen(
        [*COMMAND, "run", "--model", "scripted", "--steps", "100000", "--out", path, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    events = path / "events.jsonl"
    while process.poll() is None and not (events.exists() and events.read_bytes().count(b"\n") > 20):
        pass
    return process


def go_on(path, steps):
    assert main(["resume", str(path), "--steps", str(steps)]) == 0
    assert run(path / "whole", steps=steps) == 0
    assert files(path) == files(path / "whole")
    assert calls(path) == calls(path / "whole")


@quick
def test_ctrl_c_ends_after_the_step_with_checkpoint_and_report(tmp_path):
    process = begin(tmp_path)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 1
    done = RunDirectory(tmp_path).read_manifest()["steps_done"]
    assert out == f"{tmp_path / 'report.html'}\n"
    assert "stopping after this step; Ctrl-C once more stops at once" in err
    last = f"irollan: stopped after step {done} of 100000; go on with: irollan resume {tmp_path}"
    assert err.splitlines()[-1] == last
    assert RunDirectory(tmp_path).read_manifest()["status"] == "stopped"
    assert len(RunDirectory(tmp_path).records()) == 6 * done
    assert (tmp_path / "checkpoints" / f"step-{done:07d}.json").is_file()
    go_on(tmp_path, done + 2)


def test_a_run_that_was_killed_goes_on_from_its_last_checkpoint(tmp_path, capsys):
    process = begin(tmp_path, "--set", "recording.checkpoint_every=3")
    process.kill()
    process.communicate(timeout=60)
    done = len(RunDirectory(tmp_path).records()) // 6
    assert RunDirectory(tmp_path).read_manifest()["status"] == "running"
    assert main(["report", str(tmp_path)]) == 0
    assert capsys.readouterr().out == f"{tmp_path / 'report.html'}\n"
    go_on(tmp_path, done + 2)


@quick
def test_force_replaces_a_run(tmp_path, capsys):
    assert run(tmp_path, steps=2) == 0
    before = files(tmp_path)
    assert run(tmp_path, "--seed", "1", steps=2) == 2
    assert "holds a run already; give another --out, or --force to replace it" in capsys.readouterr().err
    assert files(tmp_path) == before
    assert run(tmp_path, "--seed", "1", "--force", "--json", steps=2) == 0
    answer = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert (answer["status"], answer["steps"], answer["run"]) == ("finished", 2, str(tmp_path))
    assert 0 < answer["calls_per_resident_step"] < 10
    assert answer["tokens_per_resident_step"] > 0
    assert files(tmp_path) != before
    assert len(RunDirectory(tmp_path).records()) == 12


@quick
def test_the_directory_names_itself(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for _ in range(2):
        assert main(["run", "--model", "scripted", "--steps", "1", "--seed", "9"]) == 0
    names = [path.name for path in sorted((tmp_path / "runs").iterdir())]
    assert len(names) == 2
    assert all(name.startswith("itcma-s-scripted-seed9-") for name in names)


def test_a_run_asks_about_a_place_never_seen_once_and_says_who_asked(whole):
    asked = [call for call in calls(whole(7)) if call.caller.module == "protention"]
    assert 1 < len(asked) == len({call.request.key for call in asked}) == len({c.caller.resident for c in asked})
    named = [call for record in RunDirectory(whole(7)).records() for call in record["calls"]]
    assert all(named.count(call.usage.call) >= 1 for call in asked)
    assert any(named.count(call.usage.call) > 1 for call in asked)


@quick
def test_a_run_whose_minds_another_version_saved_is_refused_and_left_as_it_is(tmp_path, capsys, monkeypatch):
    assert run(tmp_path / "old") == 0
    newest = max((tmp_path / "old" / "checkpoints").iterdir())
    newest.unlink()  # as after a kill: records go beyond the last checkpoint
    before = {path.name: path.read_bytes() for path in (tmp_path / "old").rglob("*") if path.is_file()}
    capsys.readouterr()
    monkeypatch.setattr("itcma_s.mind_state.VERSION", VERSION + 1)
    assert main(["resume", str(tmp_path / "old"), "--steps", "5"]) == 2
    told = capsys.readouterr().err
    assert f"a saved mind must be of version {VERSION + 1}, got {VERSION}" in told
    assert "irollan branch" in told
    assert {path.name: path.read_bytes() for path in (tmp_path / "old").rglob("*") if path.is_file()} == before
