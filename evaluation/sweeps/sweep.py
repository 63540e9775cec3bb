"""A sweep from its declaration to its report: what is missing is run, then all that is there is compared."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import pandas as pd

from evaluation.models.errors import RunError
from evaluation.runs.build_society import find_backends
from evaluation.runs.config_parts import LimitsConfig
from evaluation.runs.manifest import known_prices
from evaluation.runs.process import Interrupts
from evaluation.sweeps.cells import Cell, State, steps_done, with_limits
from evaluation.sweeps.declaration import Declaration
from evaluation.sweeps.directory import SweepDirectory
from evaluation.sweeps.local import Settings, grouped, run_here
from evaluation.sweeps.sweep_progress import SweepProgress
from evaluation.sweeps.table import runs_table
from irollan_env.hints import did_you_mean

ENGINES = ("local", "ray")
Engine = Callable[[Sequence[Cell], Settings, SweepProgress, Callable[[], bool]], dict[str, str]]


@dataclass(frozen=True, kw_only=True)
class SweepResult:
    """How a sweep ended.

    Attributes:
        directory: Where it is.
        table: One row a run; see ``evaluation.sweeps.table``.
        report: The comparison; None as long as no run is finished.
        status: "finished" when all runs are, "stopped" when it was asked to, "failed" when a run was left behind.
        reasons: By name, why a run is not finished, for those that were begun.
    """

    directory: SweepDirectory
    table: pd.DataFrame
    report: Path | None
    status: Literal["finished", "stopped", "failed"]
    reasons: Mapping[str, str]


def plan(declaration: Declaration, out: Path) -> Mapping[str, State]:
    """How far each run of a sweep has come, by name; nothing is written.

    Raises:
        ValueError: for a declaration that no sweep can have, names that stand for nothing, or a directory that holds
            something else.
    """
    cells = declaration.cells()
    check_names(cells)
    return SweepDirectory(out).check(cells)


def sweep(
    declaration: Declaration,
    out: Path,
    progress: SweepProgress,
    *,
    engine: str = "local",
    at_once: int = 2,
    limits: LimitsConfig | None = None,
) -> SweepResult:
    """Run what is missing of a sweep, then compare all of its runs.

    Args:
        declaration: What to run.
        out: The directory; one that holds a part of the same sweep is completed.
        progress: Where to show how far it has come.
        engine: "local", this process; or "ray", a Ray cluster, which the extra of this name needs.
        at_once: How many runs go on at once in a process.
        limits: The most that each run may cost, beside the limits that its configuration has.

    Raises:
        ValueError: for a declaration that no sweep can have, names that stand for nothing, or a directory that is not
            free. Nothing is written then.
        RunError: if the engine cannot be had.
    """
    run_cells = find_engine(engine)
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
        reasons, stopped = run_missing(directory, cells, states, run_cells, settings, progress)
        progress.say("measuring and comparing the runs ...")
        table, report = compare(directory, cells, declaration.varied, reasons, progress.say)
    whole = bool((table["status"] == "finished").all())
    status: Literal["finished", "stopped", "failed"] = "finished" if whole else "stopped" if stopped else "failed"
    return SweepResult(directory=directory, table=table, report=report, status=status, reasons=reasons)


def run_missing(
    directory: SweepDirectory,
    cells: Sequence[Cell],
    states: Mapping[str, State],
    run_cells: Engine,
    settings: Settings,
    progress: SweepProgress,
) -> tuple[Mapping[str, str], bool]:
    """Run the cells that are not finished, until all are or somebody presses Ctrl-C.

    Returns:
        Why runs failed, by name; and whether Ctrl-C was pressed.
    """
    todo = [cell for cell in cells if states[cell.name] != "finished"]
    if not todo:
        return {}, False
    done = {cell.name: steps_done(directory.run_of(cell).path) for cell in todo}
    progress.begin({cell.name: cell.configuration.steps for cell in todo}, done, len(cells) - len(todo))
    with Interrupts(progress.say) as interrupts:
        try:
            reasons = run_cells(todo, settings, progress, lambda: interrupts.requested)
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
    """Write the table and the report of what is there.

    Returns:
        The table, and the report; None as long as no run is finished.
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
    """Check that the models and embedders of cells exist, or may exist elsewhere.

    Raises:
        ValueError: for a name that is unknown, or a path where nothing is.
    """
    for group in grouped(cells):
        try:
            find_backends(group[0].configuration)
        except RunError:
            # Known weights that are not here: the runs that need them fail, with the reason.
            continue


def find_engine(name: str) -> Engine:
    """What runs cells, by name.

    Raises:
        ValueError: for a name that there is not.
        RunError: if it needs a package that is not installed.
    """
    if name == "local":
        return run_here
    if name != "ray":
        hint = did_you_mean(name, ENGINES)
        raise ValueError(f"unknown engine {name!r}: it must be one of {', '.join(ENGINES)}{hint}")
    try:
        from evaluation.sweeps.on_ray import run_on_ray
    except ImportError as error:
        raise RunError(f"--engine ray needs the package ray ({error}): pip install 'irollan-valley[ray]'") from error
    return run_on_ray


def _write_csv(table: pd.DataFrame, path: Path) -> None:
    from evaluation.records.files import write_atomically

    write_atomically(path, table.to_csv(index=False).encode("utf-8", "backslashreplace"))
