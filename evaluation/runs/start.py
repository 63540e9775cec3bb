"""Start a run from a configuration and take it to its end."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from evaluation.records.run_directory import RunDirectory, RunWriter
from evaluation.runs.build_society import find_backends, map_of
from evaluation.runs.checkpoints import rewind
from evaluation.runs.directory_names import default_directory
from evaluation.runs.event_files import notes_on_events
from evaluation.runs.execution import ReportWriter, Result, RunExecution
from evaluation.runs.human_override import TakeoverInterface
from evaluation.runs.manifest import known_prices, new_manifest
from evaluation.runs.progress import Progress, beside
from evaluation.runs.run_config import RunConfig


def start(
    configuration: RunConfig,
    progress: Progress,
    *,
    out: Path | None = None,
    force: bool = False,
    given: Mapping[str, Any] | None = None,
    human: TakeoverInterface | None = None,
    write_report: ReportWriter | None,
) -> Result:
    """Start a run and take it to its end; nothing is written until the models are loaded.

    Args:
        configuration: What to run.
        progress: Where to show how far it has come.
        out: The run directory; ``default_directory`` when None.
        force: Replace a run that is there.
        given: The keys that were given a value, for the manifest.
        human: Where a person sits who lives in it or takes over residents; at the terminal when None, where the second
            cannot be done.
        write_report: What is done once no step follows, also where a step broke; nothing when None.

    Raises:
        ValueError: if the configuration names something that does not exist, or the directory is not free.
        RunError: if the model or the embedder cannot be had.
    """
    valley_map = map_of(configuration)
    backends = find_backends(configuration, human, valley_map=valley_map)
    if human is None:
        progress = beside(configuration, progress)
    for note in notes_on_events(configuration):
        progress.say(f"note: {note}")
    directory = RunDirectory(default_directory(configuration) if out is None else out)
    directory.check_free(force=force)
    manifest = new_manifest(configuration, backends.weights, given or {}, valley_map)
    manifest["prices"] = known_prices(configuration)
    with (
        backends.open_embedder(progress.say) as embedder,
        backends.open_models(embedder, progress.say) as loaded,
        RunWriter(directory, replace=force) as writer,
    ):
        rewind(writer)
        return RunExecution(
            configuration=configuration,
            models=loaded,
            embedder=embedder,
            writer=writer,
            manifest=manifest,
            valley_map=valley_map,
            progress=progress,
            write_report=write_report,
            human=human,
        ).run_alone()
