"""Branch: start a new run in the middle of another one with another configuration (a counterfactual)."""

from __future__ import annotations

import copy
import shutil
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from evaluation.models import server_findings
from evaluation.models.backends import Backends
from evaluation.models.errors import RunError
from evaluation.models.file_hashes import ADAPTER, contents
from evaluation.models.model_roles import answer_options, read_models
from evaluation.models.run_embedder import storing_vectors, without_server
from evaluation.records.checksums import CHECKSUMS, EVENTS, GROWING, TRANSCRIPT, Chain, DamageError, read_chain
from evaluation.records.run_directory import RunDirectory, RunWriter
from evaluation.runs import checkpoints, event_loop, provenance
from evaluation.runs.ancestry import reconfigure, run_stages, stages
from evaluation.runs.budget import new_limits
from evaluation.runs.build_society import find_backends
from evaluation.runs.checkpoints import Checkpoint, rewind
from evaluation.runs.config_keys import read_setting
from evaluation.runs.config_parts import Elimination, LimitsConfig
from evaluation.runs.costs import prices_of
from evaluation.runs.directory_names import branch_directory
from evaluation.runs.event_files import branch_events, notes_on_events
from evaluation.runs.execution import ReportWriter, Result, RunExecution
from evaluation.runs.full_disk import describe_write_failure
from evaluation.runs.human_override import TakeoverInterface
from evaluation.runs.manifest import known_prices, new_manifest
from evaluation.runs.progress import Progress, beside
from evaluation.runs.replay import RecordedSteps, TranscriptModels
from evaluation.runs.run_config import KEYS, RunConfig
from evaluation.runs.run_loop import write_step
from evaluation.runs.society import Society
from language_models.prices import Price
from language_models.protocol import Embedder
from language_models.transcript.recording import RecordedModel
from language_models.transcript.transcript import Transcript

_NO_OTHER_EMBEDDER = "the embedder cannot change within a run: memories are kept in its terms"
_TABLE = "is a table: give --model ROLE=NAME, or --model FILE with a TOML file that has it"
FIXED = {
    "model.embedder": _NO_OTHER_EMBEDDER,
    "model.roles": f"model.roles {_TABLE}",
    "model.options": f"model.options {_TABLE}",
    "mind.deliberation": "mind.deliberation cannot change within a run: each way keeps goals in its own terms",
    **{
        path: f"{path} cannot change within a run: each mind keeps what it remembers in its own terms"
        for path in ("mind.name", "mind.by_resident")
    },
    "world.events": "world.events is a table: give --events FILE with what happens from the branch on",
    "world.until": "world.until cannot change within a run; give --events FILE with when = { ... } and end = true",
    **{
        path: f"{path} cannot change within a run: it says how the run began"
        for path in ("world.map", "world.residents", "world.scenario", "world.identities", "world.rules")
    },
}
"""Keys that a branch keeps, with the reason."""


