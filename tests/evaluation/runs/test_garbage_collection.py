import gc

import pytest

from evaluation.runs.garbage_collection import YOUNG, less_garbage_collection


class Knot:
    """Garbage that only a pass of the collector finds."""

    gone = 0

    def __init__(self) -> None:
        self.self = self

    def __del__(self) -> None:
        Knot.gone += 1


def test_what_there_is_is_left_alone_for_a_while_and_what_comes_is_not() -> None:
    before, threshold = gc.get_freeze_count(), gc.get_threshold()
    with less_garbage_collection():
        assert gc.get_freeze_count() > before + 1000
        assert gc.get_threshold() == (YOUNG, *threshold[1:])
        Knot()
        gc.collect()
        assert Knot.gone == 1
    assert gc.get_freeze_count() == 0
    assert gc.get_threshold() == threshold


def test_a_run_that_fails_leaves_the_collector_as_it_was() -> None:
    threshold = gc.get_threshold()
    with pytest.raises(RuntimeError, match="stop"), less_garbage_collection():
        raise RuntimeError("stop")
    assert gc.get_freeze_count() == 0
    assert gc.get_threshold() == threshold


def test_runs_that_overlap_leave_the_collector_as_it_was_and_no_garbage() -> None:
    threshold, gone = gc.get_threshold(), Knot.gone
    first, second = less_garbage_collection(), less_garbage_collection()
    first.__enter__()
    Knot()
    second.__enter__()  # Freezes the knot.
    first.__exit__(None, None, None)
    assert Knot.gone == gone + 1
    assert gc.get_freeze_count() > 0
    assert gc.get_threshold() == (YOUNG, *threshold[1:])
    second.__exit__(None, None, None)
    assert gc.get_freeze_count() == 0
    assert gc.get_threshold() == threshold
