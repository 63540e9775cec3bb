"""Runs without their figures and their report."""

from contextlib import contextmanager

import pytest


@contextmanager
def empty_reports():
    """An empty file in place of the figures and the report of each run, which take longer than the run."""
    from evaluation.report import run_report

    real = getattr(run_report.write_report, "real", run_report.write_report)

    def touch(directory, *_):
        if not directory.records():
            return None
        directory.pages.mkdir(exist_ok=True)
        directory.report_path.touch()
        return directory.report_path

    touch.real = real
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(run_report, "write_report", touch)
        yield
