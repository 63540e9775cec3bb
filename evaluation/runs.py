"""One run from its configuration to its report; going on with one that stopped; reporting on any."""

from __future__ import annotations

import asyncio
import re
import resource
import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal, TypeVar

from evaluation import checkpoints, provenance
from evaluation.architectures import get_architecture
from evaluation.assembly import build_society, streams
from evaluation.checkpoints import Checkpoint, CheckpointError
from evaluation.configuration import Configuration
from evaluation.files import nearby
from evaluation.interrupts import Interrupts
from evaluation.progress import Progress
from evaluation.rollout import rollout
from evaluation.run_directory import DirectoryError, RunDirectory, RunWriter
from evaluation.society import NoAnswerError, Step
from language_models.protocol import Embedder, LanguageModel
from language_models.recording import Recorded
from language_models.registry import EMBEDDERS, MODELS, Resolved, resolve_embedder, resolve_model
from language_models.transcript import ModuleUsage, Transcript
from ltrha import Habitus

BackendT = TypeVar("BackendT", LanguageModel, Embedder)
Status = Literal["finished", "stopped", "failed"]


class RunError(RuntimeError):
    """A run that cannot be begun or gone on with, through no fault of the request."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Result:
    """How a run ended.

    Attributes:
        directory: Where it is.
        status: Whether all steps are done, it was asked to stop, or something broke.
        steps: How many time steps are done.
        report: The report; None when there is no step to report on.
        error: What broke.
    """

    directory: RunDirectory
    status: Status
    steps: int
    report: Path | None
    error: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Backends:
    """The model and the embedder of a run, found but not loaded."""

    model: Resolved[LanguageModel]
    embedder: Resolved[Embedder]

    def weights(self) -> dict[str, dict[str, Any]]:
        """Name and file hashes of each, as the manifest has them."""
        return {
            part: {"name": backend.name, "sha256": provenance.weights(backend.path)}
            for part, backend in (("model", self.model), ("embedder", self.embedder))
        }

    def load(self, progress: Progress) -> tuple[LanguageModel, Embedder]:
        """Load both.

        Raises:
            ValueError: if a file that was named is no such model.
            RunError: if one cannot be loaded for any other reason.
        """
        try:
            progress.say(f"loading the embedder {self.embedder.name} ...")
            embedder = self.embedder.build()
            progress.say(f"loading the model {self.model.name} ...")
            if self.model.name.startswith("openai:") or self.model.name == "scripted":
                return self.model.build(), embedder
            return self.model.build(embedder=embedder), embedder
        except (OSError, ImportError, RuntimeError) as error:
            raise RunError(f"cannot load {self.model.name} with {self.embedder.name}: {error}") from error


def resolve(configuration: Configuration) -> Backends:
    """Find the model and the embedder of a configuration.

    Raises:
        ValueError: for a name that is unknown, or a path where nothing is.
        RunError: if the weights of a known name are not on this machine; the message says how to get them.
    """
    return Backends(
        model=_find(resolve_model, configuration.model, MODELS),
        embedder=_find(resolve_embedder, configuration.embedder, EMBEDDERS),
    )


def _find(find: Callable[[str], Resolved[BackendT]], name: str, known: Sequence[str]) -> Resolved[BackendT]:
    try:
        return find(name)
    except FileNotFoundError as error:
        if name in known:
            raise RunError(str(error)) from error
        near = nearby(Path(name).expanduser())
        raise ValueError(f"{error}{f'; did you mean {near}?' if near is not None else ''}") from error


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
) -> Result:
    """Begin a run and stay with it to its end. Until the models are loaded, nothing is written.

    Args:
        configuration: What to run.
        progress: Where to show how far it has come.
        out: The run directory; ``default_directory`` when None.
        force: Replace a run that is there.
        given: What was asked for by whoever started it, for the manifest.

    Raises:
        ValueError: if the configuration names something that does not exist, or the directory is not free.
        RunError: if the model or the embedder cannot be had.
    """
    backends = resolve(configuration)
    directory = RunDirectory(default_directory(configuration) if out is None else out)
    directory.check_free(force=force)
    model, embedder = backends.load(progress)
    architecture = get_architecture(configuration.architecture)
    manifest = {
        "status": "running",
        "steps_done": 0,
        "started": datetime.now(UTC).isoformat(timespec="seconds"),
        "seconds": 0.0,
        "configuration": {
            "given": dict(given or {}),
            "effective": {
                **configuration.to_json(),
                "mechanisms": asdict(architecture.mechanisms),
                "ltrha": architecture.ltrha,
            },
        },
        "seeds": {name: {"entropy": configuration.seed, "spawn_key": name} for name in streams(architecture.ltrha)},
        "models": backends.weights(),
        "versions": provenance.versions(),
        "git_revision": provenance.git_revision(),
    }
    with RunWriter(directory, replace=force) as writer:
        return _live(configuration, model, embedder, writer, manifest, progress, None)


def resume(path: Path, progress: Progress, *, steps: int | None = None) -> Result:
    """Go on with a run from its last good checkpoint, exactly as if it had never stopped.

    Args:
        path: Its directory.
        progress: Where to show how far it has come.
        steps: Go on to this many steps instead of those it was begun with.

    Raises:
        ValueError: if there is no run, nothing left to do, or another process is at it.
        RunError: if the model or the embedder cannot be had, or is another than the run was begun with.
    """
    directory = RunDirectory(path)
    manifest = directory.read_manifest()
    try:
        configuration = Configuration.from_json(manifest["configuration"]["effective"])
        weights, versions = manifest["models"], manifest["versions"]
    except KeyError as error:
        raise DirectoryError(f"{directory.manifest_path} is damaged: it lacks {error}") from error
    except (TypeError, ValueError) as error:
        raise DirectoryError(f"{directory.manifest_path} is damaged: {error}") from error
    if steps is not None:
        configuration = replace(configuration, steps=steps)
        manifest["configuration"]["effective"]["steps"] = steps
    checkpoint, damaged = checkpoints.latest(directory.checkpoints_path)
    for damage in damaged:
        progress.say(f"passing over a checkpoint: {damage}")
    if checkpoint.step >= configuration.steps:
        raise DirectoryError(
            f"{path} has nothing left to do: {checkpoint.step} of {configuration.steps} steps are done; "
            "--steps with a larger number goes on"
        )
    backends = resolve(configuration)
    if (now := backends.weights()) != weights:
        part = next(part for part in now if now[part] != weights.get(part))
        raise RunError(
            f"the {part} {now[part]['name']} has other files than when {path} was begun, so that nothing can be "
            "gone on with exactly; get those back, or start a new run"
        )
    if (revision := provenance.git_revision()) != (before := manifest.get("git_revision")):
        progress.say(f"note: the code is at revision {revision} now and was at {before} when the run was begun")
    for package, version in provenance.versions().items():
        if version != versions.get(package):
            progress.say(f"note: {package} is {version} now and was {versions.get(package)} when the run was begun")
    with RunWriter(directory) as writer:
        model, embedder = backends.load(progress)
        writer.truncate(checkpoint.sizes)
        return _live(configuration, model, embedder, writer, manifest, progress, checkpoint)


def write_outcome(directory: RunDirectory, progress: Progress, embedder: Embedder | None = None) -> Path | None:
    """Draw the figures and write the report of a run from what its directory holds.

    Args:
        directory: Of the run.
        progress: Where to show what goes on.
        embedder: The run's own; found by its name in the manifest when None.

    Returns:
        The report; None when no time step is recorded.

    Raises:
        ValueError: if there is no run, or a file of it is damaged.
    """
    # Matplotlib takes its time to import; what comes before should not wait for it.
    from evaluation.figures import save, save_all
    from evaluation.report import Run, write_report
    from evaluation.social.drawing import network
    from evaluation.society_section import society_section

    manifest, records, rows = directory.read_manifest(), directory.records(), directory.metrics()
    if not records:
        return None
    progress.say("measuring, drawing the figures and writing the report ...")
    usage = [asdict(module) for module in _usage(directory)]
    save_all(records, rows, directory.figures_path)
    society = society_section(records, embedder if embedder is not None else _embedder(manifest, progress))
    if society is not None:
        save(network(society.structure), directory.figures_path / "network.png")
    framework = _framework(directory, progress)
    run = Run(
        manifest=manifest,
        records=records,
        metrics=rows,
        usage=usage,
        habitus={name: _habitus(state) for name, state in framework.get("habitus", {}).items()},
        unranked=framework.get("failures", ()),
        society=society,
    )
    return write_report(run, directory.report_path)


def unanswered(directory: RunDirectory) -> tuple[int, int, str]:
    """Decisions that failed, all decisions, and why the first one failed."""
    records = directory.records()
    failures = [record["failure"] for record in records if record["outcome"] == "failed"]
    return len(failures), len(records), failures[0] if failures else ""


def costs(directory: RunDirectory) -> dict[str, float]:
    """Model calls and tokens, prompt and generated, per resident and step."""
    moments = len(directory.records())
    usage = _usage(directory)
    return {
        "calls_per_resident_step": sum(module.calls for module in usage) / moments,
        "tokens_per_resident_step": sum(module.prompt_tokens + module.generated_tokens for module in usage) / moments,
    }


def _live(
    configuration: Configuration,
    model: LanguageModel,
    embedder: Embedder,
    writer: RunWriter,
    manifest: dict[str, Any],
    progress: Progress,
    checkpoint: Checkpoint | None,
) -> Result:
    """Take the steps, then write down how it went."""
    directory, began, before = writer.directory, time.monotonic(), float(manifest["seconds"])
    error = ""

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
        progress.step(step)

    with Interrupts(progress.say) as interrupts:
        with Transcript(directory.transcript_path) as transcript:
            recorded = Recorded(model, transcript)
            society = build_society(configuration, recorded, embedder)
            # The matrix asks for the society, in the lane of the empty name.
            transcript.enlist([*society.residents, ""])
            if checkpoint is not None:
                transcript.rewind(checkpoint.transcript)
                society.set_state(checkpoint.society)

            async def take_steps() -> None:
                try:
                    await rollout(
                        society,
                        writer,
                        transcript,
                        steps=configuration.steps,
                        checkpoint_every=configuration.checkpoint_every,
                        on_act=progress.act,
                        on_step=on_step,
                        stop=lambda: interrupts.requested,
                    )
                finally:
                    if (aclose := getattr(model, "aclose", None)) is not None:
                        await aclose()

            progress.begin(done, configuration.steps)
            try:
                asyncio.run(take_steps())
            except NoAnswerError as silent:
                error = str(silent)
            except Exception as broken:
                error = f"{type(broken).__name__}: {broken}"
                directory.error_path.write_text("".join(traceback.format_exception(broken)), encoding="utf-8")
            finally:
                progress.end()
                if (close := getattr(model, "close", None)) is not None:
                    close()
        status: Status = "failed" if error else "finished" if done >= configuration.steps else "stopped"
        write(status, done)
        report = write_outcome(directory, progress, embedder)
    return Result(directory=directory, status=status, steps=done, report=report, error=error)


def _usage(directory: RunDirectory) -> list[ModuleUsage]:
    if not directory.transcript_path.is_file():
        raise DirectoryError(f"{directory.path} lacks {directory.transcript_path.name}; it is no complete run")
    # Not opened read-only: SQLite would then leave two files of its own behind.
    with Transcript(directory.transcript_path) as transcript:
        return transcript.usage_by_module()


def _embedder(manifest: Mapping[str, Any], progress: Progress) -> Embedder | None:
    """The embedder that a run was made with; None where its weights are not on this machine."""
    name = str(manifest["configuration"]["effective"]["embedder"])
    try:
        return resolve_embedder(name).build()
    except (OSError, ImportError, ValueError) as error:
        progress.say(f"the report goes without the measures that need the embedder: {error}")
        return None


def _framework(directory: RunDirectory, progress: Progress) -> dict[str, Any]:
    """The state of LTRHA in the last checkpoint; empty without LTRHA."""
    try:
        checkpoint, _ = checkpoints.latest(directory.checkpoints_path)
    except CheckpointError as error:
        progress.say(f"the report goes without the residents' habitus and the matrix's failures: {error}")
        return {}
    state: dict[str, Any] | None = checkpoint.society["framework"]
    return state or {}


def _habitus(state: Mapping[str, Any]) -> str:
    """What a resident has become disposed to."""
    habitus = Habitus()
    habitus.set_state(state)
    return habitus.to_text()
