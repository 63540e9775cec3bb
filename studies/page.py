"""A part of a page of the docs that a study fills in."""

from __future__ import annotations

from pathlib import Path

END = "<!-- end -->"


def put_into(file: Path, text: str, begin: str) -> None:
    """Put a text between two markers of a page."""
    page = file.read_text(encoding="utf-8")
    before, _, rest = page.partition(begin)
    _, found, after = rest.partition(END)
    if not found:
        raise SystemExit(f"{file} lacks the markers {begin} and {END}")
    file.write_text(f"{before}{begin}\n{text}\n{END}{after}", encoding="utf-8")
