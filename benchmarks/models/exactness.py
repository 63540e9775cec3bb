"""Byte-for-byte reproducibility of runs with one seed on an embedded model, with and without kills, and its cost."""

from __future__ import annotations

import hashlib
import multiprocessing
import random
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated

import typer

from benchmarks.models.kills import spawn, steps_done
from benchmarks.reporting import AsJson, as_table_or_json, check_known, progress, table
from evaluation.runs.config_parts import Serving


@dataclass(frozen=True, kw_only=True, slots=True)
class Row:
    """Results of the runs with one way of serving a model.

    Attributes:
        serving: One of ``Serving``.
        runs: Number of runs.
        killed: Number of runs that were killed once and resumed.
        unlike: Number of runs whose records differ from the most frequent ones.
        seconds: Median duration of a run that was not killed, with loading and without a report.
    """

    serving: str
    runs: int
    killed: int
    unlike: int
    seconds: float | None


def command(
    runs: Annotated[int, typer.Option(min=2, help="Runs of each way to serve.")] = 20,
    steps: Annotated[int, typer.Option(min=1, help="Time steps of each run.")] = 10,
    model: Annotated[str, typer.Option(metavar="NAME", help="As irollan run takes it.")] = "smollm2",
    serving: Annotated[
        list[str] | None, typer.Option(metavar="HOW", help="exact or fast; again for both.", show_default="exact")
    ] = None,
    load: Annotated[int, typer.Option(min=0, help="Busy processes beside every third run.")] = 2,
    as_json: AsJson = False,
) -> int:
    """Run a society several times from one seed, and compare the records byte for byte.

    Every other run is killed with SIGKILL at a random moment, and resumed. The exit status is 1 if exact runs
    differ.
    """
    check_known("serving", serving or (), tuple(Serving))
    tell = progress("exactness")
    rows = [measure(one, runs, steps, model, load, tell) for one in dict.fromkeys(serving or ["exact"])]
    headings = ["served", "runs", "killed and resumed", "end otherwise than most", "s a run"]
    cells = [
        [row.serving, row.runs, row.killed, row.unlike, "" if row.seconds is None else f"{row.seconds:.0f}"]
        for row in rows
    ]
    as_table_or_json([asdict(row) for row in rows], table(headings, cells), as_json=as_json)
    return int(any(row.unlike for row in rows if row.serving == "exact"))


def measure(serving: str, runs: int, steps: int, model: str, load: int, tell: Callable[[str], None]) -> Row:
    """Make several runs, and compare their records.

    Args:
        serving: One of ``Serving``.
        runs: Number of runs.
        steps: Time steps of each run.
        model: As ``irollan run`` takes it.
        load: Busy processes beside every third run.
        tell: Takes a line about the progress.

    Raises:
        RuntimeError: if a run does not finish.
    """
    rng = random.Random(0)
    found: Counter[str] = Counter()
    whole: list[float] = []
    killed = 0
    with tempfile.TemporaryDirectory() as folder:
        for number in range(runs):
            path = Path(folder) / str(number)
            options = ("--model", model, "--set", f"model.serving={serving}", "--steps", steps, "--out", path)
            began = time.perf_counter()
            with _busy(load if number % 3 == 2 else 0):
                if hit := number % 2 == 1:
                    killed += _killed_once(options, path / "events.jsonl", rng.randrange(steps), rng.uniform(0, 5))
                again = ("resume", path) if (path / "manifest.json").exists() else ("run", *options)
                process = spawn(*again)
                process.join()
            # A run that finished before it could be killed cannot be resumed.
            if process.exitcode != 0 and steps_done(path / "events.jsonl") < steps:
                raise RuntimeError(f"run {number + 1} ended with the exit status {process.exitcode}")
            seconds = time.perf_counter() - began
            if not hit and number % 3 != 2:
                whole.append(seconds)
            sha256 = hashlib.sha256((path / "events.jsonl").read_bytes()).hexdigest()
            found[sha256] += 1
            tell(f"{serving}, run {number + 1} of {runs}: {sha256[:12]} in {seconds:.0f} s{', killed once' * hit}")
    return Row(
        serving=serving,
        runs=runs,
        killed=killed,
        unlike=runs - found.most_common(1)[0][1],
        seconds=sorted(whole)[len(whole) // 2] if whole else None,
    )


def _killed_once(options: tuple[object, ...], events: Path, least: int, seconds: float) -> bool:
    """Start a run and kill it some time after a number of steps; return False if it finished before."""
    process = spawn("run", *options)
    while process.is_alive() and steps_done(events) < least:
        time.sleep(0.05)
    process.join(seconds)
    process.kill()
    process.join()
    return process.exitcode != 0


@contextmanager
def _busy(count: int) -> Iterator[None]:
    """Keep a number of processors busy within a block."""
    processes = [multiprocessing.get_context("forkserver").Process(target=_spin, daemon=True) for _ in range(count)]
    for process in processes:
        process.start()
    try:
        yield
    finally:
        for process in processes:
            process.kill()
            process.join()


def _spin() -> None:
    while True:
        pass
