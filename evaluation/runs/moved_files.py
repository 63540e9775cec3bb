"""Files of a run's models that are not where they were when it was begun."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from evaluation.models.errors import RunError
from evaluation.models.file_hashes import SHORT, adapter_of
from evaluation.models.forecasters import LEARNED
from evaluation.records.run_directory import RunDirectory
from evaluation.runs.run_config import RunConfig
from language_models.model_names import ModelKind, kind_of, path_in


def check_files_are_there(directory: RunDirectory, configuration: RunConfig, manifest: Mapping[str, Any]) -> None:
    """Check that the model files of a run to resume exist.

    Args:
        directory: Of the run.
        configuration: Its configuration.
        manifest: Its manifest.

    Raises:
        RunError: if one is not; the message says which, and how the run goes on.
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
