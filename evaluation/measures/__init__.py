"""Objective measures of a run, from its records; docs/measures.md has the formula and the source of each."""

from evaluation.measures.catalogue import MEASURES, Measure
from evaluation.measures.data_frames import actions, turns
from evaluation.measures.table import measure, measure_runs, one_row_per_run
from evaluation.records.recorded_run import RecordedRun, read_run

__all__ = [
    "MEASURES",
    "Measure",
    "RecordedRun",
    "actions",
    "measure",
    "measure_runs",
    "one_row_per_run",
    "read_run",
    "turns",
]
