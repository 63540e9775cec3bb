import gc

import pytest

from evaluation.runs.process import YOUNG, less_garbage_collection


class Knot:
    """Garbage that only a pass of the collector finds."""

    gone = 0

    def __init__(self):
        self.self = self

    def __del__(self):
        Knot.gone += 1


def collected(thing):
    """Whether the collector's passes go through a thing.

    What is left alone is not counted by `gc.get_freeze_count`: Python 3.12 counts what is immortal there as well.
    """
    return any(each is thing for each in gc.get_objects())


def test_what_there_is_is_left_alone_for_a_while_and_what_comes_is_not():
    there, threshold, gone = [Knot.gone], gc.get_threshold(), Knot.gone
    with less_garbage_collection():
        came = [Knot.gone]
        assert not collected(there)
        assert collected(came)
        assert gc.get_threshold() == (YOUNG, *threshold[1:])
        Knot()
        gc.collect()
        assert Knot.gone == gone + 1
    assert collected(there)
    assert gc.get_threshold() == threshold


def test_a_run_that_fails_leaves_the_collector_as_it_was():
    there, threshold = [Knot.gone], gc.get_threshold()
    with pytest.raises(RuntimeError, match="stop"), less_garbage_collection():
        raise RuntimeError("stop")
    assert collected(there)
    assert gc.get_threshold() == threshold


def test_runs_that_overlap_leave_the_collector_as_it_was_and_no_garbage():
    there, threshold, gone = [Knot.gone], gc.get_threshold(), Knot.gone
    first, second = less_garbage_collection(), less_garbage_collection()
    first.__enter__()
    Knot()
    second.__enter__()  # Freezes the knot.
    first.__exit__(None, None, None)
    assert Knot.gone == gone + 1
    assert not collected(there)
    assert gc.get_threshold() == (YOUNG, *threshold[1:])
    second.__exit__(None, None, None)
    assert collected(there)
    assert gc.get_threshold() == threshold
