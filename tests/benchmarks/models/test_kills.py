"""Runs and resumes killed with kill -9 at random moments, each gone on with afterwards.

20 kills; `python -m benchmarks models --part kills` has 200.
"""

import pytest

from benchmarks.models import kills
from benchmarks.models.kills import kill_runs, readable, same, spawn, start_run, steps_done


@pytest.mark.slow
def test_a_killed_run_ends_as_if_it_had_not_been_killed(tmp_path):
    found = kill_runs(20, tmp_path)
    assert (found.kills, found.different, found.unreadable, found.unexpected) == (20, 0, 0, 0)
    # The moments were spread over the run, and resumes were among what was killed, or the test shows little.
    assert len(found.steps_of_runs | found.steps_of_resumes) >= 4
    assert found.resumes >= 4


def test_an_exit_status_that_is_not_as_it_should_be_is_noticed(tmp_path, monkeypatch):
    monkeypatch.setattr(kills, "resume_run", lambda path: spawn("resume", path / "elsewhere"))
    found = kill_runs(1, tmp_path)
    assert (found.unexpected, found.different) == (1, 1)


def test_to_look_at_what_a_kill_left_changes_nothing_of_it(tmp_path):
    run = start_run(tmp_path)
    while steps_done(tmp_path / "events.jsonl") < 1:
        run.join(0.001)
    run.kill()
    run.join()
    left = {file.name: file.read_bytes() for file in tmp_path.rglob("*") if file.is_file()}
    # What SQLite has to bring in when the transcript is next opened.
    assert left["transcript.sqlite-wal"]
    assert readable(tmp_path)
    assert {file.name: file.read_bytes() for file in tmp_path.rglob("*") if file.is_file()} == left


def test_what_is_unreadable_or_different_is_noticed(tmp_path):
    for name in ("one", "other"):
        start_run(tmp_path / name).join()
    assert readable(tmp_path / "one")
    assert same(tmp_path / "one", tmp_path / "other")
    events = tmp_path / "one" / "events.jsonl"
    events.write_bytes(events.read_bytes()[:-2])
    assert not same(tmp_path / "one", tmp_path / "other")
    transcript = tmp_path / "one" / "transcript.sqlite"
    transcript.write_bytes(transcript.read_bytes()[:9000])
    assert not readable(tmp_path / "one")
    for checkpoint in (tmp_path / "other" / "checkpoints").iterdir():
        checkpoint.write_bytes(checkpoint.read_bytes()[:-10])
    assert not readable(tmp_path / "other")
