"""One run from its configuration to its report; going on with one that stopped; reporting on any."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from evaluation.models.backends import Backends, RunError, resolve
from evaluation.models.model_roles import Models, going_on
from evaluation.records.directories import DirectoryError
from evaluation.records.run_directory import RunDirectory, RunWriter
from evaluation.runs import checkpoints, provenance
from evaluation.runs.architectures import get_architecture
from evaluation.runs.budget import Limits, limits_of, prices_of
from evaluation.runs.build_society import streams
from evaluation.runs.checkpoints import Checkpoint, CheckpointError
from evaluation.runs.configuration import Configuration
from evaluation.runs.progress import Progress
from evaluation.runs.run_loop import Result, live
from language_models.prices import Price, price_of, read_prices
from language_models.registry import recorded_name
from language_models.transcript.transcript import Transcript


def default_directory(configuration: Configuration) -> Path:
    """A name that is not taken: runs/<architecture>-<model>-seed<seed>-<time>."""
    model = short_name(configuration.model)
    name = f"{configuration.architecture}-{model}-seed{configuration.seed}-{datetime.now():%Y%m%d-%H%M%S}"
    path, count = Path("runs") / name, 1
    while path.exists():
        count += 1
        path = Path("runs") / f"{name}-{count}"
    return path


def short_name(model: str) -> str:
    """What a model is called in the name of a directory."""
    last = model.rpartition("#")[2] if "#" in model else model
    return re.sub(r"[^A-Za-z0-9._]+", "-", Path(last).name.removesuffix(".gguf")).strip("-.")


def start(
    configuration: Configuration,
    progress: Progress,
    *,
    out: Path | None = None,
    force: bool = False,
    given: Mapping[str, Any] | None = None,
    limits: Limits | None = None,
    prices: Mapping[str, Price] | None = None,
) -> Result:
    """Begin a run and stay with it to its end. Until the models are loaded, nothing is written.

    Args:
        configuration: What to run.
        progress: Where to show how far it has come.
        out: The run directory; ``default_directory`` when None.
        force: Replace a run that is there.
        given: What was asked for by whoever started it, for the manifest.
        limits: The most that it may cost; no limits when None.
        prices: By model; those of ``language_models/prices.toml`` when None.

    Raises:
        ValueError: if the configuration names something that does not exist, or the directory is not free.
        RunError: if the model or the embedder cannot be had.
    """
    backends = resolve(configuration)
    directory = RunDirectory(default_directory(configuration) if out is None else out)
    directory.check_free(force=force)
    prices = read_prices() if prices is None else prices
    manifest = new_manifest(configuration, backends, given or {}) | accounting(configuration, limits, prices)
    with (
        backends.open_embedder(progress) as embedder,
        backends.open_models(embedder, progress) as loaded,
        RunWriter(directory, replace=force) as writer,
    ):
        take_back(writer, None)
        return live(configuration, loaded, embedder, writer, manifest, progress, None)


def new_manifest(configuration: Configuration, backends: Backends, given: Mapping[str, Any]) -> dict[str, Any]:
    """What a run that begins now says about itself.

    Args:
        configuration: What is run.
        backends: What was found for it.
        given: What was asked for by whoever started it.
    """
    architecture = get_architecture(configuration.architecture)
    return {
        "status": "running",
        "steps_done": 0,
        "started": datetime.now(UTC).isoformat(timespec="seconds"),
        "seconds": 0.0,
        "configuration": {
            "given": dict(given),
            "effective": {
                **configuration.to_json(),
                "mechanisms": asdict(architecture.mechanisms),
                "ltrha": architecture.ltrha,
            },
        },
        "seeds": {name: {"entropy": configuration.seed, "spawn_key": name} for name in streams(architecture.ltrha)},
        "models": backends.weights,
        "versions": provenance.versions(),
        "git_revision": provenance.git_revision(),
    }


def accounting(
    configuration: Configuration, limits: Limits | None, prices: Mapping[str, Price]
) -> dict[str, dict[str, Any]]:
    """Limits and prices of a run, as its manifest keeps them.

    Raises:
        ValueError: if the cost is limited and cannot be known.
    """
    limits = Limits() if limits is None else limits
    names = [recorded_name(name) for name in configuration.models]
    limits.check_prices(names, prices)
    known = {name: price for name in names if (price := price_of(name, prices)) is not None}
    return {"limits": limits.to_json(), "prices": {name: asdict(price) for name, price in known.items()}}


def resume(
    path: Path,
    progress: Progress,
    *,
    changes: Mapping[str, Any] | None = None,
    models: Sequence[str] = (),
    limits: Limits | None = None,
    keep_limits: bool = True,
) -> Result:
    """Go on with a run from its last good checkpoint, exactly as if it had never stopped.

    Args:
        path: Its directory.
        progress: Where to show how far it has come.
        changes: Other values than it was begun with for ``steps`` or ``on_failure``, neither of which changes what was
            lived already.
        models: Names, ROLE=NAME or TOML files, with other options of how its models are reached and served; see
            ``evaluation.models.model_roles.going_on``.
        limits: Other limits than those it has.
        keep_limits: Whether a limit stays for which no other is given.

    Raises:
        ValueError: if there is no run, nothing left to do, or another process is at it.
        RunError: if the model or the embedder cannot be had, or is another than the run was begun with.
    """
    directory = RunDirectory(path)
    configuration, manifest = read_begun(directory)
    own = Models(
        model=configuration.model,
        roles=configuration.roles,
        options=configuration.options,
        embedder=configuration.embedder,
    )
    changes = {**(changes or {}), "options": going_on(models, own)}
    configuration = replace(configuration, **changes)
    manifest["configuration"]["effective"] |= changes
    limits = Limits() if limits is None else limits
    if keep_limits:
        limits = limits.over(limits_of(manifest))
    if limits != limits_of(manifest):
        manifest |= accounting(configuration, limits, prices_of(manifest))
    backends = resolve(configuration)
    check_same(directory, manifest, backends, progress)
    with RunWriter(directory) as writer:
        checkpoint = last_good(writer, manifest, progress)
        done = 0 if checkpoint is None else checkpoint.step
        if done >= configuration.steps and directory.report_path.is_file():
            raise DirectoryError(
                f"{path} has nothing left to do: {done} of {configuration.steps} steps are done; "
                "--steps with a larger number goes on"
            )
        with backends.open_embedder(progress) as embedder, backends.open_models(embedder, progress) as loaded:
            take_back(writer, checkpoint)
            return live(configuration, loaded, embedder, writer, manifest, progress, checkpoint)


def read_begun(directory: RunDirectory) -> tuple[Configuration, dict[str, Any]]:
    """The configuration and the manifest of a run that was begun.

    Raises:
        DirectoryError: if there is no run, or its manifest is damaged.
    """
    manifest = directory.read_manifest()
    try:
        configuration = Configuration.from_json(manifest["configuration"]["effective"])
        _ = manifest["models"], manifest["versions"]
    except KeyError as error:
        raise DirectoryError(f"{directory.manifest_path} is damaged: it lacks {error}") from error
    except (TypeError, ValueError) as error:
        raise DirectoryError(f"{directory.manifest_path} is damaged: {error}") from error
    return configuration, manifest


def check_same(directory: RunDirectory, manifest: Mapping[str, Any], backends: Backends, progress: Progress) -> None:
    """Check that a run can be gone on with by these models, and say what else is of another version.

    Raises:
        RunError: if one has other files than when the run was begun.
    """
    weights = manifest["models"]
    if backends.weights != weights:
        part = next(part for part in backends.weights if backends.weights[part] != weights.get(part))
        raise RunError(
            f"the {part} {backends.weights[part]['name']} has other files than when {directory.path} was begun, so "
            "that nothing can be gone on with exactly; get those back, or start a new run"
        )
    for note in provenance.differences(manifest):
        progress.say(f"note: {note}")


def last_good(writer: RunWriter, manifest: Mapping[str, Any], progress: Progress) -> Checkpoint | None:
    """The newest checkpoint that goes with the records and the transcript; None for a run that had not begun.

    Raises:
        CheckpointError: if there is none that can be gone on from.
    """
    directory = writer.directory
    with Transcript(directory.transcript_path) as transcript:

        def check(checkpoint: Checkpoint) -> None:
            writer.check_sizes(checkpoint.sizes)
            transcript.check_position(checkpoint.transcript)

        try:
            checkpoint, passed_over = checkpoints.latest(directory.checkpoints_path, check)
        except CheckpointError as error:
            raise CheckpointError(
                f"{error}; irollan branch {directory.path} --at N begins a new run from step N of its transcript"
            ) from error
    for reason in passed_over:
        progress.say(f"passing over a checkpoint: {reason}")
    if checkpoint is None:
        if directory.events_path.stat().st_size:
            raise CheckpointError(
                f"{directory.checkpoints_path} holds no checkpoint any more; irollan branch {directory.path} --at N "
                "begins a new run from step N of its transcript"
            )
        if manifest.get("parent") is not None:
            raise CheckpointError(f"{directory.path} had not left its parent yet; begin it again with irollan branch")
        progress.say("there is no checkpoint yet: beginning with the first time step")
    elif passed_over:
        progress.say(f"going on from the checkpoint before, with {checkpoint.step} steps done")
    return checkpoint


def take_back(writer: RunWriter, checkpoint: Checkpoint | None) -> None:
    """Remove what a run wrote after a checkpoint, newer checkpoints first; None for all that it wrote.

    A newer one was passed over. Were it left, it would fit by its sizes once the files have grown again.
    """
    checkpoints.discard_after(writer.directory.checkpoints_path, None if checkpoint is None else checkpoint.step)
    writer.truncate(writer.first_sizes() if checkpoint is None else checkpoint.sizes)
