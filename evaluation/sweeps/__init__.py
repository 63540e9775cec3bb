"""Sweeps: run all configurations of a declaration that are still missing, and compare the results."""

from evaluation.sweeps.cells import Cell
from evaluation.sweeps.declaration import Declaration, read_declaration
from evaluation.sweeps.directory import SweepDirectory
from evaluation.sweeps.sweep import SweepResult, sweep

__all__ = ["Cell", "Declaration", "SweepDirectory", "SweepResult", "read_declaration", "sweep"]
