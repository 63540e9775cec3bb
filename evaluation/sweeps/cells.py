"""One cell of a sweep: a run with a name and a place, and how far it has come."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from evaluation.records.directories import DirectoryError
from evaluation.records.run_directory import RunDirectory
from evaluation.runs import checkpoints
from evaluation.runs.config_keys import as_data
from evaluation.runs.config_parts import LimitsConfig, OnFailure
from evaluation.runs.directory_names import short_name
from evaluation.runs.run_config import RunConfig

State = Literal["missing", "begun", "finished"]
_ALWAYS = ("architecture", "model.name", "seed")
NOTHING = "nothing"
"""What an axis of ``mind.ablate`` calls a run that leaves nothing out."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Cell:
    """A run of a sweep.

    Attributes:
        name: Of its directory.
        configuration: What is run.
    """

    name: str
    configuration: RunConfig

    @property
    def backends(self) -> str:
        """What it needs to have loaded: cells for which this is the same share it."""
        one = self.configuration
        return _canonical(as_data(replace(one.model, on_failure=OnFailure.WAIT)))


def name_cells(configurations: Sequence[RunConfig], varied: Sequence[str]) -> list[Cell]:
    """Cells with names that say in what they differ.

    A name has the architecture, the model and the seed in any case, so that it stays when an axis gets more values.

    Raises:
        ValueError: if two configurations are the same.
    """
    models = sorted({one.model.name for one in configurations})
    short = {model: _alone(model, [short_name(other) for other in models]) for model in models}
    cells: dict[str, Cell] = {}
    for one in configurations:
        parts = [one.architecture, short[one.model.name], f"seed{one.seed}"]
        parts += [_part(short_key(path), one.get(path)) for path in varied if path not in _ALWAYS]
        name = "-".join(parts)
        if name in cells:
            raise ValueError(f"two runs of the sweep are the same: {name}")
        cells[name] = Cell(name=name, configuration=one)
    return list(cells.values())


def state_of(directory: RunDirectory, configuration: RunConfig) -> State:
    """Whether a run is still to be begun, to be resumed, or finished with its report.

    Raises:
        DirectoryError: if another run is there.
    """
    if not directory.manifest_path.is_file():
        directory.check_free(force=False)
        return "missing"
    manifest = directory.read_manifest()
    check_configuration(directory, manifest, configuration)
    whole = manifest.get("status") == "finished" and directory.report_path.is_file()
    return "finished" if whole else "begun"


def check_configuration(directory: RunDirectory, manifest: Mapping[str, Any], configuration: RunConfig) -> None:
    """Check that a run is the one that a cell stands for.

    Raises:
        DirectoryError: if it has another configuration.
    """
    if found := difference(manifest["configuration"]["effective"], configuration):
        path, here, wanted = found
        raise DirectoryError(
            f"{directory.path} is another run: its {path} is {here!r}, and the sweep has {wanted!r}; give another --out"
        )


def difference(data: Mapping[str, Any], configuration: RunConfig) -> tuple[str, Any, Any] | None:
    """The first key in which a configuration differs from one that was written down; limits may differ.

    Args:
        data: What ``RunConfig.to_json`` gave.
        configuration: The configuration.

    Returns:
        The path, its value in the data and its value in the configuration; None where there is no difference.

    Raises:
        ValueError: if the data is no configuration.
    """
    here = RunConfig.from_json(data).keys()
    for path, value in configuration.keys().items():
        if not path.startswith("limits.") and _canonical(here[path]) != _canonical(value):
            return path, here[path], value
    return None


def with_limits(cells: Sequence[Cell], limits: LimitsConfig | None) -> list[Cell]:
    """The cells with these limits, beside those that they have."""
    if limits is None:
        return list(cells)
    configurations = [replace(one.configuration, limits=limits.over(one.configuration.limits)) for one in cells]
    return [replace(cell, configuration=one) for cell, one in zip(cells, configurations, strict=True)]


def short_key(path: str) -> str:
    """How a key is called in names of runs and groups: "model" for model.name, "rank_by" for ltrha.rank_by."""
    return path.removesuffix(".name").rpartition(".")[2]


def steps_done(path: Path) -> int:
    """How many time steps of a run are kept, by its newest checkpoint; 0 for none."""
    found = checkpoints.paths(RunDirectory(path).checkpoints_path)
    return int(found[-1].stem.removeprefix("step-")) if found else 0


def _alone(model: str, others: Sequence[str]) -> str:
    """The short name of a model; with a part of its hash where another model has the same."""
    name = short_name(model)
    return name if others.count(name) == 1 else f"{name}-{_digest(model)}"


def _part(key: str, value: Any) -> str:
    if isinstance(value, (int, float)):
        return f"{key.replace('_', '')}{value}"
    if isinstance(value, list):
        value = "+".join(value) or NOTHING
    return f"{key}-{short_name(value) if isinstance(value, str) else _digest(_canonical(value))}"


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:6]


def _canonical(value: Any) -> str:
    return json.dumps(value, sort_keys=True)