def branch(
    path: Path,
    progress: Progress,
    *,
    at: int,
    changes: Mapping[str, Any],
    models: Sequence[str] = (),
    events: Mapping[str, Any] | None = None,
    out: Path | None = None,
    force: bool = False,
    given: Mapping[str, Any] | None = None,
    limits: LimitsConfig | None = None,
    keep_limits: bool = True,
    human: TakeoverInterface | None = None,
    write_report: ReportWriter | None,
) -> Result:
    """Start a run from a time step of another one, and run it to its end.

    The steps before are replayed from the transcript of the other run, so that no checkpoint of that step is needed,
    and compared with its records. From there on its transcript answers identical calls, and the model the rest.

    Args:
        path: The other run.
        progress: Where to show how far it has come.
        at: How many time steps of the other run come before.
        changes: Keys of ``RunConfig``, by path, that are other from there on.
        models: Names, ROLE=NAME or TOML files, as ``read_models`` takes them: other models from there on.
        events: What happens from there on, as ``read_event_file`` gives it, beside what the other run has.
        out: The new run's directory; one beside the other run when None.
        force: Replace a run that is there.
        given: The keys that were given a value, for the manifest.
        limits: Other limits than those of the other run, on all steps of the new run, those before the branch too.
        keep_limits: Whether a limit of the other run stays for which no other is given.
        human: As of ``start``.
        write_report: What is done once no step follows, also where a step broke; nothing when None.

    Raises:
        ValueError: if there is no run, it has fewer steps, or the directory is not free.
        RunError: if the model or the embedder cannot be had, or is another than the run started with.
        ReplayError: if the run cannot be replayed.
    """
    parent = RunDirectory(path)
    manifest = parent.read_manifest()
    before = stages(manifest)[-1].configuration
    recorded = whole_steps(parent, at, progress.say)
    if events:
        changes = {**changes, "world.events": branch_events(before.world.events, events, at)}
    after = _changed(before, at, changes, models)
    after = replace(after, limits=new_limits(before.limits, limits, keep=keep_limits))
    directory = RunDirectory(branch_directory(path, at) if out is None else out)
    directory.check_free(force=force)
    valley_map = parent.read_map()
    backends = find_backends(after, human, valley_map=valley_map)
    if human is None:
        progress = beside(after, progress)
    for note in notes_on_events(after):
        progress.say(f"note: {note}")
    _check_files(parent, manifest, backends, _other_adapters(before, after), progress)
    known_prices(after, prices_of(manifest))
    with (
        backends.open_embedder(progress.say) as embedder,
        backends.open_models(embedder, progress.say) as loaded,
        RunWriter(directory, replace=force) as writer,
    ):
        progress.say(f"replaying the first {at} time steps of {parent.path} ...")
        rewind(writer)
        with _explaining_full_disk(directory):
            # Before the replay, so that what it leaves where it breaks off is known for a run, which --force replaces.
            directory.write_map(valley_map)
            directory.write_manifest(_new_manifest(parent, at, after, backends, given or {}))
        begun = replay_beginning(parent, recorded, at, after, embedder, writer)
        new, checkpoint = write_branch(begun, after, backends, embedder, writer, given or {})
        return RunExecution(
            configuration=after,
            models=loaded,
            embedder=embedder,
            writer=writer,
            manifest=new,
            valley_map=valley_map,
            progress=progress,
            checkpoint=checkpoint,
            write_report=write_report,
            human=human,
        ).run_alone()


@dataclass(frozen=True, kw_only=True, slots=True)
class Beginning:
    """The first time steps of a run, replayed, from which branches go on.

    Attributes:
        parent: The run.
        at: How many steps.
        directory: Where its records, metrics, calls and vectors are.
        society: The state of the society after them.
        transcript: What ``Transcript.ids.position`` gave then.
        chain: The checksums of the files.
    """

    parent: RunDirectory
    at: int
    directory: RunDirectory
    society: Mapping[str, Any]
    transcript: Mapping[str, int]
    chain: Chain


def replay_beginning(
    parent: RunDirectory, recorded: RecordedSteps, at: int, after: RunConfig, embedder: Embedder, writer: RunWriter
) -> Beginning:
    """Replay the first time steps of a run into a directory.

    Args:
        parent: The run.
        recorded: Its whole steps, from ``whole_steps``.
        at: How many of them.
        after: The configuration of a branch, whose prices hold.
        embedder: Of the run.
        writer: Of the directory, whose files are replaced.

    Raises:
        RunError: if the disk is full.
        ReplayError: if the run cannot be replayed.
    """
    manifest, directory = parent.read_manifest(), writer.directory
    prices = _prices(manifest, after)
    unreadable = at == 0 and parent.prefixes()[TRANSCRIPT].fault
    rewind(writer)

    async def take_step(society: Society) -> None:
        write_step(writer, transcript, await recorded.step(society), prices)

    with (
        _explaining_full_disk(directory),
        without_server(),
        storing_vectors(embedder, directory.embeddings_path),
        Transcript(":memory:") if unreadable else Transcript(parent.transcript_path, read_only=True) as old,
        Transcript(directory.transcript_path) as transcript,
    ):
        models = TranscriptModels(old, lambda model: RecordedModel(model, transcript), until=at)
        transcript.ids.enlist(old.ids.residents())
        passed, valley_map = stages(manifest), parent.read_map()
        society = event_loop.run(
            run_stages(passed, models, embedder, at, take_step, valley_map=valley_map, override=models.override)
        )
        state, position = society.get_state(), transcript.ids.position()
        society.close()
        writer.sync()
    return Beginning(
        parent=parent,
        at=at,
        directory=directory,
        society=state,
        transcript=position,
        chain=read_chain(directory.path) if at else Chain(directory.path, (), ""),
    )


