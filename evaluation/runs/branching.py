"""A new run that begins in the middle of another one, under another configuration: a counterfactual."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from evaluation.models import choice_methods
from evaluation.models.backends import RunError, keeping, lived_again, resolve
from evaluation.models.model_roles import Models, of_answers, read_models
from evaluation.records import metrics
from evaluation.records.run_directory import RunDirectory, RunWriter
from evaluation.runs import checkpoints, event_loop, provenance
from evaluation.runs.ancestry import Stage, live_through, stages
from evaluation.runs.budget import Limits, limits_of, prices_of
from evaluation.runs.checkpoints import Checkpoint
from evaluation.runs.configuration import Configuration
from evaluation.runs.full_disk import unwritten
from evaluation.runs.progress import Progress
from evaluation.runs.replay import RecordedSteps, TranscriptModels
from evaluation.runs.run_loop import Result, live
from evaluation.runs.society import Society
from evaluation.runs.start import accounting, new_manifest, take_back
from irollan_env.hints import did_you_mean
from language_models.prices import Price, read_prices
from language_models.protocol import Embedder
from language_models.transcript.recording import Recorded
from language_models.transcript.transcript import Transcript

_NO_OTHER_EMBEDDER = "the embedder cannot change within a life: memories are kept in its terms"


def branch(
    path: Path,
    progress: Progress,
    *,
    at: int,
    changes: Mapping[str, Any],
    models: Sequence[str] = (),
    out: Path | None = None,
    force: bool = False,
    given: Mapping[str, Any] | None = None,
    limits: Limits | None = None,
    keep_limits: bool = True,
) -> Result:
    """Begin a run from a time step of another one, and stay with it to its end.

    The steps before are lived again from the transcript of the other run, so that no checkpoint of that step is needed,
    and held against its records. From there on its transcript answers what is asked alike, and the model the rest.

    Args:
        path: The other run.
        progress: Where to show how far it has come.
        at: How many time steps of the other run come before.
        changes: Fields of ``Configuration`` that are other from there on.
        models: Names, ROLE=NAME or TOML files, as ``read_models`` takes them: other models from there on.
        out: The new run's directory; one beside the other run when None.
        force: Replace a run that is there.
        given: What was asked for by whoever started it, for the manifest.
        limits: Other limits than those of the other run. They are on the new run's whole life, as its report counts it:
            what the steps before the branch cost is in it.
        keep_limits: Whether a limit of the other run stays for which no other is given.

    Raises:
        ValueError: if there is no run, it has fewer steps, or the directory is not free.
        RunError: if the model or the embedder cannot be had, or is another than the run was begun with.
        ReplayError: if the run cannot be lived again.
    """
    parent = RunDirectory(path)
    manifest = parent.read_manifest()
    lived = stages(manifest)
    recorded = RecordedSteps(parent)
    if not 0 <= at <= recorded.steps:
        raise ValueError(f"at must be a time step of {path}, from 0 to {recorded.steps}, got {at}")
    before = lived[-1].configuration
    after = _with_models(replace(before, **changes), models, changes)
    if after.steps <= at:
        raise ValueError(f"steps must be more than the {at} that come before the branch, got {after.steps}")
    directory = RunDirectory(_beside(path, at) if out is None else out)
    directory.check_free(force=force)
    backends = resolve(after)
    for part, weights in manifest["models"].items():
        now = backends.weights.get(part, weights)
        if now["name"] == weights["name"] and now != weights:
            raise RunError(f"the {part} {now['name']} has other files than when {path} was begun; get those back")
    for note in provenance.differences(manifest):
        progress.say(f"note: {note}")
    limits = Limits() if limits is None else limits
    if keep_limits:
        limits = limits.over(limits_of(manifest))
    new = new_manifest(after, backends, given or {}) | accounting(after, limits, read_prices() | prices_of(manifest))
    new["prices"] = manifest.get("prices", {}) | new["prices"]
    if served := {name: one for name, one in manifest.get("served", {}).items() if name in after.models}:
        new["served"] = served
    new["parent"] = {
        "run": str(parent.path.resolve()),
        "at": at,
        **{key: manifest[key] for key in ("configuration", "models", "parent") if key in manifest},
    }
    # One that is asked otherwise may be able to choose otherwise.
    alike = {name for name in after.models if _asked(before, name) == _asked(after, name)}
    if ways := {name: way for name, way in manifest.get(choice_methods.KEY, {}).items() if name in alike}:
        new[choice_methods.KEY] = ways
    with (
        backends.open_embedder(progress) as embedder,
        backends.open_models(embedder, progress) as loaded,
        RunWriter(directory, replace=force) as writer,
    ):
        take_back(writer, None)
        directory.write_manifest(new)
        lived.append(Stage(configuration=after, begin=at))
        try:
            checkpoint = _live_before(parent, recorded, lived, embedder, writer, prices_of(new), progress)
        except Exception as error:
            if disk := unwritten(error, directory.path):
                raise RunError(f"{disk}, and then begin again with irollan branch --force") from error
            raise
        return live(after, loaded, embedder, writer, new, progress, checkpoint)


def changed(settings: Sequence[str]) -> dict[str, Any]:
    """Fields of a configuration from texts of the form KEY=VALUE.

    Raises:
        ValueError: for a text of another form, an unknown key, one that cannot change within a life, or a value of
            the wrong type.
    """
    known = {field.name: type(getattr(Configuration(), field.name)) for field in fields(Configuration)}
    for key in ("embedder", "roles", "options"):
        del known[key]
    changes: dict[str, Any] = {}
    for setting in settings:
        key, equals, value = setting.partition("=")
        key = key.strip().replace("-", "_")
        if not equals:
            raise ValueError(f"--set takes KEY=VALUE, got {setting!r}")
        if key == "embedder":
            raise ValueError(_NO_OTHER_EMBEDDER)
        if key in ("roles", "options"):
            raise ValueError(f"{key} is a table: give --model ROLE=NAME, or --model FILE with a TOML file that has it")
        if key not in known:
            raise ValueError(f"unknown key {key!r}: it must be one of {', '.join(known)}{did_you_mean(key, known)}")
        try:
            changes[key] = known[key](value.strip())
        except ValueError:
            raise ValueError(f"{key} must be a whole number, got {value!r}") from None
    return changes


def _with_models(configuration: Configuration, values: Sequence[str], changes: Mapping[str, Any]) -> Configuration:
    """A configuration with other models, where any are given."""
    before = Models(model=configuration.model, roles=configuration.roles, options=configuration.options)
    asked = read_models(values, before)
    if asked == before:
        return configuration
    if asked.embedder not in (None, configuration.embedder):
        raise ValueError(
            f"{_NO_OTHER_EMBEDDER}; the run has {configuration.embedder!r}, and the file of --model says "
            f"{asked.embedder!r}"
        )
    elimination = configuration.elimination
    if "elimination" in asked.roles and "elimination" not in changes:
        elimination = "model"
    return replace(
        configuration,
        model=asked.model or configuration.model,
        roles=asked.roles,
        options=asked.options,
        elimination=elimination,
    )


def _asked(configuration: Configuration, name: str) -> Mapping[str, Any]:
    """How a configuration asks a model."""
    return of_answers(configuration.options.get(name, {}))


def _live_before(
    parent: RunDirectory,
    recorded: RecordedSteps,
    lived: Sequence[Stage],
    embedder: Embedder,
    writer: RunWriter,
    prices: Mapping[str, Price],
    progress: Progress,
) -> Checkpoint:
    """Live the steps before the branch again, into the new run, and make a checkpoint there."""
    at = lived[-1].begin
    directory = writer.directory

    async def step(society: Society) -> None:
        step = await recorded.step(society)
        transcript.commit()
        writer.append(step.records, [*step.metrics, *metrics.of_usage(step.time, transcript.take_usage(), prices)])

    progress.say(f"living the first {at} time steps of {parent.path} again ...")
    with (
        lived_again(),
        keeping(embedder, directory.embeddings_path),
        Transcript(parent.transcript_path) as old,
        Transcript(directory.transcript_path) as transcript,
    ):
        models = TranscriptModels(old, lambda model: Recorded(model, transcript))
        transcript.ids.enlist(old.ids.residents())
        society = event_loop.run(live_through(lived, models, embedder, at, step))
        checkpoint = Checkpoint(
            step=at, society=society.get_state(), transcript=transcript.ids.position(), sizes=writer.sizes()
        )
    checkpoints.save(directory.checkpoints_path, checkpoint)
    return checkpoint


def _beside(path: Path, at: int) -> Path:
    base = path.resolve()
    candidate, count = base.with_name(f"{base.name}-at{at}"), 1
    while candidate.exists():
        count += 1
        candidate = base.with_name(f"{base.name}-at{at}-{count}")
    return candidate
