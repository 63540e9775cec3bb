"""Runs replayed from their transcripts."""

import json
import shutil
import sqlite3

import pytest
from made_up_runs import signed

from evaluation.commands.cli import main
from evaluation.models import backends
from evaluation.records.run_directory import RunDirectory
from language_models.transcript.calls import sha256


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
    said = capsys.readouterr()
    assert said.out.startswith("identical: 4 steps, 24 records, ")
    assert "step 1/4: replaying from the transcript" in said.err
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
    signed(RunDirectory(run))
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
    other = f"Once upon a time.\n{text}"
    database.execute("UPDATE prompts SET hash = ?, text = ? WHERE hash = ?", (sha256(other), other, prompt))
    database.execute("UPDATE calls SET prompt = ? WHERE prompt = ?", (sha256(other), prompt))
    database.commit()
    database.close()
    signed(RunDirectory(run))
    assert main(["replay", str(run), "--json"]) == 1
    output = capsys.readouterr()
    assert "\n-Once upon a time.\n" in output.err
    assert "holds no such generate call of module 'writing'" in output.err.splitlines()[-1]
    answer = json.loads(output.out)
    assert answer["identical"] is False
    assert "-Once upon a time." in answer["difference"]
