"""Run cells on a Ray cluster whose machines share the sweep's directory under the same path.

Ray only distributes the work: each task runs its cells with ``run_here``, and all results are in the sweep's
directory. Ray retries a task whose worker is lost on another worker, which resumes from the checkpoints.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from dataclasses import replace

import ray
from ray.exceptions import RayError

from evaluation.sweeps.cells import Cell, steps_done
from evaluation.sweeps.local import Settings, grouped, run_here
from evaluation.sweeps.sweep_progress import LineDisplay, SweepProgress

LOST = 10
"""Number of retries of a lost worker's cells before they count as failed."""
_POLL = 1.0
_PATIENCE = 60.0  # A worker that Ray has lost may keep running for some seconds.


def run_on_ray(
    cells: Sequence[Cell], settings: Settings, progress: SweepProgress, stop: Callable[[], bool]
) -> dict[str, str]:
    """Run cells on the Ray cluster at RAY_ADDRESS, or else on a local one that is started for this call.

    Args:
        cells: Cells to run.
        settings: Settings of the runs; each task takes ``at_once`` cells and one CPU.
        progress: Where to show progress.
        stop: Returns whether to stop, called every second; tasks are then cancelled at once, and their runs can be
            resumed from checkpoints.

    Returns:
        Why each started but unfinished cell is not finished, by name.
    """
    own = not ray.is_initialized()
    if own:
        ray.init(log_to_driver=False)
    try:
        task = ray.remote(max_retries=LOST)(_run_batch)
        batches = {task.remote(batch, settings): batch for batch in _batches(cells, settings.at_once)}
        return _gather(batches, settings, progress, stop)
    finally:
        if own:
            ray.shutdown()


def _gather(
    batches: dict[ray.ObjectRef[dict[str, str]], list[Cell]],
    settings: Settings,
    progress: SweepProgress,
    stop: Callable[[], bool],
) -> dict[str, str]:
    reasons: dict[str, str] = {}
    waiting = dict(batches)
    while waiting:
        ready, _ = ray.wait(list(waiting), num_returns=1, timeout=_POLL)
        for reference in ready:
            batch = waiting.pop(reference)
            try:
                found: dict[str, str] = ray.get(reference)
            except RayError as error:
                lines = str(error).strip().splitlines()
                found = dict.fromkeys((cell.name for cell in batch), lines[0] if lines else type(error).__name__)
            reasons |= found
            for cell in batch:
                progress.ended(cell.name, found.get(cell.name, ""))
        for cell in (cell for batch in waiting.values() for cell in batch):
            if done := steps_done(settings.runs / cell.name):
                progress.at(cell.name, done, cell.configuration.steps)
        if stop():
            for reference in waiting:
                ray.cancel(reference, force=True)
            break
    return reasons


def _batches(cells: Sequence[Cell], size: int) -> list[list[Cell]]:
    """Split cells that share their models into batches of at most ``size``."""
    return [group[start : start + size] for group in grouped(cells) for start in range(0, len(group), size)]


def _run_batch(batch: list[Cell], settings: Settings) -> dict[str, str]:
    """Run a batch of cells on a worker, without progress output."""
    settings = replace(settings, patience=_PATIENCE)
    return run_here(batch, settings, SweepProgress(LineDisplay(io.StringIO())), lambda: False)
