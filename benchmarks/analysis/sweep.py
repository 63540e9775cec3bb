"""What a sweep costs beside its runs, and what runs gain that share a model in one process.

In each round the same runs are done in three ways, which take turns: each by itself, as `irollan run` does them, but
one after the other in this process; as a sweep, one at a time; as a sweep, two at a time. Overhead is what the second
takes beyond the first, in two parts: until the last run has its report, and the table and the page that compare all
runs. Other programs on the machine disturb the clock more than the processor time, so that both are given. The goals:
an overhead under 2 per cent, and two at a time faster than one after the other.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Annotated, Any

import typer

from benchmarks.reporting import AsJson, as_table_or_json
from evaluation.report.run_report import write_report
from evaluation.runs.progress import PlainProgress
from evaluation.runs.start import start
from evaluation.sweeps import Declaration, sweep
from evaluation.sweeps.sweep_progress import LineDisplay, SweepProgress


def command(
    model: Annotated[str, typer.Option(metavar="NAME", help="As irollan run takes it.")] = "scripted",
    steps: Annotated[int, typer.Option(metavar="N", help="Of each run.")] = 75,
    seeds: Annotated[int, typer.Option(metavar="N", help="How many runs.")] = 4,
    rounds: Annotated[int, typer.Option(metavar="N", help="How often each way has its turn.")] = 3,
    as_json: AsJson = False,
) -> None:
    """Do the same runs by themselves, as a sweep one at a time, and as a sweep two at a time."""
    axes = {"model": (model,), "steps": (steps,), "seed": tuple(range(seeds))}
    found = measure(Declaration(axes=axes), rounds)
    lines = [f"{seeds} runs of {steps} steps, model {model}, median of {rounds} rounds"]
    for name, value in found.items():
        lines.append(f"{name:40}{value:10.2f}" if "overhead" not in name else f"{name:40}{100 * value:9.2f} %")
    as_table_or_json(found, "\n".join(lines), as_json=as_json)


class Clock:
    """Seconds of the clock and of the processor, all threads, since it was made."""

    def __init__(self) -> None:
        self._begun = time.perf_counter(), time.process_time()

    def read(self) -> tuple[float, float]:
        """What it shows."""
        return time.perf_counter() - self._begun[0], time.process_time() - self._begun[1]


class Ends(SweepProgress):
    """A progress that notes when the last run has ended."""

    def __init__(self, clock: Clock) -> None:
        super().__init__(LineDisplay(open(os.devnull, "w")))  # noqa: SIM115
        self.clock = clock
        self.runs_over = (0.0, 0.0)

    def end(self) -> None:
        """No run follows; a table and a page do."""
        self.runs_over = self.clock.read()


def one_by_one(declaration: Declaration, folder: Path) -> dict[str, tuple[float, float]]:
    """Seconds of the runs, each by itself."""
    clock = Clock()
    with open(os.devnull, "w") as nowhere:
        for cell in declaration.cells():
            result = start(
                cell.configuration, PlainProgress(nowhere), out=folder / cell.name, write_report=write_report
            )
            assert result.status == "finished", result.error
    return {"runs": clock.read()}


def swept(declaration: Declaration, folder: Path, at_once: int) -> dict[str, tuple[float, float]]:
    """Seconds until the last run of a sweep ends, and until the sweep does."""
    progress = Ends(Clock())
    result = sweep(declaration, folder, progress, at_once=at_once)
    assert result.status == "finished", result.reasons
    return {"runs": progress.runs_over, "all": progress.clock.read()}


def measure(declaration: Declaration, rounds: int) -> dict[str, Any]:
    """Medians over the rounds: seconds of the runs, and overheads as parts of them."""
    ways: dict[str, Callable[[Path], dict[str, tuple[float, float]]]] = {
        "alone": lambda folder: one_by_one(declaration, folder),
        "one": lambda folder: swept(declaration, folder, 1),
        "two": lambda folder: swept(declaration, folder, 2),
    }
    found: dict[str, list[float]] = {}
    for number in range(-1, rounds):
        with tempfile.TemporaryDirectory() as folder:
            order = list(ways) if number % 2 else list(ways)[::-1]
            took = {name: ways[name](Path(folder) / name) for name in order}
        if number < 0:
            continue  # The first round fills caches and loads what all ways need.
        for index, clock in enumerate(("clock", "processor")):
            alone, one, two = (took[name]["runs"][index] for name in ("alone", "one", "two"))
            found.setdefault(f"seconds of the runs, {clock}", []).append(alone)
            found.setdefault(f"overhead of running, {clock}", []).append(one / alone - 1)
            found.setdefault(f"overhead of comparing, {clock}", []).append((took["one"]["all"][index] - one) / alone)
            if clock == "clock":
                found.setdefault("two at a time / one by one, clock", []).append(two / alone)
    return {name: median(values) for name, values in found.items()}
