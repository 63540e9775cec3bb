"""Runs replayed from their transcripts."""

import json
import shutil
import sqlite3

import pytest

from evaluation.commands.cli import main
from evaluation.models import backends
from evaluation.records.records import count_whole_steps
from evaluation.records.run_directory import RunDirectory


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    path = tmp_path_factory.mktemp("replay") / "run"
    assert main(["run", "--model", "scripted", "--steps", "4", "--out", str(path)]) == 0
    return path


@pytest.fixture
def run(recorded, tmp_path):
    return shutil.copytree(recorded, tmp_path / "run")


def test_a_run_is_lived_again_to_the_byte(run, capsys, monkeypatch):
    monkeypatch.setattr(backends, "resolve", lambda configuration: pytest.fail("a model was looked for"))
    before = {path: path.read_bytes() for path in run.rglob("*") if path.is_file()}
    assert main(["replay", str(run)]) == 0
    assert capsys.readouterr().out.startswith("identical: 4 steps, 24 records, ")
    assert {path: path.read_bytes() for path in run.rglob("*") if path.is_file()} == before
    (run / "report.html").unlink()
    assert main(["replay", str(run), "--report", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert (answer["identical"], answer["records"], answer["report"]) == (True, 24, str(run / "report.html"))
    assert (run / "report.html").is_file()


def test_a_record_that_differs_is_shown(run, capsys):
    events = run / "events.jsonl"
    records = RunDirectory(run).records()
    records[13]["thought"] = "something that nobody thought"
    events.write_text("".join(json.dumps(r, ensure_ascii=False, separators=(",", ":")) + "\n" for r in records))
    assert main(["replay", str(run)]) == 1
    error = capsys.readouterr().err
    assert '  thought: recorded "something that nobody thought", replayed "' in error
    assert error.splitlines()[-1] == (
        f"irollan: replay: the record of {records[13]['resident']} at time step 2 differs in thought"
    )


def test_a_call_that_is_not_there_shows_the_difference_in_the_prompt(run, capsys):
    database = sqlite3.connect(run / "transcript.sqlite")
    key, prompt, text = database.execute(
        "SELECT key, prompt, text FROM calls JOIN prompts ON prompt = hash WHERE module = 'writing' AND time = 2"
    ).fetchone()
    database.execute("UPDATE calls SET key = 'x' WHERE key = ?", (key,))
    database.execute("UPDATE prompts SET text = ? WHERE hash = ?", (f"Once upon a time.\n{text}", prompt))
    database.commit()
    database.close()
    assert main(["replay", str(run), "--json"]) == 1
    output = capsys.readouterr()
    assert "\n-Once upon a time.\n" in output.err
    assert "holds no such generate call of module 'writing'" in output.err.splitlines()[-1]
    answer = json.loads(output.out)
    assert answer["identical"] is False
    assert "-Once upon a time." in answer["difference"]


def test_a_step_that_is_not_whole_is_passed_over(run, capsys):
    cut(run, 15, 40)
    directory = RunDirectory(run)
    directory.write_manifest({**directory.read_manifest(), "status": "running", "steps_done": 0})  # It was killed.
    assert main(["replay", str(run)]) == 0
    output = capsys.readouterr()
    assert output.out.startswith("identical: 2 steps, 12 records, ")
    assert "the last 3 records are of a time step that is not whole" in output.err
    assert count_whole_steps(directory.events_path, []) == 0
    cut(run, 3)
    assert main(["replay", str(run)]) == 1
    assert capsys.readouterr().err.endswith("events.jsonl has 3 of the 6 records of time step 0\n")
    for records in (0, 1):
        cut(run, 0, 40 * records)
        assert main(["replay", str(run)]) == 1
        output = capsys.readouterr()
        assert output.out == ""
        assert output.err.endswith("events.jsonl has no whole time step to compare yet\n")


@pytest.mark.parametrize(("whole", "left", "of_next"), [(3, 23, 40), (0, 0, 0)])
def test_steps_that_were_done_and_are_lost_are_told_of(run, capsys, whole, left, of_next):
    cut(run, left, of_next)
    before = {path: path.read_bytes() for path in run.rglob("*") if path.is_file()}
    lost = f"{run / 'events.jsonl'} has {whole} of the 4 steps that manifest.json names"
    assert main(["replay", str(run), "--json"]) == 1
    output = capsys.readouterr()
    assert json.loads(output.out) == {"identical": False, "run": str(run), "difference": lost}
    assert output.err.splitlines()[-1] == f"irollan: {lost}"
    hint = f"begin a new run from step {whole} of its transcript with: irollan branch {run} --at {whole}"
    for command in (["report"], ["measures"], ["social"], ["view", "--out", str(run.parent / "view.html")]):
        assert main([command[0], str(run), *command[1:]]) == 2
        assert capsys.readouterr() == ("", f"irollan: {lost}; get it back as it was or {hint}\n")
    assert main(["report", str(run), str(run)]) == 2
    assert lost in capsys.readouterr().err
    assert main(["interview", str(run), "--who", "LL", "How are you?"]) == 2
    assert lost in capsys.readouterr().err
    assert {path: path.read_bytes() for path in run.rglob("*") if path.is_file()} == before
    assert main(["branch", str(run), "--at", str(whole), "--out", str(run.parent / "saved")]) == 0


@pytest.mark.parametrize("number", [2, 20])
def test_a_damaged_record_is_named(run, capsys, number):
    lines = (run / "events.jsonl").read_bytes().splitlines(keepends=True)
    lines[number - 1] = b"{" + lines[number - 1]
    (run / "events.jsonl").write_bytes(b"".join(lines))
    assert main(["replay", str(run)]) == 2
    assert f"irollan: {run / 'events.jsonl'}, line {number} is not JSON: " in capsys.readouterr().err
    lines[0] = b'{"resident": "LL"}\n'
    (run / "events.jsonl").write_bytes(b"".join(lines))
    assert main(["replay", str(run)]) == 2
    assert capsys.readouterr().err.endswith("events.jsonl, line 1 is no record: it lacks 'time'\n")


def cut(run, left, of_next=0):
    """Cut the records of a run after so many, and so many bytes of the next one."""
    lines = (run / "events.jsonl").read_bytes().splitlines(keepends=True)
    (run / "events.jsonl").write_bytes(b"".join(lines[:left]) + b"".join(lines[left:])[:of_next])


def test_what_is_no_run(tmp_path, run, capsys):
    assert main(["replay", str(tmp_path)]) == 2
    assert "is not the directory of a run" in capsys.readouterr().err
    (run / "transcript.sqlite").unlink()
    assert main(["replay", str(run)]) == 2
    assert "lacks events.jsonl or transcript.sqlite" in capsys.readouterr().err
