"""Live pairs of runs with and without events, and compare them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pandas as pd

from evaluation.effects.comparison import ARMS, WITH, WITHOUT, compare_pairs, compare_steps
from evaluation.effects.html_page import describe_primary, write_page
from evaluation.effects.outcomes import outcomes_of, values_by_step, variables_of_run
from evaluation.html_theme.templates import templates
from evaluation.measures import MEASURES
from evaluation.records.csv_cells import table_to_csv
from evaluation.records.files import write_atomically
from evaluation.records.run_directory import RunDirectory
from evaluation.runs.ancestry import stages
from evaluation.runs.branching import whole_steps
from evaluation.runs.budget import new_limits
from evaluation.runs.config_parts import LimitsConfig
from evaluation.runs.event_files import branch_events, notes_on_events, read_event_file
from evaluation.runs.execution import Status
from evaluation.runs.manifest import known_prices
from evaluation.runs.progress import Progress
from evaluation.sweeps.cells import Cell, Origin
from evaluation.sweeps.directory import SweepDirectory
from evaluation.sweeps.local import Settings
from evaluation.sweeps.sweep import check_names, run_missing
from evaluation.sweeps.sweep_progress import SweepProgress
from evaluation.sweeps.table import runs_table
from irollan_env.hints import check_known
from language_models.embedders.embedding_costs import EmbeddingCosts
from language_models.protocol import Embedder

FEWEST, MOST = 3, 10_000
"""Numbers of pairs: with fewer than three nothing can be said about chance."""


@dataclass(frozen=True, kw_only=True)
class EffectResult:
    """The effect of events.

    Attributes:
        directory: Where the runs, the tables and the page are.
        effects: One row per measure or variable, the primary outcome first: role ("primary" or "exploratory"), kind,
            dimension, outcome, meaning, n (pairs), without and with (means over the runs of each arm), difference (mean
            of the pairs' differences) with its 95 % interval (low, high), p of the paired t test, q (p adjusted by
            Benjamini and Hochberg over the exploratory ones) and why_not, where there is no test.
        pairs: One row per pair and outcome: seed, kind, outcome, without, with, difference.
        steps: The same by time step: quantity, time, n, without, with, difference, low, high (pointwise 95 %).
        runs: One row per run, as of ``SweepResult.table``.
        report: The page; None if no pair is finished.
        status: "finished" if all runs are, "stopped" after Ctrl-C, otherwise "failed".
        reasons: Why each started but unfinished run is not finished, by name.
    """

    directory: SweepDirectory
    effects: pd.DataFrame
    pairs: pd.DataFrame
    steps: pd.DataFrame
    runs: pd.DataFrame
    report: Path | None
    status: Status
    reasons: Mapping[str, str]

    @property
    def primary(self) -> str:
        """The effect on the primary outcome in a sentence; empty where none was named, or no pair is finished."""
        return describe_primary(self.effects)


def effect(
    run: Path,
    events: Path,
    out: Path,
    progress: SweepProgress,
    *,
    at: int = 0,
    seeds: int = 30,
    measures: Sequence[str] = (),
    outcome: str = "",
    at_once: int = 2,
    limits: LimitsConfig | None = None,
) -> EffectResult:
    """Live pairs of runs that differ in whether events happen, and compare them.

    Each run branches off ``run`` with a seed of its own from there on. The two runs of a pair have the same seed, the
    same map and the same draws, and part where an event makes a difference.

    Args:
        run: The run in which all of them begin.
        events: The events file.
        out: Output directory; a part of the same experiment there is completed.
        progress: Where to show progress.
        at: How many time steps of the run come before.
        seeds: How many pairs, with the seeds from 0 on; at least 3.
        measures: Which measures; all when empty.
        outcome: The primary outcome, a measure or a variable: it is tested alone, and the others are exploratory.
        at_once: Number of concurrent runs in a process.
        limits: Cost limits of each run.

    Raises:
        ValueError: before anything is written, for fewer seeds, unknown measures or outcomes, events that cannot
            happen, or a directory that holds something else.
    """
    if not FEWEST <= seeds <= MOST:
        raise ValueError(f"seeds must be at least {FEWEST} pairs and at most {MOST:,}, got {seeds}")
    for name in measures:
        check_known("measure", name, MEASURES)
    if outcome:
        _check_outcome(run, outcome)
        measures = [*measures, *([outcome] if measures and outcome in MEASURES and outcome not in measures else [])]
    directory = SweepDirectory(out)
    cells = _cells(run, read_event_file(events), at, seeds, limits)
    whole_steps(RunDirectory(run), at, progress.say)
    check_names([cells[0], cells[1]])
    known_prices(cells[0].configuration)
    for note in notes_on_events(cells[0].configuration):
        progress.say(f"note: {note}")
    states = directory.check(cells)
    declared = {"effect": {"run": str(run), "events": events.name, "at": at, "seeds": seeds}}
    settings = Settings(runs=directory.runs_path, at_once=at_once, given=declared, write_report=_write_note)
    with directory.open(declared, cells):
        reasons, stopped = run_missing(directory, cells, states, settings, progress)
        progress.say("measuring and comparing the runs ...")
        table = runs_table(directory, cells, ["seed", "world.events"], reasons, progress.say, measured=False)
        table["group"] = [arm_of(name) for name in table["run"]]
        finished = table[table["status"] == "finished"]
        paired = finished[finished["seed"].map(finished["seed"].value_counts()) == len(ARMS)]
        outcomes = outcomes_of(directory, paired, at, measures or tuple(MEASURES), progress.say)
        effects, pairs = compare_pairs(outcomes, outcome)
        curves = values_by_step(directory, paired, at)
        steps = compare_steps(curves)
        for name, frame in (("runs", table), ("effects", effects), ("pairs", pairs), ("steps", steps)):
            write_atomically(directory.path / f"{name}.csv", table_to_csv(frame).encode("utf-8", "backslashreplace"))
        report = None
        if not paired.empty:
            facts = [("Run", str(run)), ("Events", events.name), ("From step", str(at)), ("Pairs", str(seeds))]
            facts += [("Primary outcome", outcome)] if outcome else []
            text = events.read_text(encoding="utf-8")
            report = write_page(directory, facts, text, table, effects, steps, curves)
    whole = bool((table["status"] == "finished").all())
    return EffectResult(
        directory=directory,
        effects=effects,
        pairs=pairs,
        steps=steps,
        runs=table,
        report=report,
        status="finished" if whole else "stopped" if stopped else "failed",
        reasons=reasons,
    )


def _check_outcome(run: Path, name: str) -> None:
    """Check that a run has a measure or a variable of a name.

    Raises:
        ValueError: if not.
    """
    check_known("outcome", name, [*MEASURES, *variables_of_run(RunDirectory(run), 0)["quantity"].unique()])


def arm_of(name: str) -> str:
    """Return the arm of a run by its name."""
    return next(arm for arm in ARMS if name.startswith(f"{arm}-seed"))


def _cells(run: Path, events: Mapping[str, Any], at: int, seeds: int, limits: LimitsConfig | None) -> list[Cell]:
    """Return both runs of each pair, one pair after the other."""
    manifest = RunDirectory(run).read_manifest()
    before = stages(manifest)[-1].configuration
    muted = {**events, "events": [{**event, "muted": True} for event in events["events"]]}
    if before.steps <= at:
        raise ValueError(f"{run} has {before.steps} steps; give --at a smaller number than {at}")
    cells = []
    for seed in range(seeds):
        for arm, own in ((WITH, events), (WITHOUT, muted)):
            happens = branch_events(before.world.events, own, at)
            configuration = before.with_keys({"seed": seed, "world.events": happens})
            configuration = replace(configuration, limits=new_limits(before.limits, limits, keep=True))
            cells.append(Cell(name=f"{arm}-seed{seed}", configuration=configuration, origin=Origin(path=run, at=at)))
    return cells


def _write_note(directory: RunDirectory, progress: Progress, embedder: Embedder, costs: EmbeddingCosts) -> Path:
    """Write a short page in place of a run's report, which says how to create the report."""
    page = templates("evaluation.effects").get_template("run.html").render(path=str(directory.path))
    write_atomically(directory.report_path, page.encode("utf-8", "backslashreplace"))
    return directory.report_path
