"""What a sweep costs beside its runs, and what runs gain that share a model in one process.

`python benchmarks/sweep.py [--model NAME] [--steps N] [--seeds N] [--rounds N] [--json]`. In each round the same runs
are done in three ways, which take turns: each by itself, as `irollan run` does them, but one after the other in this
process; as a sweep, one at a time; as a sweep, two at a time. Overhead is what the second takes beyond the first, in
two parts: until the last run has its report, and the table and the page that compare all runs. Other programs on the
machine disturb the clock more than the processor time, so that both are given. The goals: an overhead under 2 per
cent, and two at a time faster than one after the other.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

from evaluation.report.run_report import write_report
from evaluation.runs.progress import PlainProgress
from evaluation.runs.start import start
from evaluation.sweeps import Declaration, sweep
from evaluation.sweeps.sweep_progress import LineDisplay, SweepProgress


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
    clock = Clock()
    with open(os.devnull, "w") as nowhere:
        for cell in declaration.cells():
            result = start(
                cell.configuration, PlainProgress(nowhere), out=folder / cell.name, write_report=write_report
            )
            assert result.status == "finished", result.error
    return {"runs": clock.read()}


def swept(declaration: Declaration, folder: Path, at_once: int) -> dict[str, tuple[float, float]]:
    progress = Ends(Clock())
    result = sweep(declaration, folder, progress, at_once=at_once)
    assert result.status == "finished", result.reasons
    return {"runs": progress.runs_over, "all": progress.clock.read()}


def measure(declaration: Declaration, rounds: int) -> dict[str, Any]:
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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", default="scripted")
    parser.add_argument("--steps", type=int, default=75)
    parser.add_argument("--seeds", type=int, default=4)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    axes = {"model": (asked.model,), "steps": (asked.steps,), "seed": tuple(range(asked.seeds))}
    found = measure(Declaration(axes=axes), asked.rounds)
    if asked.json:
        print(json.dumps(found))
        return
    print(f"{asked.seeds} runs of {asked.steps} steps, model {asked.model}, median of {asked.rounds} rounds")
    for name, value in found.items():
        print(f"{name:40}{value:10.2f}" if "overhead" not in name else f"{name:40}{100 * value:9.2f} %")


if __name__ == "__main__":
    main()
