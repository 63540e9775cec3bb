"""Resume a run from its last good checkpoint."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from evaluation.models.model_roles import options_for_resume
from evaluation.records.directories import DirectoryError
from evaluation.records.run_directory import RunDirectory, RunWriter
from evaluation.runs.budget import new_limits
from evaluation.runs.build_society import find_backends
from evaluation.runs.checkpoints import last_good_checkpoint, rewind
from evaluation.runs.config_parts import LimitsConfig
from evaluation.runs.costs import prices_of
from evaluation.runs.execution import ReportWriter, Result, RunExecution
from evaluation.runs.human_override import TakeoverInterface
from evaluation.runs.manifest import check_files_are_there, check_same_models, known_prices, read_configuration
from evaluation.runs.progress import Progress, beside
from evaluation.runs.run_check import check_run


def resume(
    path: Path,
    progress: Progress,
    *,
    changes: Mapping[str, Any] | None = None,
    models: Sequence[str] = (),
    limits: LimitsConfig | None = None,
    keep_limits: bool = True,
    human: TakeoverInterface | None = None,
    write_report: ReportWriter | None,
) -> Result:
    """Resume a run from its last good checkpoint, with the same result as if it had never stopped.

    Args:
        path: Its directory.
        progress: Where to show how far it has come.
        changes: Other values than it started with for ``steps`` or ``model.on_failure``, neither of which changes
            the steps that are done.
        models: Names, ROLE=NAME or TOML files, with other options of how its models are reached and served; see
            ``evaluation.models.model_roles.options_for_resume``.
        limits: Other limits than those it has.
        keep_limits: Whether a limit stays for which no other is given.
        human: As of ``start``.
        write_report: What is done once no step follows, also where a step broke; nothing when None.

    Raises:
        ValueError: if there is no run, nothing left to do, or another process is at it.
        RunError: if the model or the embedder cannot be had, also because its file is not where it was, or is another
            than the run started with.
    """
    directory = RunDirectory(path)
    configuration, manifest = read_configuration(directory)
    directory.check_vectors()
    asked = configuration.steps
    changes = {**(changes or {}), "model.options": options_for_resume(models, configuration.model.chosen)}
    limits = new_limits(configuration.limits, limits, keep=keep_limits)
    configuration = replace(configuration.with_keys(changes), limits=limits)
    manifest["configuration"]["effective"] = configuration.to_json()
    manifest["prices"] = known_prices(configuration, prices_of(manifest))
    check_files_are_there(directory, configuration, manifest)
    valley_map = directory.read_map()
    backends = find_backends(configuration, human, valley_map=valley_map)
    if human is None:
        progress = beside(configuration, progress)
    check_same_models(directory, manifest, backends, progress)
    with RunWriter(directory) as writer:
        chain, checkpoint = last_good_checkpoint(directory, progress)
        done = 0 if checkpoint is None else checkpoint.step
        if (changes.get("steps") is not None) and configuration.steps < done:
            raise DirectoryError(
                f"{configuration.steps} steps are less than the {done} that are done of {path}; give --steps a larger "
                f"number{f', or leave it out to reach {asked}' if asked > done else ''}"
            )
        if manifest.get("ended"):
            raise DirectoryError(f"{path} has nothing left to do: it ended after {done} steps, by {manifest['ended']}")
        has_ended = manifest.get("status") != "failed" and directory.report_path.is_file()
        if done >= configuration.steps and has_ended and check_run(directory).whole:
            raise DirectoryError(
                f"{path} has nothing left to do: {done} of {configuration.steps} steps are done; "
                "--steps with a larger number continues"
            )
        with backends.open_embedder(progress.say) as embedder, backends.open_models(embedder, progress.say) as loaded:
            rewind(writer, chain, checkpoint)
            return RunExecution(
                configuration=configuration,
                models=loaded,
                embedder=embedder,
                writer=writer,
                manifest=manifest,
                valley_map=valley_map,
                progress=progress,
                checkpoint=checkpoint,
                write_report=write_report,
                human=human,
            ).run_alone()
