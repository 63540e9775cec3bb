"""Hashes of a model's files, which identify it among others of the same name."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from language_models.model_names import ModelKind, kind_of

ADAPTER = "adapter/"
"""What stands before the name of an adapter's file, among the files of the model that it is added to."""
SHORT = 12
"""How many digits of a hash are shown."""


def file_hashes(path: Path | None) -> dict[str, str]:
    """Return the sha256 of each file of a model by name; empty where it has no files."""
    if path is None:
        return {}
    files = [path] if path.is_file() else sorted(file for file in path.rglob("*") if file.is_file())
    return {path.name if file == path else file.relative_to(path).as_posix(): _sha256(file) for file in files}


def adapter_of(weights: Mapping[str, Any]) -> tuple[str, str] | None:
    """Return the name and sha256 of a model's adapter file; None where it has none.

    Args:
        weights: Name and file hashes of the model, as a manifest has them.
    """
    files = weights["sha256"].items()
    found = next(((file.removeprefix(ADAPTER), sha256) for file, sha256 in files if file.startswith(ADAPTER)), None)
    if found is not None and kind_of(str(weights["name"])) is ModelKind.TRANSFORMERS:
        return None  # What its folder holds is its own.
    return found


def describe_model_files(weights: Mapping[str, Any]) -> str:
    """Describe a model: its name, and the adapter that is added to it.

    Args:
        weights: Name and file hashes of the model, as a manifest has them.
    """
    if (adapter := adapter_of(weights)) is None:
        return str(weights["name"])
    file, sha256 = adapter
    return f"{weights['name']} with the adapter {file} ({sha256[:SHORT]})"


def describe_models(manifest: Mapping[str, Any]) -> dict[str, str]:
    """Describe the models of a run: "Model", and "Action model" for one that a role has of its own.

    Args:
        manifest: Of a run.
    """
    models = manifest.get("models", {})
    return {
        part.capitalize(): describe_model_files(one)
        for part, one in models.items()
        if part.rpartition(" ")[2] == "model"
    }


def describe_serving(manifest: Mapping[str, Any]) -> str | None:
    """Describe how the model files of a run were asked; None where it had none on this machine.

    Args:
        manifest: Of a run.
    """
    models = manifest.get("models", {})
    if not any(one["sha256"] for part, one in models.items() if part.rpartition(" ")[2] == "model"):
        return None
    serving = manifest["configuration"]["effective"]["model"]["serving"]
    return {"exact": "exactly, each request by itself", "fast": "fast, many requests at once"}.get(serving)


def contents(weights: Mapping[str, Any]) -> dict[str, str]:
    """Return the hashes of a model's files by name; its adapter's under ``ADAPTER``, wherever the file lies.

    Args:
        weights: Name and file hashes of the model, as a manifest has them.
    """
    if (adapter := adapter_of(weights)) is None:
        return dict(weights["sha256"])
    file, sha256 = adapter
    return {**{name: found for name, found in weights["sha256"].items() if name != f"{ADAPTER}{file}"}, ADAPTER: sha256}


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
