import json
import re

import pytest

from evaluation.runs.checkpoints import Checkpoint, CheckpointError, discard_after, latest, load, paths, save


def checkpoint(step):
    return Checkpoint(
        step=step, society={"x": [0.1 + 0.2, 2**100, "\ud800é", None]}, transcript={"": 3}, sizes={"events.jsonl": 5}
    )


def test_what_is_saved_is_loaded(tmp_path):
    path = save(tmp_path / "checkpoints", checkpoint(12))
    assert path.name == "step-0000012.json"
    assert load(path) == checkpoint(12)
    assert list(path.parent.iterdir()) == [path]


def test_the_last_two_are_kept(tmp_path):
    for step in (1, 2, 10, 100):
        save(tmp_path, checkpoint(step))
    assert [load(path).step for path in paths(tmp_path)] == [10, 100]
    save(tmp_path, checkpoint(101), keep=1)
    assert len(paths(tmp_path)) == 1
    with pytest.raises(ValueError, match="keep must be at least 1 checkpoint, got 0"):
        save(tmp_path, checkpoint(102), keep=0)


def test_a_state_that_is_not_json(tmp_path):
    with pytest.raises(ValueError, match="the state after step 3 is not JSON-ready"):
        save(tmp_path, Checkpoint(step=3, society={"x": {1, 2}}, transcript={}, sizes={}))
    with pytest.raises(ValueError, match="the state after step 3 is not JSON-ready"):
        save(tmp_path, Checkpoint(step=3, society={"x": float("nan")}, transcript={}, sizes={}))


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda text: text[: len(text) // 2], "is damaged: JSONDecodeError"),
        (lambda text: text.replace('"step":2', '"step":3'), "does not have the sha256 that it states"),
        (lambda text: "[]", "is damaged: TypeError"),
        (lambda text: text.replace('"version":1', '"version":9'), "of version 9, this program reads version 1"),
    ],
)
def test_a_damaged_one_is_passed_over(tmp_path, damage, message):
    save(tmp_path, checkpoint(1))
    newest = save(tmp_path, checkpoint(2))
    newest.write_text(damage(newest.read_text()))
    with pytest.raises(CheckpointError, match=re.escape(message)):
        load(newest)
    found, damaged = latest(tmp_path)
    assert found.step == 1
    assert [message in str(error) for error in damaged] == [True]


def test_one_that_does_not_go_with_the_run_is_passed_over(tmp_path):
    for step in (1, 2):
        save(tmp_path, checkpoint(step))

    def check(found):
        if found.step > 1:
            raise ValueError("events.jsonl is cut short")

    found, passed_over = latest(tmp_path, check)
    assert found.step == 1
    assert [str(error) for error in passed_over] == ["events.jsonl is cut short"]


def test_those_after_a_step_are_removed_readable_or_not(tmp_path):
    discard_after(tmp_path / "not there", None)
    for step in (9, 10, 11, 100):
        save(tmp_path, checkpoint(step), keep=4)
    (tmp_path / "step-0000100.json").write_text("{")
    discard_after(tmp_path, 10)
    assert [load(path).step for path in paths(tmp_path)] == [9, 10]
    discard_after(tmp_path, None)
    assert paths(tmp_path) == []


def test_none_to_go_on_from(tmp_path):
    assert latest(tmp_path) == (None, [])
    path = save(tmp_path, checkpoint(1))
    path.write_text(json.dumps({"version": 1}))
    with pytest.raises(CheckpointError, match=r"there is no checkpoint in .* to resume from: .* is damaged"):
        latest(tmp_path)
