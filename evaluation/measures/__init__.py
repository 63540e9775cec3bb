"""Objective measures of a run, computed from its records.

    from evaluation.measures import measure

    table = measure("runs/mine")
    table.query("level == 'society'")

docs/measures.md has the formula and the source of each measure.
"""

from evaluation.measures.catalogue import MEASURES, Measure
from evaluation.measures.data_frames import RunLike, actions
from evaluation.measures.table import measure, measure_runs, one_row_per_run
from evaluation.measures.turns import turns
from evaluation.records.recorded_run import RecordedRun, read_run

__all__ = [
    "MEASURES",
    "Measure",
    "RecordedRun",
    "RunLike",
    "actions",
    "measure",
    "measure_runs",
    "one_row_per_run",
    "read_run",
    "turns",
]
