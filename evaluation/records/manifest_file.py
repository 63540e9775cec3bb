"""The manifest of a run: its shape, and the sha256 over all of it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from evaluation.records.checksums import DamageError, first_fault
from evaluation.records.directories import DirectoryError

FORMAT = "irollan run"
"""What the manifest of every run names as its format."""
VERSION = 1
"""Version of the files of a run."""
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


class _WorldClass(_Strict):
    version: str
    sha256: str


class _Configuration(_Strict):
    given: dict[str, Any]
    effective: dict[str, Any]


class _Map(_Strict):
    name: str
    sha256: str


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
    map: _Map | None = None
    seeds: dict[str, dict[str, Any]]
    models: dict[str, _Weights]
    world_classes: dict[str, _WorldClass] = {}
    scenario_sha256: str = ""  # Of runs that named the file of a scenario, and did not keep it.
    versions: dict[str, str | None]
    git_revision: str | None
    prices: dict[str, dict[str, Any]]
    peak_memory_mb: int | None = None
    choosing: dict[str, str] = {}
    served: dict[str, str] = {}
    left_out: dict[str, dict[str, str]] = {}
    replaced_characters: dict[str, int] = {}
    embeddings: dict[str, Any] = {}
    failed_calls: dict[str, int] = {}
    error: str = ""
    ended: str = ""
    outcome: dict[str, Any] = {}
    parent: _Parent | None = None
    files: dict[str, str] = {}


def manifest_bytes(manifest: Mapping[str, Any]) -> bytes:
    """Return the content of a manifest's file, with its format, version and sha256.

    Args:
        manifest: What ``read_manifest`` returns.
    """
    whole = {"format": FORMAT, "version": VERSION, **manifest}
    whole[_SHA256] = _digest(whole)
    return json.dumps(whole, indent=2, ensure_ascii=False).encode("utf-8", "backslashreplace") + b"\n"


def identify(path: Path) -> dict[str, Any]:
    """Read a manifest, of which it is only certain that it is one of a run.

    Args:
        path: Its file, which exists.

    Returns:
        It, as it is in the file.

    Raises:
        DirectoryError: if it is that of something else, or of another version.
    """
    manifest = load_object(path)
    if manifest.get("format") != FORMAT:
        raise DirectoryError(
            f"{path.parent} is not the directory of a run: its {path.name} does not have the format {FORMAT!r}"
            f"{_accept(path.parent) if 'steps_done' in manifest else ''}"
        )
    if manifest.get("version") != VERSION:
        raise DirectoryError(
            f"{path.parent} has a run of version {manifest.get('version')!r}, and this program reads version {VERSION}"
        )
    return manifest


def is_run(folder: Path) -> bool:
    """Return whether a folder has a run's manifest, of this version or another."""
    path = folder / "manifest.json"
    try:
        return path.is_file() and load_object(path).get("format") == FORMAT
    except (DirectoryError, OSError):
        return False


def read_manifest(path: Path) -> dict[str, Any]:
    """Read and verify a manifest.

    Args:
        path: Its file, which exists.

    Returns:
        It, without its format, version and sha256.

    Raises:
        DirectoryError: if it is damaged, or that of something else.
    """
    manifest = identify(path)
    if _SHA256 not in manifest:
        raise DamageError(f"{path} has no sha256, without which it cannot be verified{_accept(path.parent)}")
    if manifest.pop(_SHA256) != _digest(manifest):
        raise DamageError(f"{path} is damaged: it does not have the sha256 that it states; get it back as it was")
    return check_shape(path, manifest)


def _accept(path: Path) -> str:
    return (
        "; if the run was made before runs had checksums and is as it was, take its files as they are with: "
        f"irollan check {path} --accept"
    )


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


def check_shape(path: Path, manifest: Mapping[str, Any]) -> dict[str, Any]:
    """Check the keys and the types of a manifest, and return it without its format and version.

    Args:
        path: Its file, for the message.
        manifest: Without its sha256.

    Raises:
        DamageError: for the first that is not as it must be.
    """
    found = {key: value for key, value in manifest.items() if key not in ("format", "version")}
    try:
        _Manifest.model_validate(found)
    except (ValidationError, RecursionError) as error:
        why = first_fault(error) if isinstance(error, ValidationError) else str(error)
        raise DamageError(f"{path} is not the manifest of a run: {why}") from error
    return found


def _digest(manifest: Mapping[str, Any]) -> str:
    # ASCII only: a lone surrogate in a model's text stays what it is.
    content = json.dumps(manifest, separators=(",", ":"))
    return hashlib.sha256(content.encode()).hexdigest()
