"""Stages of a run that branched off others, and how a society changes configuration between them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeAlias

from evaluation.models.file_hashes import contents
from evaluation.models.model_roles import answer_options
from evaluation.records.checksums import EVENTS, TRANSCRIPT
from evaluation.records.directories import DirectoryError
from evaluation.records.run_directory import RunDirectory
from evaluation.runs.build_society import build_society
from evaluation.runs.config_parts import OnFailure
from evaluation.runs.human_override import HumanOverride
from evaluation.runs.progress import Progress
from evaluation.runs.run_config import RunConfig
from evaluation.runs.society import Society
from irollan_env.map.valley_map import ValleyMap
from irollan_env.world.mechanics import events
from irollan_env.world.snapshot import extended
from irollan_env.world.state import AWAY_PLACE
from language_models.protocol import Embedder, LanguageModel
from language_models.registry import describe_model
from language_models.transcript.replaying import ReplayedModel
from language_models.transcript.transcript import Transcript
from minds.hosted import is_hosted

BuildSociety: TypeAlias = Callable[[RunConfig, LanguageModel, Embedder, ValleyMap], Society]


@dataclass(frozen=True, kw_only=True, slots=True)
class Stage:
    """Hold one stage of a run: a span of time steps with one configuration.

    Attributes:
        configuration: The configuration.
        begin: Its first time step.
    """

    configuration: RunConfig
    begin: int


def stages(manifest: Mapping[str, Any]) -> list[Stage]:
    """List the stages of a run, oldest first: each branch in its ancestry added one.

    Raises:
        DirectoryError: if the manifest lacks something.
    """
    try:
        configuration = RunConfig.from_json(manifest["configuration"]["effective"])
        parent = manifest.get("parent")
        if parent is None:
            return [Stage(configuration=configuration, begin=0)]
        return [*stages(parent), Stage(configuration=configuration, begin=int(parent["at"]))]
    except (KeyError, TypeError) as error:
        raise DirectoryError(f"the manifest is damaged: it lacks {error}") from error


async def run_stages(
    passed: Sequence[Stage],
    models: Callable[[RunConfig], LanguageModel],
    embedder: Embedder,
    steps: int,
    each: Callable[[Society], Awaitable[None]],
    build: BuildSociety = build_society,
    *,
    valley_map: ValleyMap,
    override: HumanOverride | None,
) -> Society:
    """Run a society through all its stages.

    Args:
        passed: What ``stages`` gave.
        models: The model of each configuration.
        embedder: Of all of them.
        steps: How many time steps.
        each: Called for each time step; takes it.
        build: Makes the society of a configuration.
        valley_map: The map of the run.
        override: Where people decided in residents' place; None for nowhere.

    Returns:
        The society under the last configuration, with so many steps done.
    """
    society = build(passed[0].configuration, models(passed[0].configuration), embedder, valley_map)
    ends = [*(stage.begin for stage in passed[1:]), steps]
    for before, stage, end in zip([None, *passed], passed, ends, strict=False):
        if before is not None:
            model = models(stage.configuration)
            society = reconfigure(
                society.get_state(), before.configuration, stage.configuration, model, embedder, valley_map, build
            )
        society.override = override
        while society.world.time < min(end, steps):
            await each(society)
    return society


def reconfigure(
    state: dict[str, Any],
    before: RunConfig,
    after: RunConfig,
    model: LanguageModel,
    embedder: Embedder,
    valley_map: ValleyMap,
    build: BuildSociety = build_society,
) -> Society:
    """Rebuild a society with another configuration, keeping its world, memories and emotions.

    What further events bring is added, and those that are due happen.

    Another seed gives everyone and everything that draws a fresh generator. LTRHA, where there was none, begins with
    equal resources; where there is none any more, its resources and habitus are forgotten.

    Args:
        state: Of the society between two time steps, from ``Society.get_state``; it is changed.
        before: Its configuration so far.
        after: The new configuration.
        model: The model of the new configuration.
        embedder: Its embedder.
        valley_map: The map of the run.
        build: Builds a society from a configuration.
    """
    rebuilt = build(after, model, embedder, valley_map)
    fresh = rebuilt.get_state()
    if rebuilt.framework is None or state["framework"] is None:
        people = state["world"]["people"]
        found = {name: place for place, names in people.items() for name in names}
        places = {name: found.get(name, AWAY_PLACE) for name in state["residents"]}
        state["framework"] = None if rebuilt.framework is None else {**fresh["framework"], "places": places}
    had_events = events.NAME in state["world"].get("mechanics", {})
    state["world"] = extended(state["world"], fresh["world"])
    if not had_events and events.NAME in state["world"].get("mechanics", {}):
        state["world"]["mechanics"][events.NAME] = events.NOTHING_YET
    new = [name for name in rebuilt.residents if name not in state["residents"]]
    state["residents"] |= {name: fresh["residents"][name] for name in new}
    if new and state["framework"] is not None:
        state["framework"] = _with_newcomers(state["framework"], fresh["framework"])
    if before.seed != after.seed:
        for part in ("world", "framework"):
            if state[part] is not None:
                state[part]["generator"] = fresh[part]["generator"]
        if "mechanics" in state["world"]:
            state["world"]["mechanics"]["random"] = fresh["world"]["mechanics"]["random"]
        for name, mind in state["residents"].items():
            mind["generator"] = fresh["residents"][name]["generator"]
    for name, mind in state["residents"].items():
        if is_hosted(mind):
            continue
        mind["mechanisms"] = fresh["residents"][name]["mechanisms"]
        if before.model.of("elimination") != after.model.of("elimination"):
            # What another model found relevant would be taken for what this one does, as long as the goal holds.
            mind["scorer"] = fresh["residents"][name]["scorer"]
    rebuilt.set_state(state)
    rebuilt.world.catch_up()
    return rebuilt


def _with_newcomers(framework: Mapping[str, Any], fresh: Mapping[str, Any]) -> dict[str, Any]:
    """Return the state of LTRHA with residents that it did not have, who stand as at the beginning."""
    found = {**framework, "residents": fresh["residents"]}
    for key in ("resources", "last_allocation", "habitus", "places", "deeds"):
        if found[key] is not None:
            found[key] = {**fresh[key], **found[key]}
    return found


@contextmanager
def answering_from_parent(
    manifest: Mapping[str, Any], done: int, progress: Progress
) -> Iterator[Callable[[LanguageModel], LanguageModel]]:
    """Yield a wrapper for a branch's models that answers from the parent's transcript first where it can.

    A branch thus differs from its parent by what was changed alone, and not by the chance of a model that does not
    answer alike twice. A model that is not the parent's, by its name, its files or the options that decide what it
    answers, is asked for everything. What failed in a step that the parent did not finish, as when its server was away,
    is asked anew; where a failed call is to stop the run, whatever failed is.

    Args:
        manifest: Of the run.
        done: How many time steps are done.
        progress: Told where the parent's transcript is no longer there, or is another model's of the same name.

    Raises:
        ValueError: if the parent's manifest is damaged.
    """
    parent = manifest.get("parent")
    if parent is None:
        yield lambda model: model
        return
    directory = RunDirectory(parent["run"])
    path = directory.transcript_path
    if not (path.is_file() and directory.manifest_path.is_file()):
        progress.say(f"note: {path} is not there any more; the model is asked for what it could have answered")
        yield lambda model: model
        return
    prefixes = directory.prefixes()
    calls = prefixes[TRANSCRIPT]
    if calls.fault:
        progress.say(f"note: {path} {calls.fault}; the model is asked for all from step {calls.steps + 1} on")
        if calls.steps <= done:
            yield lambda model: model
            return
    waits = RunConfig.from_json(manifest["configuration"]["effective"]).model.on_failure == OnFailure.WAIT
    finished = prefixes[EVENTS].steps if waits else 0
    until = calls.steps if calls.fault else None
    own = _models(manifest)
    trebuilts = [_models(one) for one in _manifests_since(directory.read_manifest(), done)]

    def answering(model: LanguageModel) -> LanguageModel:
        asked = [models[model.name] for models in trebuilts if model.name in models]
        # A person who takes residents over is none of the models that were chosen.
        if any(one != own.get(model.name, one) for one in asked):
            progress.say(
                f"note: {model.name} has other files or options than in {directory.path}, and is asked for everything"
            )
            return model
        return ReplayedModel(
            transcript, name=model.name, since=done, until=until, failures_until=finished, otherwise=model
        )

    with Transcript(path, read_only=True) as transcript:
        yield answering


def _models(manifest: Mapping[str, Any]) -> dict[str, tuple[Any, dict[str, Any]]]:
    """Return what determines the answers of a run's models, by recorded name: files and options."""
    configuration = RunConfig.from_json(manifest["configuration"]["effective"])
    files = {one["name"]: contents(one) for one in manifest["models"].values()}
    options = {name: answer_options(configuration.model.options.get(name, {})) for name in configuration.model.names}
    for chosen in options.values():
        chosen.pop("adapter", None)  # Its place decides nothing, and its content is among the files.
    return {describe_model(name).recorded_name: (files.get(name), chosen) for name, chosen in options.items()}


def _manifests_since(manifest: Mapping[str, Any], time: int) -> Iterator[Mapping[str, Any]]:
    """Return the manifests of a run's stages from a time step on, newest first."""
    yield manifest
    parent = manifest.get("parent")
    if parent is not None and parent["at"] > time:
        yield from _manifests_since(parent, time)
