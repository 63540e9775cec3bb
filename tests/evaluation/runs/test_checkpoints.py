import hashlib
import json

import pytest

from evaluation.runs.checkpoints import Checkpoint, CheckpointError, discard_after, latest, load, paths, save

WORLD = {"x": [0.1 + 0.2, 2**100, "\ud800é", None]}


def checkpoint(step, world=WORLD):
    society = {"world": world, "table": None, "residents": {}, "framework": None}
    return Checkpoint(step=step, society=society, transcript={"": 3}, checksum="0")


def signed(content):
    """A checkpoint's file whose sha256 is right, whatever it holds."""
    sha256 = hashlib.sha256(json.dumps(content, separators=(",", ":")).encode()).hexdigest()
    return json.dumps({"version": 2, "sha256": sha256, "content": content})


def test_what_is_saved_is_loaded_and_the_last_two_are_kept(tmp_path):
    for step in (1, 2, 10, 100):
        path = save(tmp_path / "checkpoints", checkpoint(step))
    assert path.name == "step-0000100.json"
    assert load(path) == checkpoint(100)
    assert [load(one).step for one in paths(path.parent)] == [10, 100]
    save(path.parent, checkpoint(101), keep=1)
    assert len(list(path.parent.iterdir())) == 1
    with pytest.raises(ValueError, match="keep must be at least 1 checkpoint, got 0"):
        save(path.parent, checkpoint(102), keep=0)


@pytest.mark.parametrize("value", [{1, 2}, float("nan")])
def test_a_state_that_is_not_json(tmp_path, value):
    with pytest.raises(ValueError, match="the state after step 3 is not JSON-ready"):
        save(tmp_path, checkpoint(3, {"x": value}))


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda text: text[: len(text) // 2], "is damaged"),
        (lambda text: text.replace('"step":2', '"step":3'), "does not have the sha256 that it states"),
        (lambda text: text.replace('"version":2', '"version":9'), "of version 9, this program reads version 2"),
        (lambda text: "[]", "must be a JSON object"),
        (lambda text: "[" * 100_000, "recursion"),
        (lambda text: '{"version": 2}', "sha256: Field required"),
        *((lambda text, content=content: signed(content), "is damaged") for content in (None, 3, [], {}, {"step": 2})),
        (lambda text: signed({**json.loads(text)["content"], "step": "2"}), "step: Input should be a valid integer"),
        (lambda text: signed({**json.loads(text)["content"], "society": {"residents": []}}), "society.world"),
    ],
)
def test_a_damaged_one_is_passed_over(tmp_path, damage, message):
    save(tmp_path, checkpoint(1))
    newest = save(tmp_path, checkpoint(2))
    newest.write_text(damage(newest.read_text()))
    with pytest.raises(CheckpointError, match=message):
        load(newest)
    found, passed_over = latest(tmp_path)
    assert found.step == 1
    assert len(passed_over) == 1


def test_one_that_does_not_go_with_the_run_is_passed_over(tmp_path):
    for step in (1, 2):
        save(tmp_path, checkpoint(step))

    def check(found):
        if found.step > 1:
            raise ValueError("events.jsonl is cut short")

    found, passed_over = latest(tmp_path, check)
    assert (found.step, list(map(str, passed_over))) == (1, ["events.jsonl is cut short"])


def test_those_after_a_step_are_removed_readable_or_not(tmp_path):
    discard_after(tmp_path / "not there", None)
    for step in (9, 10, 11, 100):
        save(tmp_path, checkpoint(step), keep=4)
    (tmp_path / "step-0000100.json").write_text("{")
    discard_after(tmp_path, 10)
    assert [load(path).step for path in paths(tmp_path)] == [9, 10]
    discard_after(tmp_path, None)
    assert latest(tmp_path) == (None, [])
