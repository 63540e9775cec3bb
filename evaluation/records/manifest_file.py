"""The manifest of a run: its shape, and the sha256 over all of it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from evaluation.records.checksums import DamageError, first_fault

FILES = "files"
"""Where the manifest of a run that has ended has the sha256 of the files that no step verifies."""
RUNNING = "running"
"""Status of a run that goes on, or was killed."""
_SHA256 = "sha256"


class _Strict(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid")


class _Weights(_Strict):
    name: str
    sha256: dict[str, str]


class _Configuration(_Strict):
    given: dict[str, Any]
    effective: dict[str, Any]


class _Parent(_Strict):
    run: str
    at: int
    configuration: _Configuration
    models: dict[str, _Weights]
    parent: _Parent | None = None


class _Manifest(_Strict):
    """Shape of a manifest: what every run has, and what some have."""

    status: Literal["running", "finished", "stopped", "failed"]
    steps_done: int
    started: str
    seconds: float
    configuration: _Configuration
    mechanisms: dict[str, bool]
    seeds: dict[str, dict[str, Any]]
    models: dict[str, _Weights]
    versions: dict[str, str | None]
    git_revision: str | None
    prices: dict[str, dict[str, Any]]
    peak_memory_mb: int | None = None
    choosing: dict[str, str] = {}
    served: dict[str, str] = {}
    embeddings: dict[str, Any] = {}
    error: str = ""
    parent: _Parent | None = None
    files: dict[str, str] = {}


def manifest_bytes(manifest: Mapping[str, Any]) -> bytes:
    """Return the content of a manifest's file, with its sha256.

    Args:
        manifest: Without its sha256.
    """
    whole = {**manifest, _SHA256: _digest(manifest)}
    return json.dumps(whole, indent=2, ensure_ascii=False).encode("utf-8", "backslashreplace") + b"\n"


def read_manifest(path: Path) -> dict[str, Any]:
    """Read and verify a manifest.

    Args:
        path: Its file, which exists.

    Returns:
        It, without its sha256.

    Raises:
        DamageError: if it is damaged.
    """
    manifest = load_object(path)
    if _SHA256 not in manifest:
        raise DamageError(
            f"{path} has no sha256, without which it cannot be verified; if the run was made before runs had checksums "
            f"and is as it was, take its files as they are with: irollan check {path.parent} --accept"
        )
    if manifest.pop(_SHA256) != _digest(manifest):
        raise DamageError(f"{path} is damaged: it does not have the sha256 that it states; get it back as it was")
    check_shape(path, manifest)
    return manifest


def load_object(path: Path) -> dict[str, Any]:
    """Read a JSON object from a file.

    Raises:
        DamageError: if it holds something else.
    """
    try:
        found = json.loads(path.read_bytes())
        json.dumps(found)
    except (ValueError, RecursionError) as error:
        raise DamageError(f"{path} is damaged: {error}") from error
    if not isinstance(found, dict):
        raise DamageError(f"{path} is damaged: it must be a JSON object")
    return found


def check_shape(path: Path, manifest: Mapping[str, Any]) -> None:
    """Check the keys and the types of a manifest.

    Args:
        path: Its file, for the message.
        manifest: Without its sha256.

    Raises:
        DamageError: for the first that is not as it must be.
    """
    try:
        _Manifest.model_validate(manifest)
    except (ValidationError, RecursionError) as error:
        why = first_fault(error) if isinstance(error, ValidationError) else str(error)
        raise DamageError(f"{path} is not the manifest of a run: {why}") from error


def _digest(manifest: Mapping[str, Any]) -> str:
    # ASCII only: a lone surrogate in a model's text stays what it is.
    content = json.dumps(manifest, separators=(",", ":"))
    return hashlib.sha256(content.encode()).hexdigest()
