"""Objective measures of a run, from its records; docs/measures.md has the formula and the source of each."""

from evaluation.measures.catalogue import MEASURES, Measure
from evaluation.measures.recorded_run import RecordedRun, actions, read_run, turns
from evaluation.measures.table import measure, measure_runs, one_row_per_run

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
