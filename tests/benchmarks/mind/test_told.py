"""What compression and blending save of what is told, in the same words."""

import pytest
from configs import run_config

from benchmarks.mind.told import savings
from evaluation.runs.progress import progress_on
from evaluation.runs.start import start


def test_the_same_moments_are_told_three_ways_at_each_level_of_detail():
    lines = []
    found = {one.name: one.value for one in savings(lines.append, steps=8, seeds=(0,))}
    assert len(found) == 9
    assert lines == ["telling 8 steps of itcma, seed 0, three ways at 3 levels of detail"]
    told = {
        detail: [found[f"awakened memory told by {detail}, {way}"] for way in ("frame by frame", "compressed")]
        for detail in ("deeds", "names", "positions")
    }
    for frames, compressed in told.values():
        assert 0 < compressed < frames
    # Positions are what a field takes, and what blending leaves out.
    blended = {detail: found[f"awakened memory told by {detail}, compressed and blended"] for detail in told}
    assert blended["positions"] < 0.7 * told["positions"][1]
    assert told["deeds"][0] < told["names"][0] < told["positions"][0] / 3


def test_a_run_that_calls_up_no_window_has_nothing_to_be_told(tmp_path):
    start(run_config(model="scripted", steps=2), progress_on(), out=tmp_path / "run", write_report=None)
    with pytest.raises(ValueError, match="calls up no windows of memory"):
        list(savings(lambda line: None, runs=[tmp_path / "run"]))
