"""The manifest of a run: written at its start, checked and updated when it is resumed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from evaluation.models.backends import Backends
from evaluation.models.errors import RunError
from evaluation.models.file_hashes import SHORT, adapter_of, contents
from evaluation.models.forecasters import LEARNED
from evaluation.records.directories import DirectoryError
from evaluation.records.map_file import describe_map
from evaluation.records.run_directory import RunDirectory
from evaluation.runs import provenance
from evaluation.runs.architectures import get_architecture
from evaluation.runs.build_society import streams, world_map
from evaluation.runs.progress import Progress
from evaluation.runs.run_config import RunConfig
from irollan_env.map.valley_map import ValleyMap
from irollan_env.world.mechanic import Mechanic
from irollan_env.world.world_classes import describe_world_classes, find_world_classes
from language_models.model_names import ModelKind, kind_of, path_in
from language_models.prices import Price, price_of, read_prices
from language_models.registry import describe_model


def new_manifest(
    configuration: RunConfig, weights: Mapping[str, Any], given: Mapping[str, Any], valley_map: ValleyMap
) -> dict[str, Any]:
    """Make the manifest of a run that starts now.

    Args:
        configuration: What is run.
        weights: Name and file hashes of each model and of the embedder.
        given: The keys that were given a value, by path.
        valley_map: The map, of which the run's directory keeps a copy.
    """
    architecture = get_architecture(configuration.architecture)
    return {
        "status": "running",
        "steps_done": 0,
        "started": datetime.now(UTC).isoformat(timespec="seconds"),
        "seconds": 0.0,
        "configuration": {
            "given": dict(given),
            "effective": configuration.to_json(),
        },
        "mechanisms": {**asdict(architecture.mechanisms), "ltrha": architecture.ltrha},
        "map": describe_map(valley_map),
        "seeds": {
            name: {"entropy": configuration.seed, "spawn_key": name}
            for name in streams(world_map(configuration, valley_map), ltrha=architecture.ltrha)
        },
        "models": dict(weights),
        **({"world_classes": describe_world_classes(classes)} if (classes := _world_classes(configuration)) else {}),
        "versions": provenance.versions(),
        "git_revision": provenance.git_revision(),
    }


def _world_classes(configuration: RunConfig) -> dict[str, type[Mechanic]]:
    return find_world_classes(configuration.world.rules, "world.rules")


def known_prices(configuration: RunConfig, kept: Mapping[str, Price] | None = None) -> dict[str, dict[str, Any]]:
    """Return the prices of a run's models in the form of the manifest.

    Args:
        configuration: The run.
        kept: Prices with which the run or its parent started; they hold in place of ``limits.prices``, whose file may
            be gone.

    Raises:
        ValueError: if the cost is limited and cannot be known, or ``limits.prices`` is no file of prices.
    """
    prices = configuration.limits.read_prices() if kept is None else {**read_prices(), **kept}
    names = [describe_model(name).recorded_name for name in configuration.model.names]
    configuration.limits.check_prices(names, prices)
    return {name: asdict(price) for name in names if (price := price_of(name, prices)) is not None}


def read_configuration(directory: RunDirectory) -> tuple[RunConfig, dict[str, Any]]:
    """Read the configuration and the manifest of a run.

    Raises:
        DirectoryError: if there is no run, or its manifest is damaged.
    """
    manifest = directory.read_manifest()
    try:
        configuration = RunConfig.from_json(manifest["configuration"]["effective"])
        _ = manifest["models"], manifest["versions"]
    except KeyError as error:
        raise DirectoryError(f"{directory.manifest_path} is damaged: it lacks {error}") from error
    except (TypeError, ValueError) as error:
        raise DirectoryError(f"{directory.manifest_path} is damaged: {error}") from error
    return configuration, manifest


def check_same_models(
    directory: RunDirectory, manifest: Mapping[str, Any], backends: Backends, progress: Progress
) -> None:
    """Check that a run's models are unchanged for a resume; report other version differences.

    Args:
        directory: Of the run.
        manifest: Its manifest.
        backends: What was found now.
        progress: Shows the differences.

    Raises:
        RunError: if one has other files than when the run started.
    """
    for part, now in backends.weights.items():
        before = manifest["models"].get(part)
        if before is None or (before["name"], contents(before)) != (now["name"], contents(now)):
            raise RunError(
                f"the {part} {now['name']} has other files than when {directory.path} started"
                f"{_other_adapter(before, now)}, so that the run cannot be resumed exactly; get those back, or start "
                "a new run"
            )
    for note in provenance.differences(manifest):
        progress.say(f"note: {note}")


def _other_adapter(before: Mapping[str, Any] | None, now: Mapping[str, Any]) -> str:
    """Describe, in brackets, a model's changed adapter; empty where it has not changed."""
    had, has = (adapter_of(weights) if weights is not None else None for weights in (before, now))
    if had is None or has is None or had[1] == has[1]:
        return ""
    return f" (the adapter {has[0]} with sha256 {has[1][:SHORT]}... for {had[0]} with {had[1][:SHORT]}...)"


def check_files_are_there(directory: RunDirectory, configuration: RunConfig, manifest: Mapping[str, Any]) -> None:
    """Check that the model files of a run to resume exist.

    Args:
        directory: Of the run.
        configuration: Its configuration.
        manifest: Its manifest.

    Raises:
        RunError: if one is not; the message says which, and how to resume.
    """
    run = directory.path
    for part, weights in manifest["models"].items():
        name = str(weights["name"])
        place = _place(part, name)
        if place is not None and not place.exists():
            raise RunError(
                f"there is no {place.absolute()}, the {part} of {run}{_hash(weights['sha256'].get(place.name))}; "
                "put it there again, or a link to it"
            )
        adapter, chosen = adapter_of(weights), configuration.model.options.get(name, {}).get("adapter")
        if adapter is not None and chosen is not None and not (file := Path(chosen).expanduser()).is_file():
            raise RunError(
                f"there is no {file.absolute()}, the adapter of {name} in {run}{_hash(adapter[1])}; put it there "
                f"again, or name its new place: irollan resume {run} --model FILE, where FILE is a TOML file with "
                f'[options."{name}"] and adapter = "PLACE"'
            )


def _place(part: str, name: str) -> Path | None:
    """Return the path of the weights behind a name; None for a name without a path."""
    if part == "embedder":
        return Path(name).expanduser() if "/" in name and kind_of(name) is not ModelKind.REMOTE else None
    if name.startswith(LEARNED):
        return Path(name.removeprefix(LEARNED)).expanduser()
    return path_in(name)


def _hash(sha256: str | None) -> str:
    return f" (sha256 {sha256[:SHORT]}...)" if sha256 else ""
