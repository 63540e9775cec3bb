"""Cells of a sweep: named runs, and their state on disk."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from evaluation.records.directories import DirectoryError
from evaluation.records.run_directory import RunDirectory
from evaluation.runs import checkpoints
from evaluation.runs.build_society import map_of
from evaluation.runs.config_keys import as_data
from evaluation.runs.config_parts import LimitsConfig, OnFailure
from evaluation.runs.directory_names import short_name
from evaluation.runs.identities import name_of_identities
from evaluation.runs.run_config import RunConfig
from irollan_env.map.valley_map import ValleyMap

State = Literal["missing", "started", "finished"]
_ALWAYS = ("architecture", "model.name", "seed")
NOTHING = "nothing"
"""Value of an axis for a run without ablations (``mind.ablate``), events (``world.events``) or identities."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Origin:
    """Where a run branches off.

    Attributes:
        path: The other run.
        at: How many of its time steps come before.
    """

    path: Path
    at: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Cell:
    """A run of a sweep.

    Attributes:
        name: Name of its directory.
        configuration: Configuration of the run.
        origin: Where it branches off; None for a run from the beginning.
    """

    name: str
    configuration: RunConfig
    origin: Origin | None = None

    def read_map(self) -> ValleyMap:
        """Return the map on which the run begins.

        Raises:
            ValueError: for a name or a file that is no map, or a damaged run in which it begins.
        """
        if self.origin is not None:
            return RunDirectory(self.origin.path).read_map()
        return map_of(self.configuration)

    @property
    def backends(self) -> str:
        """Key of the models that the cell needs; cells with equal keys share loaded models."""
        one = self.configuration
        return _canonical(as_data(replace(one.model, on_failure=OnFailure.WAIT)))


def name_cells(configurations: Sequence[RunConfig], varied: Sequence[str]) -> list[Cell]:
    """Create cells whose names contain the varied settings.

    Names always contain the architecture, model and seed, so that they do not change when an axis gets more values.

    Raises:
        ValueError: if two configurations are equal.
    """
    models = sorted({one.model.name for one in configurations})
    short = {model: _alone(model, [short_name(other) for other in models]) for model in models}
    labels = {path: _labels(path, [one.get(path) for one in configurations]) for path in varied if path not in _ALWAYS}
    cells: dict[str, Cell] = {}
    for one in configurations:
        parts = [one.architecture, short[one.model.name], f"seed{one.seed}"]
        parts += [own[_canonical(one.get(path))] for path, own in labels.items()]
        name = "-".join(parts)
        if name in cells:
            raise ValueError(f"two runs of the sweep are the same: {name}")
        cells[name] = Cell(name=name, configuration=one)
    return list(cells.values())


def describe_events(events: Mapping[str, Any]) -> str:
    """Return the files that the events of a run are from, for names of runs and groups."""
    entries = [str(event["entry"]) for event in events.get("events", ())]
    return "+".join(dict.fromkeys(entry.partition(".toml:")[0] for entry in entries)) or NOTHING


def name_of(scenario: str | Mapping[str, Any]) -> str:
    """Return the name of a scenario, which is a name or the content of a file."""
    return scenario if isinstance(scenario, str) else str(scenario.get("name"))


def state_of(directory: RunDirectory, configuration: RunConfig) -> State:
    """Return whether a run is missing, started, or finished with its report.

    Raises:
        DirectoryError: if the directory holds another run.
    """
    if not directory.manifest_path.is_file():
        directory.check_free(force=False)
        return "missing"
    manifest = directory.read_manifest()
    check_configuration(directory, manifest, configuration)
    whole = manifest.get("status") == "finished" and directory.report_path.is_file()
    return "finished" if whole else "started"


def check_configuration(directory: RunDirectory, manifest: Mapping[str, Any], configuration: RunConfig) -> None:
    """Check that a run has the configuration of its cell.

    Raises:
        DirectoryError: if it has another configuration.
    """
    if found := difference(manifest["configuration"]["effective"], configuration):
        path, here, wanted = found
        raise DirectoryError(
            f"{directory.path} is another run: its {path} is {here!r}, and the sweep has {wanted!r}; give another --out"
        )


def difference(data: Mapping[str, Any], configuration: RunConfig) -> tuple[str, Any, Any] | None:
    """Return the first key in which a configuration differs from a stored one, ignoring limits.

    Args:
        data: The stored configuration, from ``RunConfig.to_json``.
        configuration: The configuration to compare with it.

    Returns:
        The path, its stored value and its value in the configuration; None if there is no difference.

    Raises:
        ValueError: if the data is not a configuration.
    """
    here = RunConfig.from_json(data).keys()
    for path, value in configuration.keys().items():
        if not path.startswith("limits.") and _canonical(here[path]) != _canonical(value):
            return path, here[path], value
    return None


def with_limits(cells: Sequence[Cell], limits: LimitsConfig | None) -> list[Cell]:
    """Return the cells with the given limits added to their own."""
    if limits is None:
        return list(cells)
    configurations = [replace(one.configuration, limits=limits.over(one.configuration.limits)) for one in cells]
    return [replace(cell, configuration=one) for cell, one in zip(cells, configurations, strict=True)]


def short_key(path: str) -> str:
    """Shorten a key for names of runs and groups: "model" for model.name, "rank_by" for ltrha.rank_by."""
    return path.removesuffix(".name").rpartition(".")[2]


def steps_done(path: Path) -> int:
    """Return the number of time steps in a run's newest checkpoint; 0 if there is none."""
    found = checkpoints.paths(RunDirectory(path).checkpoints_path)
    return int(found[-1].stem.removeprefix("step-")) if found else 0


def _alone(model: str, others: Sequence[str]) -> str:
    """Return a unique short name of a model, with a hash suffix if another model has the same short name."""
    name = short_name(model)
    return name if others.count(name) == 1 else f"{name}-{_digest(model)}"


def _labels(path: str, values: Sequence[Any]) -> dict[str, str]:
    """Return a label for each value of a key, with a hash suffix where another value has the same label."""
    parts = {_canonical(value): _part(short_key(path), value) for value in values}
    if path == "world.scenario" and len(set(parts.values())) < len(parts):
        raise ValueError("two scenarios of the sweep have files of one name; rename one")
    counts = Counter(parts.values())
    return {form: part if counts[part] == 1 else f"{part}-{_digest(form)}" for form, part in parts.items()}


def _part(key: str, value: Any) -> str:
    if isinstance(value, (int, float)):
        return f"{key.replace('_', '')}{value}"
    if isinstance(value, list):
        value = "+".join(value) or NOTHING
    elif key == "events":
        value = describe_events(value)
    elif key == "scenario":
        value = name_of(value)
    elif key == "identities":
        value = name_of_identities(value) or value
    return f"{key}-{short_name(value) if isinstance(value, str) else _digest(_canonical(value))}"


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:6]


def _canonical(value: Any) -> str:
    return json.dumps(value, sort_keys=True)
