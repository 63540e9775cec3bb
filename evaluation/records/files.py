"""Write files atomically, and read files that a run appends to."""

from __future__ import annotations

import difflib
import os
import tomllib
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any


def write_atomically(path: Path, data: bytes) -> None:
    """Write a file in one move, so that a reader finds either the old or the new content.

    A link that is there is replaced, and what it points to stays as it is; a device or a pipe is written to.

    Args:
        path: Of the file.
        data: Its new content.

    Raises:
        OSError: if it cannot be written, with its name; nothing is left behind then.
    """
    beside = path.with_name(f".{path.name}.new")
    try:
        if path.exists() and not path.is_file():
            path.write_bytes(data)
            return
        beside.unlink(missing_ok=True)
        with beside.open("xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, path)
        sync_folder(path.parent)
    except OSError as error:
        # What a full disk took of it would only take room.
        with suppress(OSError):
            beside.unlink(missing_ok=True)
        if error.errno is not None:
            error.filename = str(path)
        raise


def check_no_link(path: Path) -> None:
    """Check that a file to write to is not a link, which may lead to any file of this machine.

    Raises:
        ValueError: if it is one.
    """
    if path.is_symlink():
        raise ValueError(f"{path} is a link, through which nothing is written; put the file itself there, or remove it")


def has_ending(*endings: str) -> Callable[[Path], bool]:
    """Return a test for files whose names end in one of these, such as ".toml"."""
    return lambda path: path.suffix.lower() in endings and path.is_file()


def sync_folder(path: Path) -> None:
    """Flush a folder's list of files to the disk; does nothing on Windows."""
    if os.name == "nt":
        return
    folder = os.open(path, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def read_lines(path: Path) -> list[bytes]:
    """Read the complete lines of a file; an incomplete last one, as a killed run may leave, is omitted."""
    lines = path.read_bytes().split(b"\n")
    return lines[:-1]


def read_toml(path: Path) -> dict[str, Any]:
    """Read a TOML file.

    Raises:
        ValueError: if it is not TOML; the message is to follow the path.
        OSError: if it cannot be read.
    """
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ValueError(f"it is not TOML: {error}") from error


def nearby(path: Path, fits: Callable[[Path], bool]) -> Path | None:
    """Find a file with a similar name in the same place, for an error message; None if there is none.

    Args:
        path: What does not exist, or is something else.
        fits: What may be meant: files of the right ending, say.
    """
    if not path.parent.is_dir():
        return None
    others = [one.name for one in path.parent.iterdir() if one.name != path.name and fits(one)]
    near = difflib.get_close_matches(path.name, others, n=1)
    return path.parent / near[0] if near else None
