"""``python -m benchmarks mind``, at its smallest."""

from benchmarks.mind import steps
from benchmarks.mind.mind import measure


def test_steps_are_measured_alone_and_together_with_the_memory_that_minds_take(monkeypatch):
    monkeypatch.setattr(steps, "MOST", 8)
    monkeypatch.setattr(steps, "PLAYED", {})
    measured, _ = measure([], lambda line: None, parts=["steps"], society=2)
    found = {one.name: one for one in measured}
    assert [one.goal for one in measured] == [2.0, None, None, 1.0, None, None]
    for who in ("one resident", "2 residents together, each"):
        assert found[f"a step of {who}, without the language model"].value > 0
        assert 0.1 < found[f"memory of {who}"].value < 20