def write_branch(
    begun: Beginning,
    after: RunConfig,
    backends: Backends,
    embedder: Embedder,
    writer: RunWriter,
    given: Mapping[str, Any],
) -> tuple[dict[str, Any], Checkpoint]:
    """Write the steps of a branch that come before it, its manifest, its map and its first checkpoint.

    Args:
        begun: The first steps of the other run, replayed into the branch's directory or another one.
        after: The configuration of the branch.
        backends: Of the branch.
        embedder: Of both.
        writer: Of the branch's directory, whose files are replaced.
        given: The keys that were given a value, for the manifest.

    Returns:
        The manifest, and the checkpoint from which the branch goes on.

    Raises:
        RunError: if the disk is full.
    """
    parent, directory = begun.parent, writer.directory
    valley_map = parent.read_map()
    before = stages(parent.read_manifest())[-1].configuration
    new = _new_manifest(parent, begun.at, after, backends, given)
    with _explaining_full_disk(directory):
        if begun.directory is not directory:
            rewind(writer)
            _copy(begun.directory, directory)
            writer.rewind(begun.chain, begun.at)
            directory.write_map(valley_map)
            directory.write_manifest(new)
        with without_server(), storing_vectors(embedder, directory.embeddings_path), Transcript(":memory:") as no_calls:
            models, state = TranscriptModels(no_calls), copy.deepcopy(dict(begun.society))
            society = reconfigure(state, before, after, models(after), embedder, valley_map)
            state = society.get_state()
            society.close()
        checkpoint = Checkpoint(step=begun.at, society=state, transcript=begun.transcript, checksum=writer.sync())
        checkpoints.save(directory.checkpoints_path, checkpoint)
    return new, checkpoint


