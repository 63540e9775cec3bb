"""An arena from its declaration to its page: what is missing is run, then all that is there is scored."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import pandas as pd

from evaluation.arena.declaration import Arena, Entry
from evaluation.arena.html_page import write_page
from evaluation.arena.overview import as_markdown
from evaluation.arena.scoring import row_of, summarised, write_note
from evaluation.records.files import write_atomically
from evaluation.runs.config_parts import LimitsConfig
from evaluation.runs.manifest import known_prices
from evaluation.sweeps.cells import State, state_of, with_limits
from evaluation.sweeps.directory import SweepDirectory
from evaluation.sweeps.local import Settings
from evaluation.sweeps.sweep import check_names, find_engine, run_missing
from evaluation.sweeps.sweep_progress import SweepProgress


@dataclass(frozen=True, kw_only=True, slots=True)
class ArenaResult:
    """How an arena ended.

    Attributes:
        runs: One row a finished run.
        table: One row a scenario, role and mind; empty as long as no run is finished.
        page: The page; None as long as no run is finished.
        status: "finished" when all runs are, "stopped" when it was asked to, "failed" when a run was left behind.
        reasons: By run, why it is not finished, for those that were begun.
    """

    runs: pd.DataFrame
    table: pd.DataFrame
    page: Path | None
    status: Literal["finished", "stopped", "failed"]
    reasons: Mapping[str, str]


def plan(arena: Arena, out: Path) -> Mapping[str, State]:
    """How far each run of an arena has come, by name; nothing is written.

    Raises:
        ValueError: for an arena that cannot be, or a directory that holds something else.
    """
    cells = [entry.cell for entry in arena.entries()]
    check_names(cells)
    return SweepDirectory(out).check(cells)


def hold(
    arena: Arena,
    out: Path,
    progress: SweepProgress,
    *,
    engine: str = "local",
    at_once: int = 2,
    limits: LimitsConfig | None = None,
) -> ArenaResult:
    """Run what is missing of an arena, then score all of its runs.

    Args:
        arena: What to run.
        out: The directory; one that holds a part of the same arena is completed.
        progress: Where to show how far it has come.
        engine: "local" or "ray".
        at_once: How many runs go on at once in a process.
        limits: The most that each run may cost, beside the limits that its configuration has.

    Raises:
        ValueError: for an arena that cannot be, or a directory that is not free. Nothing is written then.
        RunError: if the engine cannot be had.
    """
    run_cells = find_engine(engine)
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
        reasons, stopped = run_missing(directory, cells, states, run_cells, settings, progress)
        progress.say("scoring the runs ...")
        return _scored(arena, entries, directory, reasons, stopped)


def _scored(
    arena: Arena, entries: list[Entry], directory: SweepDirectory, reasons: Mapping[str, str], stopped: bool
) -> ArenaResult:
    """Score the runs that are finished, and write the tables and the page."""
    over = [one for one in entries if state_of(directory.run_of(one.cell), one.cell.configuration) == "finished"]
    runs = pd.DataFrame([row_of(directory.run_of(entry.cell), entry) for entry in over])
    status: Literal["finished", "stopped", "failed"] = "stopped" if stopped else "failed"
    if len(over) == len(entries):
        status = "finished"
    if not over:
        return ArenaResult(runs=runs, table=pd.DataFrame(), page=None, status=status, reasons=reasons)
    table = summarised(runs, arena.baselines)
    tables = {"runs.csv": runs.to_csv(index=False), "table.csv": table.to_csv(index=False)}
    for name, text in {**tables, "table.md": as_markdown(runs, table)}.items():
        write_atomically(directory.path / name, text.encode("utf-8", "backslashreplace"))
    page = write_page(directory, arena, runs, table, len(entries), reasons)
    return ArenaResult(runs=runs, table=table, page=page, status=status, reasons=reasons)
