"""Run the missing runs of a sweep, compare all of them, and write the report."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from evaluation.models.errors import RunError
from evaluation.runs.build_society import check_population, find_backends
from evaluation.runs.config_parts import LimitsConfig
from evaluation.runs.execution import Status
from evaluation.runs.manifest import known_prices
from evaluation.runs.process import Interrupts
from evaluation.sweeps.cells import Cell, State, steps_done, with_limits
from evaluation.sweeps.declaration import Declaration
from evaluation.sweeps.directory import SweepDirectory
from evaluation.sweeps.local import Settings, grouped, run_here
from evaluation.sweeps.sweep_progress import SweepProgress
from evaluation.sweeps.table import runs_table


@dataclass(frozen=True, kw_only=True)
class SweepResult:
    """Final status and results of a sweep.

    Attributes:
        directory: Directory of the sweep.
        table: One row per run: its name (run), its varied settings (group), every configuration key by path, its
            status, its cost and, if it is finished, its measures.
        report: Path of the comparison; None if no run is finished.
        status: "finished" if all runs are, "stopped" after Ctrl-C, otherwise "failed".
        reasons: Why each started but unfinished run is not finished, by name.
    """

    directory: SweepDirectory
    table: pd.DataFrame
    report: Path | None
    status: Status
    reasons: Mapping[str, str]


def plan(declaration: Declaration, out: Path) -> Mapping[str, State]:
    """Return the state of each run of a sweep, by name, without running anything.

    Raises:
        ValueError: for an invalid declaration, unknown model names, or a directory that holds something else.
    """
    cells = declaration.cells()
    check_names(cells)
    return SweepDirectory(out).check(cells)


def sweep(
    declaration: Declaration,
    out: Path,
    progress: SweepProgress,
    *,
    at_once: int = 2,
    limits: LimitsConfig | None = None,
) -> SweepResult:
    """Run the missing runs of a sweep, then compare all runs.

    Args:
        declaration: What to run.
        out: Output directory; a partial run of the same sweep there is completed.
        progress: Where to show progress.
        at_once: Number of concurrent runs in a process.
        limits: Cost limits of each run, in addition to those of its configuration.

    Raises:
        ValueError: before anything is written, for an invalid declaration, unknown model names, or a directory that
            holds something else.
    """
    cells = with_limits(declaration.cells(), limits)
    check_names(cells)
    settings = Settings(
        runs=SweepDirectory(out).runs_path,
        at_once=at_once,
        given={"sweep": declaration.to_json()},
    )
    for cell in cells:
        known_prices(cell.configuration)
    directory = SweepDirectory(out)
    states = directory.check(cells)
    with directory.open(declaration.to_json(), cells):
        reasons, stopped = run_missing(directory, cells, states, settings, progress)
        progress.say("measuring and comparing the runs ...")
        table, report = compare(directory, cells, declaration.varied, reasons, progress.say)
    whole = bool((table["status"] == "finished").all())
    status: Status = "finished" if whole else "stopped" if stopped else "failed"
    return SweepResult(directory=directory, table=table, report=report, status=status, reasons=reasons)


def run_missing(
    directory: SweepDirectory,
    cells: Sequence[Cell],
    states: Mapping[str, State],
    settings: Settings,
    progress: SweepProgress,
) -> tuple[Mapping[str, str], bool]:
    """Run the unfinished cells until all are finished or Ctrl-C is pressed.

    Returns:
        Why started runs are not finished, by name; and whether Ctrl-C was pressed.
    """
    todo = [cell for cell in cells if states[cell.name] != "finished"]
    if not todo:
        return {}, False
    done = {cell.name: steps_done(directory.run_of(cell).path) for cell in todo}
    progress.begin({cell.name: cell.configuration.steps for cell in todo}, done, len(cells) - len(todo))
    with Interrupts(progress.say, "the same command") as interrupts:
        try:
            reasons = run_here(todo, settings, progress, lambda: interrupts.requested)
        finally:
            progress.end()
        return reasons, interrupts.requested


def compare(
    directory: SweepDirectory,
    cells: Sequence[Cell],
    varied: Sequence[str],
    reasons: Mapping[str, str],
    say: Callable[[str], None],
) -> tuple[pd.DataFrame, Path | None]:
    """Write the tables and the report of all runs.

    Returns:
        The table of runs, and the path of the report, which is None if no run is finished.
    """
    from evaluation.sweeps.comparison import compare_measures
    from evaluation.sweeps.curves import bands, curves
    from evaluation.sweeps.html_page import write_page

    table = runs_table(directory, cells, varied, reasons, say)
    _write_csv(table, directory.table_path)
    finished = table[table["status"] == "finished"]
    if finished.empty:
        return table, None
    tests = compare_measures(finished)
    _write_csv(tests.table, directory.tests_path)
    drawn = curves(directory, finished)
    _write_csv(drawn, directory.curves_path)
    return table, write_page(directory, table, tests, bands(drawn))


def check_names(cells: Sequence[Cell]) -> None:
    """Check the models, embedders, minds and scenarios of cells; known weights may be absent from this machine.

    Raises:
        ValueError: for an unknown name, a path that does not exist, or too few steps for a scenario.
    """
    for cell in cells:
        check_population(cell.configuration, cell.read_map())
    for group in grouped(cells):
        try:
            find_backends(group[0].configuration, valley_map=group[0].read_map())
        except RunError:
            # Known weights that are absent here: the runs that need them fail with the reason.
            continue


def _write_csv(table: pd.DataFrame, path: Path) -> None:
    from evaluation.records.csv_cells import table_to_csv
    from evaluation.records.files import write_atomically

    write_atomically(path, table_to_csv(table).encode("utf-8", "backslashreplace"))
