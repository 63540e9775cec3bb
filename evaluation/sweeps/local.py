"""Cells run in this process: one set of models after the other, several runs at a time in one event loop."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path

from evaluation.models.backends import Backends, RunError, hang_up, resolve
from evaluation.records.directories import BusyError
from evaluation.records.run_directory import RunDirectory, RunWriter
from evaluation.runs import event_loop
from evaluation.runs.budget import Limits, limits_of, prices_of
from evaluation.runs.checkpoints import Checkpoint
from evaluation.runs.run_loop import Life, Result
from evaluation.runs.start import accounting, check_same, last_good, new_manifest, read_begun, take_back
from evaluation.sweeps.cells import Cell, state_of
from evaluation.sweeps.sweep_progress import SweepProgress
from language_models.prices import Price
from language_models.protocol import Embedder, LanguageModel


@dataclass(frozen=True, kw_only=True, slots=True)
class Settings:
    """How cells are run, whichever engine runs them.

    Attributes:
        runs: The folder of the runs.
        at_once: How many runs go on at once in one process, at least 1.
        limits: The most that each run may cost; None for what it was begun with, or no limits.
        prices: What tokens cost, by model.
        given: The declaration, for the manifests.
        patience: For how many seconds to wait for another process to let go of a run.

    Raises:
        ValueError: if fewer than 1 run may go on at once.
    """

    runs: Path
    at_once: int = 2
    limits: Limits | None = None
    prices: Mapping[str, Price] = field(default_factory=dict)
    given: Mapping[str, object] = field(default_factory=dict)
    patience: float = 0.0

    def __post_init__(self) -> None:
        if self.at_once < 1:
            raise ValueError(f"at-once must be at least 1 run, got {self.at_once}")


def grouped(cells: Iterable[Cell]) -> list[list[Cell]]:
    """Cells that share their models, together, in the order of the first of each."""
    listed = list(cells)
    first = list(dict.fromkeys(cell.backends for cell in listed))
    ordered = sorted(listed, key=lambda cell: first.index(cell.backends))
    return [list(group) for _, group in groupby(ordered, key=lambda cell: cell.backends)]


def run_here(
    cells: Sequence[Cell], settings: Settings, progress: SweepProgress, stop: Callable[[], bool]
) -> dict[str, str]:
    """Run cells that are missing, and go on with those that were begun.

    Args:
        cells: What to run; one that is finished is passed over.
        settings: How.
        progress: Where to show how far they have come.
        stop: Asked after each step of each run, and before each run.

    Returns:
        By name, why each cell that was begun is not finished. One cell does not stop the others.
    """
    reasons: dict[str, str] = {}
    for group in grouped(cells):
        if stop():
            break
        try:
            backends = resolve(group[0].configuration)
            with backends.open_embedder(progress) as embedder, backends.open_models(embedder, progress) as models:
                event_loop.run(_Together(backends, models, embedder, settings, progress, stop, reasons).run(group))
        except Exception as error:
            # Loading may fail in as many ways as there are backends; other models may be there nevertheless.
            for cell in group:
                over = state_of(RunDirectory(settings.runs / cell.name), cell.configuration) == "finished"
                if not over and cell.name not in reasons:
                    reasons[cell.name] = _said(error)
                    progress.ended(cell.name, reasons[cell.name])
    return reasons


def _said(error: Exception) -> str:
    """What went wrong; with its kind, if it is a defect."""
    foreseen = isinstance(error, ValueError | RunError | OSError)
    return str(error) if foreseen else f"{type(error).__name__}: {error}"


class _Together:
    """Runs that share models and an event loop."""

    def __init__(
        self,
        backends: Backends,
        models: Mapping[str, LanguageModel],
        embedder: Embedder,
        settings: Settings,
        progress: SweepProgress,
        stop: Callable[[], bool],
        reasons: dict[str, str],
    ) -> None:
        self._backends = backends
        self._models = models
        self._embedder = embedder
        self._settings = settings
        self._progress = progress
        self._stop = stop
        self._reasons = reasons
        # Figures change global state of Matplotlib while they are drawn.
        self._drawing = asyncio.Lock()

    async def run(self, cells: Sequence[Cell]) -> None:
        """Run cells, so many at a time."""
        waiting = iter(cells)

        async def one_after_the_other() -> None:
            for cell in waiting:
                if self._stop():
                    return
                reason = await self._run(cell)
                if reason:
                    self._reasons[cell.name] = reason
                self._progress.ended(cell.name, reason)

        try:
            await asyncio.gather(*(one_after_the_other() for _ in range(self._settings.at_once)))
        finally:
            await hang_up(self._models.values())

    async def _run(self, cell: Cell) -> str:
        """Run a cell; gives why it is not finished."""
        try:
            result = await self._live(cell)
        except Exception as error:
            return _said(error)
        if result is None or result.status == "finished":
            return ""
        return result.error or result.spent or f"stopped after step {result.steps} of {cell.configuration.steps}"

    async def _live(self, cell: Cell) -> Result | None:
        directory = RunDirectory(self._settings.runs / cell.name)
        progress = self._progress.of(cell)
        if state_of(directory, cell.configuration) == "finished":
            return None
        with await self._hold(directory) as writer:
            # Another process may have been at it until now.
            state = state_of(directory, cell.configuration) if directory.manifest_path.is_file() else "missing"
            checkpoint: Checkpoint | None = None
            if state == "finished":
                return None
            if state == "missing":
                manifest = new_manifest(cell.configuration, self._backends, self._settings.given)
                manifest |= accounting(cell.configuration, self._settings.limits, self._settings.prices)
            else:
                _, manifest = read_begun(directory)
                check_same(directory, manifest, self._backends, progress)
                if self._settings.limits is not None:
                    limits = self._settings.limits.over(limits_of(manifest))
                    manifest |= accounting(cell.configuration, limits, prices_of(manifest))
                checkpoint = last_good(writer, manifest, progress)
            take_back(writer, checkpoint)
            embedder = self._backends.of_one_run(self._embedder)
            life = Life(cell.configuration, self._models, embedder, writer, manifest, progress, checkpoint)
            await life.take_steps(self._stop)
            async with self._drawing:
                # The others go on meanwhile.
                return await asyncio.to_thread(life.conclude)

    async def _hold(self, directory: RunDirectory) -> RunWriter:
        until = time.monotonic() + self._settings.patience
        while True:
            try:
                return RunWriter(directory)
            except BusyError:
                if time.monotonic() >= until:
                    raise
            await asyncio.sleep(0.2)
