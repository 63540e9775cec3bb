"""What a study leaves: a part of a page of the docs, and the tables that it was made from."""

from __future__ import annotations

import shutil
from pathlib import Path

END = "<!-- end -->"


def keep_tables(sweep: Path, folder: Path) -> None:
    """Copy the tables of a sweep.

    Args:
        sweep: Directory of the sweep.
        folder: Where to copy them.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("runs.csv", "tests.csv", "sweep.json"):
        shutil.copy(sweep / name, folder / name)


def put_into(file: Path, text: str, begin: str) -> None:
    """Replace the text between two markers of a page.

    Args:
        file: The page.
        text: The new content.
        begin: The first marker.
    """
    page = file.read_text(encoding="utf-8")
    before, _, rest = page.partition(begin)
    _, found, after = rest.partition(END)
    if not found:
        raise SystemExit(f"{file} lacks the markers {begin} and {END}")
    file.write_text(f"{before}{begin}\n{text}\n{END}{after}", encoding="utf-8")
