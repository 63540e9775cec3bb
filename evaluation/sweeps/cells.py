"""One cell of a sweep: a run with a name and a place, and how far it has come."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from evaluation.records.directories import DirectoryError
from evaluation.records.run_directory import RunDirectory
from evaluation.runs import checkpoints
from evaluation.runs.ablate import NOTHING
from evaluation.runs.directory_names import short_name
from evaluation.runs.run_config import RunConfig

State = Literal["missing", "begun", "finished"]
_ALWAYS = ("architecture", "model", "seed")


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
        return _canonical([one.model, one.roles, one.options, one.embedder, one.serving])


def name_cells(configurations: Sequence[RunConfig], varied: Sequence[str]) -> list[Cell]:
    """Cells with names that say in what they differ.

    A name has the architecture, the model and the seed in any case, so that it stays when an axis gets more values.

    Raises:
        ValueError: if two configurations are the same.
    """
    models = sorted({one.model for one in configurations})
    short = {model: _alone(model, [short_name(other) for other in models]) for model in models}
    cells: dict[str, Cell] = {}
    for one in configurations:
        parts = [one.architecture, short[one.model], f"seed{one.seed}"]
        parts += [_part(key, getattr(one, key)) for key in varied if key not in _ALWAYS]
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
    here = completed(manifest.get("configuration", {}).get("effective", {}))
    for key, value in configuration.to_json().items():
        if key not in here or _canonical(here[key]) != _canonical(value):
            raise DirectoryError(
                f"{directory.path} is another run: its {key} is {here.get(key)!r}, and the sweep has {value!r}; "
                "give another --out"
            )


def completed(data: Mapping[str, Any]) -> dict[str, Any]:
    """A configuration as it was written down; of before there was a choice, with what was done then."""
    with suppress(ValueError):
        return RunConfig.from_json(data).to_json()
    return dict(data)


def steps_done(path: Path) -> int:
    """How many time steps of a run are kept, by its newest checkpoint; 0 for none."""
    found = checkpoints.paths(RunDirectory(path).checkpoints_path)
    return int(found[-1].stem.removeprefix("step-")) if found else 0


def _alone(model: str, others: Sequence[str]) -> str:
    """The short name of a model; with a part of its hash where another model has the same."""
    name = short_name(model)
    return name if others.count(name) == 1 else f"{name}-{_digest(model)}"


def _part(key: str, value: Any) -> str:
    if isinstance(value, int):
        return f"{key.replace('_', '')}{value}"
    if key == "without":
        value = value or NOTHING
    return f"{key}-{short_name(value) if isinstance(value, str) else _digest(_canonical(value))}"


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:6]


def _canonical(value: Any) -> str:
    return json.dumps(value, sort_keys=True)
