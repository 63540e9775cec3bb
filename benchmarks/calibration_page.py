"""Sections of docs/calibration.md, each written by a benchmark of tests on simulated data."""

from __future__ import annotations

from pathlib import Path


def put_section(page: Path, name: str, text: str) -> None:
    """Replace the section between its markers in a page.

    Args:
        page: A page in Markdown with the lines ``<!-- NAME -->`` and ``<!-- end of NAME -->``.
        name: Name of the section, that of the benchmark.
        text: The new section, in Markdown.

    Raises:
        ValueError: if the page lacks one of the markers.
    """
    begin, end = f"<!-- {name} -->\n", f"<!-- end of {name} -->"
    before, found, rest = page.read_text(encoding="utf-8").partition(begin)
    _, closed, after = rest.partition(end)
    if not (found and closed):
        raise ValueError(f"{page} lacks the lines {begin.strip()} and {end}; write them where the section is to stand")
    page.write_text(f"{before}{begin}\n{text.strip()}\n\n{end}{after}", encoding="utf-8")
