"""Cells spread over a Ray cluster, whose machines see the sweep's directory under the same path.

Ray moves work, and nothing else: each task runs its cells as ``run_here`` does, and all that they come to is in the
sweep's directory. A task whose worker is lost is given to another one by Ray, and goes on from the checkpoints.
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
"""How often the cells of a lost worker are run again before they count as failed."""
_POLL = 1.0
_PATIENCE = 60.0  # A worker whose machine is lost to Ray may go on for some seconds.


def run_on_ray(
    cells: Sequence[Cell], settings: Settings, progress: SweepProgress, stop: Callable[[], bool]
) -> dict[str, str]:
    """Run cells as ``run_here`` does, on the Ray cluster that is there (RAY_ADDRESS), or else one on this machine.

    Args:
        cells: What to run.
        settings: How; each task takes as many cells as go on at once in a process, and one CPU.
        progress: Where to show how far they have come.
        stop: Asked every second; tasks are then ended at once, and go on from their checkpoints the next time.

    Returns:
        By name, why each cell that was begun is not finished.
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
    """Cells that share their models, so many at a time."""
    return [group[start : start + size] for group in grouped(cells) for start in range(0, len(group), size)]


def _run_batch(batch: list[Cell], settings: Settings) -> dict[str, str]:
    """What a worker does; nobody reads its standard error."""
    settings = replace(settings, patience=_PATIENCE)
    return run_here(batch, settings, SweepProgress(LineDisplay(io.StringIO())), lambda: False)
