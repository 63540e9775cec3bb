"""Run the missing runs of an arena, score all of them, and write the result page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import pandas as pd

from evaluation.arena.declaration import Arena, Entry
from evaluation.arena.html_page import write_page
from evaluation.arena.overview import as_markdown
from evaluation.arena.scoring import row_of, summarised, write_note
from evaluation.records.csv_cells import table_to_csv
from evaluation.records.files import write_atomically
from evaluation.runs.config_parts import LimitsConfig
from evaluation.runs.execution import Status
from evaluation.runs.manifest import known_prices
from evaluation.sweeps.cells import State, state_of, with_limits
from evaluation.sweeps.directory import SweepDirectory
from evaluation.sweeps.local import Settings
from evaluation.sweeps.sweep import check_names, run_missing
from evaluation.sweeps.sweep_progress import SweepProgress


@dataclass(frozen=True, kw_only=True, slots=True)
class ArenaResult:
    """Final status and results of an arena.

    Attributes:
        runs: One row per finished run.
        table: One row per scenario, role and mind; empty if no run is finished.
        page: Path of the HTML page; None if no run is finished.
        status: "finished" if all runs are, "stopped" after Ctrl-C, otherwise "failed".
        reasons: Why each started but unfinished run is not finished, by run name.
    """

    runs: pd.DataFrame
    table: pd.DataFrame
    page: Path | None
    status: Status
    reasons: Mapping[str, str]


def plan(arena: Arena, out: Path) -> Mapping[str, State]:
    """Return the state of each run of an arena, by name, without running anything.

    Raises:
        ValueError: for an invalid arena, or a directory that holds something else.
    """
    cells = [entry.cell for entry in arena.entries()]
    check_names(cells)
    return SweepDirectory(out).check(cells)


def hold(
    arena: Arena,
    out: Path,
    progress: SweepProgress,
    *,
    at_once: int = 2,
    limits: LimitsConfig | None = None,
) -> ArenaResult:
    """Run the missing runs of an arena, then score all runs.

    Args:
        arena: What to run.
        out: Output directory; a partial run of the same arena there is completed.
        progress: Where to show progress.
        at_once: Number of concurrent runs in a process.
        limits: Cost limits of each run, in addition to those of its configuration.

    Raises:
        ValueError: before anything is written, for an invalid arena or a directory that holds something else.
    """
    found = arena.entries()
    cells = with_limits([entry.cell for entry in found], limits)
    entries = [replace(entry, cell=cell) for entry, cell in zip(found, cells, strict=True)]
    check_names(cells)
    for cell in cells:
        known_prices(cell.configuration)
    directory = SweepDirectory(out)
    states = directory.check(cells)
    settings = Settings(
        runs=directory.runs_path,
        at_once=at_once,
        given={"arena": arena.to_json()},
        write_report=write_note,
    )
    with directory.open(arena.to_json(), cells):
        reasons, stopped = run_missing(directory, cells, states, settings, progress)
        progress.say("scoring the runs ...")
        return _scored(arena, entries, directory, reasons, stopped)


def _scored(
    arena: Arena, entries: list[Entry], directory: SweepDirectory, reasons: Mapping[str, str], stopped: bool
) -> ArenaResult:
    """Score the finished runs, and write the tables and the page."""
    over = [one for one in entries if state_of(directory.run_of(one.cell), one.cell.configuration) == "finished"]
    runs = pd.DataFrame([row_of(directory.run_of(entry.cell), entry) for entry in over])
    status: Status = "stopped" if stopped else "failed"
    if len(over) == len(entries):
        status = "finished"
    if not over:
        return ArenaResult(runs=runs, table=pd.DataFrame(), page=None, status=status, reasons=reasons)
    table = summarised(runs, arena.baselines)
    tables = {"runs.csv": table_to_csv(runs), "table.csv": table_to_csv(table)}
    for name, text in {**tables, "table.md": as_markdown(runs, table)}.items():
        write_atomically(directory.path / name, text.encode("utf-8", "backslashreplace"))
    page = write_page(directory, arena, runs, table, len(entries), reasons)
    return ArenaResult(runs=runs, table=table, page=page, status=status, reasons=reasons)