def _new_manifest(
    parent: RunDirectory, at: int, after: RunConfig, backends: Backends, given: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the manifest of a branch that begins."""
    manifest = parent.read_manifest()
    new = new_manifest(after, backends.weights, given, parent.read_map())
    new["prices"] = known_prices(after, prices_of(manifest))
    return new | _inherited(parent, manifest, at, stages(manifest)[-1].configuration, after, new["prices"])


def _copy(begun: RunDirectory, directory: RunDirectory) -> None:
    """Copy what a replayed beginning left, into files that a writer may have open."""
    for name in (*GROWING, CHECKSUMS, TRANSCRIPT, directory.embeddings_path.name):
        if (begun.path / name).is_file():
            shutil.copyfile(begun.path / name, directory.path / name)


def _prices(manifest: Mapping[str, Any], after: RunConfig) -> Mapping[str, Price]:
    """Return the prices of a branch's models, and of its parent's."""
    return prices_of({"prices": {**manifest.get("prices", {}), **known_prices(after, prices_of(manifest))}})


def whole_steps(parent: RunDirectory, at: int, say: Callable[[str], None]) -> RecordedSteps:
    """Read the whole time steps of the other run, of which a later part may be damaged.

    Args:
        parent: The other run.
        at: How many of them are needed.
        say: Told what is damaged.

    Raises:
        DamageError: if fewer are whole.
        ValueError: if the run never had so many.
    """
    prefixes = parent.prefixes()
    whole = min(prefixes[name].steps for name in (CHECKSUMS, EVENTS, TRANSCRIPT))
    faults = [f"{parent.path / name} {prefix.fault}" for name, prefix in prefixes.items() if prefix.fault]
    if at > whole and faults:
        raise DamageError(f"{'; '.join(faults)}; give --at a step up to {whole}, before which all is whole")
    for fault in faults:
        say(f"note: {fault}; its steps up to {whole} are whole")
    recorded = RecordedSteps(parent, prefixes[EVENTS])
    recorded.check_step(at)
    return recorded


def _check_files(
    parent: RunDirectory, manifest: Mapping[str, Any], backends: Backends, others: Container[str], progress: Progress
) -> None:
    """Check that the models shared with the parent have the same files; report other version differences.

    Args:
        parent: The other run.
        manifest: Of the other run.
        backends: Of the branch.
        others: The models for which another adapter is named.
        progress: Where to say it.

    Raises:
        RunError: if one has other files.
    """
    for part, weights in manifest["models"].items():
        now = backends.weights.get(part, weights)
        files, had = contents(now), contents(weights)
        if now["name"] in others:
            files[ADAPTER] = had[ADAPTER] = ""
        if now["name"] == weights["name"] and files != had:
            raise RunError(f"the {part} {now['name']} has other files than when {parent.path} started; get those back")
    for note in provenance.differences(manifest):
        progress.say(f"note: {note}")


@contextmanager
def _explaining_full_disk(directory: RunDirectory) -> Iterator[None]:
    """Turn a full disk within a block into a RunError that says what to do about the branch."""
    try:
        yield
    except Exception as error:
        if disk := describe_write_failure(error, directory.path):
            raise RunError(f"{disk}, and then begin again with irollan branch --force") from error
        raise


def _inherited(
    parent: RunDirectory,
    manifest: Mapping[str, Any],
    at: int,
    before: RunConfig,
    after: RunConfig,
    prices: Mapping[str, Any],
) -> dict[str, Any]:
    """Return what a branch's manifest takes from its parent's, and where it branched off.

    Args:
        parent: The other run.
        manifest: Of the other run.
        at: How many of its time steps come before.
        before: Its configuration.
        after: That of the branch.
        prices: Of the branch's models, as its manifest has them.
    """
    inherited: dict[str, Any] = {"prices": {**manifest.get("prices", {}), **prices}}
    if served := {name: one for name, one in manifest.get("served", {}).items() if name in after.model.names}:
        inherited["served"] = served
    inherited["parent"] = {
        "run": str(parent.path.resolve()),
        "at": at,
        **{key: manifest[key] for key in ("configuration", "models", "parent") if key in manifest},
    }
    # One that is asked otherwise may be able to choose otherwise.
    alike = {name for name in after.model.names if _asked(before, name) == _asked(after, name)}
    for key in (server_findings.CHOOSING, server_findings.LEFT_OUT):
        if found := {name: one for name, one in manifest.get(key, {}).items() if name in alike}:
            inherited[key] = found
    return inherited


def read_changes(settings: Sequence[str]) -> dict[str, Any]:
    """Read changes of a configuration from texts of the form KEY=VALUE.

    Raises:
        ValueError: for a text of another form, an unknown key, one that cannot change within a run, or a value of
            another type.
    """
    return dict(read_setting(text, _changeable(text)) for text in settings)


def _changeable(setting: str) -> Mapping[str, type]:
    """Return all keys that a branch can change.

    Raises:
        ValueError: if the setting is of one that cannot change within a run.
    """
    path = setting.partition("=")[0].strip().replace("-", "_")
    if path in FIXED:
        raise ValueError(FIXED[path])
    return KEYS


def _changed(before: RunConfig, at: int, changes: Mapping[str, Any], models: Sequence[str]) -> RunConfig:
    """Return the configuration of a branch.

    Raises:
        ValueError: if no step is left for it, or what it is to have cannot be.
    """
    after = _with_models(before.with_keys(changes), models, changes)
    named = {role for role, name in after.model.roles.items() if before.model.roles.get(role) != name}
    after.refuse_without_effect([*changes, *(f"model.roles.{role}" for role in named)])
    if after.steps <= at:
        raise ValueError(f"steps must be more than the {at} that come before the branch, got {after.steps}")
    return after


def _with_models(configuration: RunConfig, values: Sequence[str], changes: Mapping[str, Any]) -> RunConfig:
    """Return a configuration with other models, where any are given."""
    before = replace(configuration.model.chosen, embedder=None)
    asked = read_models(values, before)
    if asked == before:
        return configuration
    if asked.embedder not in (None, configuration.model.embedder):
        raise ValueError(
            f"{_NO_OTHER_EMBEDDER}; the run has {configuration.model.embedder!r}, and the file of --model says "
            f"{asked.embedder!r}"
        )
    others: dict[str, Any] = {
        "model.name": asked.model or configuration.model.name,
        "model.roles": asked.roles,
        "model.options": asked.options,
    }
    if "elimination" in asked.roles and "mind.elimination" not in changes:
        others["mind.elimination"] = Elimination.MODEL
    return configuration.with_keys(others)


def _other_adapters(before: RunConfig, after: RunConfig) -> set[str]:
    """Return the models for which another adapter is named."""
    return {name for name in after.model.names if _adapter(before, name) != _adapter(after, name)}


def _adapter(configuration: RunConfig, name: str) -> str | None:
    """Return the adapter that a configuration names for a model."""
    return configuration.model.options.get(name, {}).get("adapter")


def _asked(configuration: RunConfig, name: str) -> Mapping[str, Any]:
    """Return the options with which a configuration calls a model."""
    return answer_options(configuration.model.options.get(name, {}))
