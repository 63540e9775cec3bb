"""One run from its configuration to its report; going on with one that stopped; reporting on any."""

from __future__ import annotations

import asyncio
import re
import resource
import time
import traceback
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from evaluation import checkpoints, provenance
from evaluation.architectures import get_architecture
from evaluation.assembly import build_society, streams
from evaluation.backends import Backends, RunError, keeping, resolve
from evaluation.budget import Budget, Limits, prices_of
from evaluation.checkpoints import Checkpoint, CheckpointError
from evaluation.configuration import Configuration
from evaluation.interrupts import Interrupts
from evaluation.lineage import with_answers_of_the_parent
from evaluation.outcome import write_outcome
from evaluation.progress import Progress
from evaluation.roles import routed
from evaluation.rollout import rollout
from evaluation.run_directory import DirectoryError, RunDirectory, RunWriter
from evaluation.society import NoAnswerError, Step
from language_models.prices import Price, price_of, read_prices
from language_models.protocol import Embedder, LanguageModel, ModelUnavailable
from language_models.recording import Recorded
from language_models.registry import recorded_name
from language_models.transcript import Transcript

Status = Literal["finished", "stopped", "failed"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Result:
    """How a run ended.

    Attributes:
        directory: Where it is.
        status: Whether all steps are done, it was asked to stop, or something broke.
        steps: How many time steps are done.
        report: The report; None when there is no step to report on.
        error: What broke.
        spent: Which limit stopped it.
    """

    directory: RunDirectory
    status: Status
    steps: int
    report: Path | None
    error: str = ""
    spent: str = ""


def default_directory(configuration: Configuration) -> Path:
    """A name that is not taken: runs/<architecture>-<model>-seed<seed>-<time>."""
    model = configuration.model.rpartition("#")[2] if "#" in configuration.model else configuration.model
    model = re.sub(r"[^A-Za-z0-9._]+", "-", Path(model).name.removesuffix(".gguf")).strip("-.")
    name = f"{configuration.architecture}-{model}-seed{configuration.seed}-{datetime.now():%Y%m%d-%H%M%S}"
    path, count = Path("runs") / name, 1
    while path.exists():
        count += 1
        path = Path("runs") / f"{name}-{count}"
    return path


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
    with backends.open_embedder(progress) as embedder:
        models = backends.load_models(embedder, progress)
        with RunWriter(directory, replace=force) as writer:
            writer.truncate(writer.first_sizes())
            return live(configuration, models, embedder, writer, manifest, progress, None)


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


def resume(path: Path, progress: Progress, *, steps: int | None = None, limits: Limits | None = None) -> Result:
    """Go on with a run from its last good checkpoint, exactly as if it had never stopped.

    Args:
        path: Its directory.
        progress: Where to show how far it has come.
        steps: Go on to this many steps instead of those it was begun with.
        limits: Other limits than those it was begun with.

    Raises:
        ValueError: if there is no run, nothing left to do, or another process is at it.
        RunError: if the model or the embedder cannot be had, or is another than the run was begun with.
    """
    directory = RunDirectory(path)
    manifest = directory.read_manifest()
    try:
        configuration = Configuration.from_json(manifest["configuration"]["effective"])
        weights, _ = manifest["models"], manifest["versions"]
    except KeyError as error:
        raise DirectoryError(f"{directory.manifest_path} is damaged: it lacks {error}") from error
    except (TypeError, ValueError) as error:
        raise DirectoryError(f"{directory.manifest_path} is damaged: {error}") from error
    if steps is not None:
        configuration = replace(configuration, steps=steps)
        manifest["configuration"]["effective"]["steps"] = steps
    if limits is not None:
        manifest |= accounting(configuration, limits, prices_of(manifest))
    backends = resolve(configuration)
    if backends.weights != weights:
        part = next(part for part in backends.weights if backends.weights[part] != weights.get(part))
        raise RunError(
            f"the {part} {backends.weights[part]['name']} has other files than when {path} was begun, so that nothing "
            "can be gone on with exactly; get those back, or start a new run"
        )
    for note in provenance.differences(manifest):
        progress.say(f"note: {note}")
    with RunWriter(directory) as writer:
        checkpoint = _last_good(writer, manifest, progress)
        done = 0 if checkpoint is None else checkpoint.step
        if done >= configuration.steps and directory.report_path.is_file():
            raise DirectoryError(
                f"{path} has nothing left to do: {done} of {configuration.steps} steps are done; "
                "--steps with a larger number goes on"
            )
        with backends.open_embedder(progress) as embedder:
            models = backends.load_models(embedder, progress)
            writer.truncate(writer.first_sizes() if checkpoint is None else checkpoint.sizes)
            return live(configuration, models, embedder, writer, manifest, progress, checkpoint)


def _last_good(writer: RunWriter, manifest: Mapping[str, Any], progress: Progress) -> Checkpoint | None:
    """The newest checkpoint that goes with the records and the transcript; None for a run that had not begun."""
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


def live(
    configuration: Configuration,
    models: Mapping[str, LanguageModel],
    embedder: Embedder,
    writer: RunWriter,
    manifest: dict[str, Any],
    progress: Progress,
    checkpoint: Checkpoint | None,
) -> Result:
    """Take the steps of a run that is open for writing, then write down how it went.

    Args:
        configuration: What is run.
        models: By name.
        embedder: Compares.
        writer: Of its directory.
        manifest: What it says about itself; changes.
        progress: Where to show how far it has come.
        checkpoint: Where to go on from; None begins.
    """
    directory, began, before = writer.directory, time.monotonic(), float(manifest["seconds"])
    error = spent = ""

    def write(status: Status | Literal["running"], done: int) -> None:
        manifest.update(
            status=status,
            steps_done=done,
            seconds=round(before + time.monotonic() - began, 3),
            peak_memory_mb=round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024),
        )
        manifest.pop("error", None)
        if error:
            manifest["error"] = error
        directory.write_manifest(manifest)

    done = 0 if checkpoint is None else checkpoint.step
    directory.error_path.unlink(missing_ok=True)
    write("running", done)

    def on_step(step: Step) -> None:
        nonlocal done
        done = step.time + 1
        if step.unranked is not None:
            progress.say(f"the matrix had no answer at step {done}: {step.unranked}")
        budget.count_step()
        progress.step(step)

    with Interrupts(progress.say) as interrupts:
        with (
            keeping(embedder, directory.embeddings_path),
            Transcript(directory.transcript_path) as transcript,
            with_answers_of_the_parent(manifest, done, progress) as answering,
        ):
            model = routed(
                configuration.model, configuration.roles, lambda name: Recorded(answering(models[name]), transcript)
            )
            society = build_society(configuration, model, embedder)
            # The matrix asks for the society, in the lane of the empty name.
            transcript.enlist([*society.residents, ""])
            transcript.rewind({} if checkpoint is None else checkpoint.transcript)
            if checkpoint is not None:
                society.set_state(checkpoint.society)
            prices = prices_of(manifest)
            budget = Budget(Limits(**manifest.get("limits", {})), transcript, prices)

            async def take_steps() -> None:
                try:
                    await rollout(
                        society,
                        writer,
                        transcript,
                        steps=configuration.steps,
                        checkpoint_every=configuration.checkpoint_every,
                        prices=prices,
                        on_act=progress.act,
                        on_step=on_step,
                        stop=lambda: interrupts.requested or bool(budget.exhausted),
                    )
                finally:
                    for one in models.values():
                        if (aclose := getattr(one, "aclose", None)) is not None:
                            await aclose()

            progress.begin(done, configuration.steps)
            try:
                asyncio.run(take_steps())
                spent = budget.exhausted if done < configuration.steps else ""
            except (ModelUnavailable, NoAnswerError) as silent:
                error = str(silent)
            except Exception as broken:
                error = f"{type(broken).__name__}: {broken}"
                directory.error_path.write_text("".join(traceback.format_exception(broken)), encoding="utf-8")
            finally:
                progress.end()
                for one in models.values():
                    if (close := getattr(one, "close", None)) is not None:
                        close()
        status: Status = "failed" if error else "finished" if done >= configuration.steps else "stopped"
        write(status, done)
        report = write_outcome(directory, progress, embedder)
    return Result(directory=directory, status=status, steps=done, report=report, error=error, spent=spent)
