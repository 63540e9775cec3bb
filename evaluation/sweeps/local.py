"""Cells run in this process: one set of models after the other, several runs at a time in one event loop."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from pathlib import Path

from evaluation.models.backends import Backends
from evaluation.models.closing import close_connections
from evaluation.models.errors import RunError
from evaluation.records.directories import BusyError
from evaluation.records.run_directory import RunDirectory, RunWriter
from evaluation.report import run_report
from evaluation.runs import event_loop
from evaluation.runs.build_society import find_backends
from evaluation.runs.checkpoints import Checkpoint, last_good_checkpoint, rewind
from evaluation.runs.costs import prices_of
from evaluation.runs.execution import ReportWriter, Result, RunExecution
from evaluation.runs.manifest import check_same_models, known_prices, new_manifest, read_configuration
from evaluation.sweeps.cells import Cell, state_of
from evaluation.sweeps.sweep_progress import SweepProgress
from language_models.protocol import Embedder, LanguageModel


@dataclass(frozen=True, kw_only=True, slots=True)
class Settings:
    """How cells are run, whichever engine runs them.

    Attributes:
        runs: The folder of the runs.
        at_once: How many runs go on at once in one process, at least 1.
        given: The declaration, for the manifests.
        patience: For how many seconds to wait for another process that writes to a run.
        write_report: What is written when a run is over, in place of its report.

    Raises:
        ValueError: if fewer than 1 run may go on at once.
    """

    runs: Path
    at_once: int = 2
    given: Mapping[str, object] = field(default_factory=dict)
    patience: float = 0.0
    write_report: ReportWriter | None = None

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
            backends = find_backends(group[0].configuration)
            with (
                backends.open_embedder(progress.say) as embedder,
                backends.open_models(embedder, progress.say) as models,
            ):
                event_loop.run(
                    _ConcurrentRuns(backends, models, embedder, settings, progress, stop, reasons).run(group)
                )
        except Exception as error:
            # Loading may fail in as many ways as there are backends; other models may be there nevertheless.
            for cell in group:
                over = state_of(RunDirectory(settings.runs / cell.name), cell.configuration) == "finished"
                if not over and cell.name not in reasons:
                    reasons[cell.name] = _reason(error)
                    progress.ended(cell.name, reasons[cell.name])
    return reasons


def _reason(error: Exception) -> str:
    """What went wrong; with its kind, if it is a defect."""
    predicted = isinstance(error, ValueError | RunError | OSError)
    return str(error) if predicted else f"{type(error).__name__}: {error}"


class _ConcurrentRuns:
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
            await close_connections(self._models.values())

    async def _run(self, cell: Cell) -> str:
        """Run a cell; gives why it is not finished."""
        try:
            result = await self._execute(cell)
        except Exception as error:
            return _reason(error)
        if result is None or result.status == "finished":
            return ""
        return result.error or result.spent or f"stopped after step {result.steps} of {cell.configuration.steps}"

    async def _execute(self, cell: Cell) -> Result | None:
        directory = RunDirectory(self._settings.runs / cell.name)
        progress = self._progress.of(cell)
        if state_of(directory, cell.configuration) == "finished":
            return None
        with await self._open(directory) as writer:
            # Another process may have been at it until now.
            state = state_of(directory, cell.configuration) if directory.manifest_path.is_file() else "missing"
            checkpoint: Checkpoint | None = None
            if state == "finished":
                return None
            if state == "missing":
                configuration = cell.configuration
                manifest = new_manifest(configuration, self._backends.weights, self._settings.given)
                manifest["prices"] = known_prices(configuration)
            else:
                before, manifest = read_configuration(directory)
                check_same_models(directory, manifest, self._backends, progress)
                limits = cell.configuration.limits.over(before.limits)
                configuration = replace(cell.configuration, limits=limits)
                manifest["configuration"]["effective"] = configuration.to_json()
                manifest["prices"] = known_prices(configuration, prices_of(manifest))
                checkpoint = last_good_checkpoint(writer, manifest, progress)
            rewind(writer, checkpoint)
            embedder = self._backends.of_one_run(self._embedder)
            execution = RunExecution(
                configuration=configuration,
                models=self._models,
                embedder=embedder,
                writer=writer,
                manifest=manifest,
                progress=progress,
                checkpoint=checkpoint,
                write_report=self._settings.write_report or run_report.write_report,
            )
            await execution.take_steps(self._stop)
            async with self._drawing:
                # The others go on meanwhile.
                return await asyncio.to_thread(execution.finish)

    async def _open(self, directory: RunDirectory) -> RunWriter:
        until = time.monotonic() + self._settings.patience
        while True:
            try:
                return RunWriter(directory)
            except BusyError:
                if time.monotonic() >= until:
                    raise
            await asyncio.sleep(0.2)
