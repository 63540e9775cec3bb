"""Runs and resumes killed with kill -9 at random moments, each gone on with afterwards.

8 kills, each a process of its own; `python -m benchmarks models --part kills` has 200.
"""

import pytest

from benchmarks.models.kills import kill_runs, readable, same, start_run


@pytest.mark.slow
def test_a_killed_run_ends_as_if_it_had_not_been_killed(tmp_path):
    found = kill_runs(8, tmp_path)
    assert (found.kills, found.different, found.unreadable, found.unexpected) == (8, 0, 0, 0)
    # The moments were spread over the run, and resumes were among what was killed, or the test shows little.
    assert len(found.steps_of_runs | found.steps_of_resumes) >= 2
    assert found.resumes >= 1


@pytest.mark.slow
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
