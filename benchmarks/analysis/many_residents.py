"""A run of many residents: seconds and bytes of its life, of its report, and of what the viewer opens and looks up."""

from __future__ import annotations

import json
import multiprocessing
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, TypeVar

import typer

from benchmarks.reporting import AsJson, Measurement, machine, progress, show
from evaluation.records.run_directory import RunDirectory
from evaluation.runs import checkpoints
from evaluation.runs.config_parts import Deliberation, MindConfig, ModelConfig, WorldConfig
from evaluation.runs.progress import NoProgress
from evaluation.runs.replay import replay
from evaluation.runs.resume import resume
from evaluation.runs.run_config import RunConfig
from evaluation.runs.start import start
from evaluation.viewer.html_page import page_data, page_of
from evaluation.viewer.run_pages import write_pages
from evaluation.viewer.run_view import RunView

T = TypeVar("T")

REPORT_SECONDS, REPORT_MB, VIEW_SECONDS = 30, 8, 5
"""Goals for 200 residents x 20 steps on 2 idle cores; those of other sizes are in proportion to their decisions."""


def command(
    residents: Annotated[int, typer.Option(min=2, help="How many live in the towns of the run.")] = 200,
    steps: Annotated[int, typer.Option(min=1, help="Time steps of the run.")] = 20,
    as_json: AsJson = False,
) -> int:
    """Run towns by similarity with the scripted model; kill, resume and replay it; time its report and viewer.

    The exit status is 1 if a goal is not reached.
    """
    tell = progress("many_residents")
    with tempfile.TemporaryDirectory() as folder:
        tell(f"running {residents} residents x {steps} steps ...")
        directory, seconds = timed(lambda: run(residents, steps, Path(folder) / "run"))
        life = [
            Measurement(name="run", value=seconds, unit="s"),
            Measurement(name="its directory", value=_megabytes(directory.path), unit="MB"),
        ]
        tell("killing another one after its first step, and resuming it ...")
        killed = kill(residents, steps, Path(folder) / "killed")
        resumed, seconds = timed(lambda: resume(killed, NoProgress(), write_report=None).directory)
        same = resumed.events_path.read_bytes() == directory.events_path.read_bytes()
        life += [
            Measurement(name="resumed after a kill", value=seconds, unit="s"),
            Measurement(name="records of the same bytes", value=float(same), unit="", goal=1),
        ]
        tell("replaying it ...")
        again, seconds = timed(lambda: replay(directory, NoProgress()))
        alike = float(again.rounded == 0)
        life += [
            Measurement(name="replayed", value=seconds, unit="s"),
            Measurement(name="replayed with the same bytes", value=alike, unit="", goal=1),
        ]
        tell("writing the report and the viewer's page ...")
        measurements = [*life, *measure(directory, residents * steps / 4000)]
    show(measurements, machine(), as_json=as_json)
    return int(any(one.reached is False for one in measurements))


def run(residents: int, steps: int, out: Path) -> RunDirectory:
    """Run towns of so many residents, without a report."""
    configuration = RunConfig(
        steps=steps,
        model=ModelConfig(name="scripted"),
        mind=MindConfig(deliberation=Deliberation.SIMILARITY),
        world=WorldConfig(map=f"towns:{residents}"),
    )
    return start(configuration, NoProgress(), out=out, write_report=None).directory


def kill(residents: int, steps: int, out: Path) -> Path:
    """Run towns in another process, and kill it once its first step is kept."""
    process = multiprocessing.get_context("spawn").Process(target=run, args=(residents, steps, out))
    process.start()
    while process.is_alive() and not checkpoints.paths(RunDirectory(out).checkpoints_path):
        time.sleep(0.01)
    process.kill()
    process.join()
    return out


def _megabytes(folder: Path) -> float:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / 1e6


def measure(directory: RunDirectory, size: float) -> list[Measurement]:
    """Measure the pages of a run.

    Args:
        directory: Of the run.
        size: Its decisions, as a multiple of those of 200 residents x 20 steps.
    """
    path, report = timed(lambda: write_pages(directory, NoProgress()))
    page, view = timed(lambda: page_of([page_data(RunView(directory), drawn_only=True)], served="/token"))
    data, _ = timed(lambda: page_data(RunView(directory)))
    assert path is not None
    return [
        Measurement(name="report", value=report, unit="s", goal=REPORT_SECONDS * max(size, 1), at_least=False),
        Measurement(
            name="its size", value=path.stat().st_size / 1e6, unit="MB", goal=REPORT_MB * max(size, 1), at_least=False
        ),
        Measurement(name="viewer's page", value=view, unit="s", goal=VIEW_SECONDS * max(size, 1), at_least=False),
        Measurement(name="its size, looked up later left out", value=len(page.encode()) / 1e6, unit="MB"),
        Measurement(name="all data of the viewer", value=len(json.dumps(data)) / 1e6, unit="MB"),
    ]


def timed(work: Callable[[], T]) -> tuple[T, float]:
    """Return what work returns, and the seconds that it took."""
    began = time.perf_counter()
    return work(), time.perf_counter() - began
