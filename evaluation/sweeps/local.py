"""Run cells in this process: one set of models at a time, with concurrent runs in one event loop."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from itertools import groupby
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Lock
from typing import Any

from evaluation.models.backends import Backends
from evaluation.models.closing import close_connections
from evaluation.models.errors import RunError
from evaluation.records.run_directory import RunDirectory, RunWriter
from evaluation.report import run_report
from evaluation.runs import event_loop
from evaluation.runs.branching import Beginning, replay_beginning, whole_steps, write_branch
from evaluation.runs.build_society import find_backends
from evaluation.runs.checkpoints import Checkpoint, last_good_checkpoint, rewind
from evaluation.runs.costs import prices_of
from evaluation.runs.execution import ReportWriter, Result, RunExecution
from evaluation.runs.manifest import check_same_models, known_prices, new_manifest, read_configuration
from evaluation.sweeps.cells import Cell, Origin, state_of, steps_done
from evaluation.sweeps.sweep_progress import SweepProgress
from language_models.protocol import Embedder, LanguageModel


@dataclass(frozen=True, kw_only=True, slots=True)
class Settings:
    """Settings for running cells.

    Attributes:
        runs: Folder of the run directories.
        at_once: Number of concurrent runs in one process, at least 1.
        given: The declaration, stored in the manifests.
        write_report: Writes the page of a completed run; the standard report when None.

    Raises:
        ValueError: if ``at_once`` is below 1.
    """

    runs: Path
    at_once: int = 2
    given: Mapping[str, object] = field(default_factory=dict)
    write_report: ReportWriter | None = None

    def __post_init__(self) -> None:
        if self.at_once < 1:
            raise ValueError(f"at-once must be at least 1 run, got {self.at_once}")


def grouped(cells: Iterable[Cell]) -> list[list[Cell]]:
    """Group cells that share their models, in order of each group's first cell."""
    listed = list(cells)
    first = list(dict.fromkeys(cell.backends for cell in listed))
    ordered = sorted(listed, key=lambda cell: first.index(cell.backends))
    return [list(group) for _, group in groupby(ordered, key=lambda cell: cell.backends)]


def run_here(
    cells: Sequence[Cell], settings: Settings, progress: SweepProgress, stop: Callable[[], bool]
) -> dict[str, str]:
    """Run the missing cells and resume the unfinished ones; a failed cell does not stop the others.

    Args:
        cells: Cells to run; finished ones are skipped.
        settings: Settings of the runs.
        progress: Where to show progress.
        stop: Returns whether to stop; called before each run and after each of its steps.

    Returns:
        Why each started but unfinished cell is not finished, by name.
    """
    reasons: dict[str, str] = {}
    for group in grouped(cells):
        if stop():
            break
        try:
            backends = find_backends(group[0].configuration, valley_map=group[0].read_map())
            with (
                backends.open_embedder(progress.say) as embedder,
                backends.open_models(embedder, progress.say) as models,
            ):
                event_loop.run(
                    _ConcurrentRuns(backends, models, embedder, settings, progress, stop, reasons).run(group)
                )
        except Exception as error:
            # Loading errors depend on the backend, and must not stop groups with other models.
            for cell in group:
                over = state_of(RunDirectory(settings.runs / cell.name), cell.configuration) == "finished"
                if not over and cell.name not in reasons:
                    reasons[cell.name] = _reason(error)
                    progress.ended(cell.name, reasons[cell.name])
    return reasons


def _reason(error: Exception) -> str:
    """Return the message of an error, with its type if it is unexpected."""
    predicted = isinstance(error, ValueError | RunError | OSError)
    return str(error) if predicted else f"{type(error).__name__}: {error}"


class _ConcurrentRuns:
    """Concurrent runs that share models and an event loop."""

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
        # Drawing figures changes global state of Matplotlib.
        self._drawing = asyncio.Lock()
        self._beginning, self._begun, self._kept = Lock(), dict[Origin, Beginning](), ExitStack()

    async def run(self, cells: Sequence[Cell]) -> None:
        """Run the cells, with at most ``at_once`` concurrent runs."""
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
            self._kept.close()
            await close_connections(self._models.values())

    async def _run(self, cell: Cell) -> str:
        """Run a cell, and return why it is not finished; empty if it is."""
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
        with RunWriter(directory) as writer:
            # Another process may have changed the run before the lock was acquired.
            state = state_of(directory, cell.configuration) if directory.manifest_path.is_file() else "missing"
            chain, checkpoint = None, None
            if state == "finished":
                return None
            if state == "started" and cell.origin is not None and not steps_done(directory.path):
                # It was killed while its beginning was replayed, or has no step of its own.
                state = "missing"
            embedder = self._backends.of_one_run(self._embedder)
            valley_map = cell.read_map()
            if state == "missing" and cell.origin is not None:
                configuration = cell.configuration
                # In a thread, so that the other runs continue.
                manifest, checkpoint = await asyncio.to_thread(self._begin, cell, cell.origin, embedder, writer)
            elif state == "missing":
                configuration = cell.configuration
                manifest = new_manifest(configuration, self._backends.weights, self._settings.given, valley_map)
                manifest["prices"] = known_prices(configuration)
            else:
                before, manifest = read_configuration(directory)
                valley_map = directory.read_map()
                check_same_models(directory, manifest, self._backends, progress)
                limits = cell.configuration.limits.over(before.limits)
                configuration = replace(cell.configuration, limits=limits)
                manifest["configuration"]["effective"] = configuration.to_json()
                manifest["prices"] = known_prices(configuration, prices_of(manifest))
                chain, checkpoint = last_good_checkpoint(directory, progress)
            if state == "started" or cell.origin is None:
                rewind(writer, chain, checkpoint)
            execution = RunExecution(
                configuration=configuration,
                models=self._models,
                embedder=embedder,
                writer=writer,
                manifest=manifest,
                valley_map=valley_map,
                progress=progress,
                checkpoint=checkpoint,
                write_report=self._settings.write_report or run_report.write_report,
            )
            await execution.take_steps(self._stop)
            async with self._drawing:
                # In a thread, so that the other runs continue.
                return await asyncio.to_thread(execution.finish)

    def _begin(
        self, cell: Cell, origin: Origin, embedder: Embedder, writer: RunWriter
    ) -> tuple[dict[str, Any], Checkpoint]:
        """Write what comes before a branch; the steps of its parent are replayed for the first one."""
        with self._beginning:
            if origin not in self._begun:
                self._begun[origin] = self._replay(cell, origin)
        given = self._settings.given
        return write_branch(self._begun[origin], cell.configuration, self._backends, embedder, writer, given)

    def _replay(self, cell: Cell, origin: Origin) -> Beginning:
        parent = RunDirectory(origin.path)
        recorded = whole_steps(parent, origin.at, lambda text: None)
        directory = RunDirectory(Path(self._kept.enter_context(TemporaryDirectory(prefix="irollan-"))))
        with RunWriter(directory) as writer:
            embedder = self._backends.of_one_run(self._embedder)
            return replay_beginning(parent, recorded, origin.at, cell.configuration, embedder, writer)
