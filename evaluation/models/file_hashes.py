"""The files of a model, told apart from others of the same name by what is in them."""

from __future__ import annotations

import hashlib
from pathlib import Path


def file_hashes(path: Path | None) -> dict[str, str]:
    """The sha256 of each file of a model, by name; none where it has no files."""
    if path is None:
        return {}
    files = [path] if path.is_file() else sorted(file for file in path.rglob("*") if file.is_file())
    return {path.name if file == path else file.relative_to(path).as_posix(): _sha256(file) for file in files}


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
