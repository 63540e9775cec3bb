"""What a call of the embedded model took, worked by hand."""

from __future__ import annotations

from typing import Any

import pytest

from language_models.local import llama_usage
from language_models.local.llama_usage import UsageMeter, covered_seconds
from language_models.protocol import Usage


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def perf_counter(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(llama_usage, "time", clock)
    return clock


def answer(reading: float, writing: float) -> dict[str, Any]:
    """An answer for which llama.cpp read and wrote for so many seconds."""
    counts = {"prompt_tokens": 10, "completion_tokens": 3, "prompt_tokens_details": {"cached_tokens": 8}}
    return {"usage": counts, "timings": {"prompt_ms": 1000 * reading, "predicted_ms": 1000 * writing}}


@pytest.mark.parametrize(
    ("spans", "seconds"),
    [
        ([], 0.0),
        ([(1.0, 3.0)], 2.0),
        ([(4.0, 5.0), (1.0, 3.0)], 3.0),  # one after another, in any order
        ([(1.0, 3.0), (3.0, 4.0)], 3.0),
        ([(1.0, 3.0), (1.0, 3.0), (1.0, 2.0)], 2.0),  # side by side: the longest
        ([(1.0, 9.0), (2.0, 3.0), (4.0, 5.0)], 8.0),  # within another
        ([(1.0, 3.0), (2.0, 6.0), (8.0, 9.0)], 6.0),
    ],
)
def test_moments_that_several_spans_have_count_once(spans: list[tuple[float, float]], seconds: float) -> None:
    assert covered_seconds(spans) == seconds


def test_a_call_waited_while_none_of_its_requests_was_computed(clock: Clock) -> None:
    meter = UsageMeter()
    clock.now = 3.0
    assert meter.add(answer(0.5, 0.5)) == Usage(prompt_tokens=10, cached_tokens=8, generated_tokens=3)
    clock.now = 3.5
    meter.add(answer(0.25, 1.0))  # from 2.25 on, beside the one before
    clock.now = 6.0
    meter.add(answer(0.5, 1.0))
    # From 0 to 2 and from 3.5 to 4.5 nothing of it had a slot.
    assert meter.total() == Usage(
        prompt_tokens=30, cached_tokens=24, generated_tokens=9, seconds=6.0, waiting=pytest.approx(3.0)
    )


def test_what_is_done_beside_llama_is_no_waiting(clock: Clock) -> None:
    meter = UsageMeter()
    with meter.working():
        clock.now = 2.0
    clock.now = 7.0
    meter.add(answer(1.0, 3.0))
    assert (meter.total().seconds, meter.total().waiting) == (7.0, pytest.approx(1.0))


def test_a_call_never_waited_for_less_than_nothing(clock: Clock) -> None:
    """llama.cpp has a clock of its own."""
    meter = UsageMeter()
    clock.now = 1.0
    meter.add(answer(0.6, 0.5))
    assert meter.total().waiting == 0.0
    assert UsageMeter().total() == Usage()
