"""What compression and blending save of what is told, in the same words."""

import re
from pathlib import Path

import pytest
from configs import run_config
from project import ROOT

from benchmarks.mind.told import savings
from evaluation.runs.progress import progress_on
from evaluation.runs.start import start


def test_the_same_moments_are_told_three_ways_at_each_level_of_detail() -> None:
    lines: list[str] = []
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


def files_of(life: Path) -> dict[Path, bytes]:
    """What stands in a run, but for what SQLite has beside a file as long as somebody else reads it."""
    return {path: path.read_bytes() for path in life.iterdir() if not path.name.endswith(("-shm", "-wal"))}


def test_the_docs_say_what_is_told_of_the_recorded_life_of_itcma() -> None:
    life = ROOT / "examples" / "recorded_life_itcma"
    before = files_of(life)
    found = {one.name: one.value for one in savings(lambda line: None, runs=[life])}
    assert files_of(life) == before
    page = (ROOT / "docs" / "deliberation.md").read_text(encoding="utf-8")
    for way in ("frame by frame", "compressed", "compressed and blended"):
        row = [
            f"{found[f'awakened memory told by {detail}, {way}']:,.0f}" for detail in ("deeds", "names", "positions")
        ]
        assert f"| {way} | {' | '.join(row)} |" in page


def test_a_run_that_calls_up_no_window_has_nothing_to_be_told(tmp_path: Path) -> None:
    start(run_config(model="scripted", steps=2), progress_on(), out=tmp_path / "run", write_report=None)
    with pytest.raises(ValueError, match=rf"{re.escape(str(tmp_path))}.* calls up no windows of memory; take one of"):
        list(savings(lambda line: None, runs=[tmp_path / "run"]))
