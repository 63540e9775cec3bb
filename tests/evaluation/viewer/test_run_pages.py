"""Tests of the viewer page that a report links to."""

from viewed import copy_of_life

from evaluation.report import run_report
from evaluation.viewer import run_pages
from evaluation.viewer.run_pages import write_beside, write_pages


class Progress:
    """Progress that records its messages."""

    def __init__(self):
        self.told = []

    def say(self, text):
        self.told.append(text)


def test_the_page_lies_beside_the_report(tmp_path, monkeypatch):
    life, found = copy_of_life(tmp_path / "life", steps=2), [("Who leads", "AY leads.")]

    def write_report(directory, progress, embedder, embeddings, write_view):
        assert write_view(directory, 12, found, progress)
        return directory.report_path

    monkeypatch.setattr(run_report, "write_report", write_report)
    assert write_pages(life, Progress()) == life.report_path
    assert "AY leads." in life.view_path.read_text(encoding="utf-8")


def test_a_run_that_is_too_large_has_none_and_keeps_no_shorter_one(tmp_path, monkeypatch):
    life, progress = copy_of_life(tmp_path / "life", steps=2), Progress()
    assert write_beside(life, 12, [], progress)
    monkeypatch.setattr(run_pages, "MOST_DECISIONS", 11)
    assert not write_beside(life, 12, [], progress)
    assert not life.view_path.exists()
    assert progress.told == [
        f"the run is too large for a page beside its report; see it with: irollan view {life.path}"
    ]
