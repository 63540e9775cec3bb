"""``python -m benchmarks mind``, at its smallest."""

import pytest

from benchmarks.mind import steps
from benchmarks.mind.mind import measure


def test_steps_are_measured_alone_and_together_with_the_memory_that_minds_take(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(steps, "MOST", 8)
    monkeypatch.setattr(steps, "PLAYED", {})
    lines: list[str] = []
    measured, _ = measure([], lines.append, parts=["steps"], society=2)
    found = {one.name: one for one in measured}
    assert [one.goal for one in measured] == [2.0, None, None, 1.0, None, None]
    for who in ("one resident", "2 residents together, each"):
        assert found[f"a step of {who}, without the language model"].value > 0
        assert 0.1 < found[f"memory of {who}"].value < 20
    assert lines[0] == "1 resident remembering 1,000 frames each"


def test_what_cannot_be_measured_is_said() -> None:
    with pytest.raises(
        ValueError, match="part must be one of activation, blending, steps, told, tokens, got 'step'; did you mean"
    ):
        measure([], print, parts=["step"])
    with pytest.raises(ValueError, match="at least 2 residents are stepped together, got 1"):
        measure([], print, parts=["steps"], society=1)
