"""The pages that a run leaves behind: its report, and beside it the page in a browser that the report links into."""

from __future__ import annotations

from pathlib import Path

from evaluation.records.run_directory import RunDirectory
from evaluation.report import run_report
from evaluation.runs.progress import Progress
from evaluation.viewer.html_page import Findings, write_view
from language_models.embedders.embedding_costs import EmbeddingCosts
from language_models.protocol import Embedder

MOST_DECISIONS = 1_600
"""Of a run that has its page beside its report: at about 12 kB each, 20 MB."""


def write_pages(
    directory: RunDirectory,
    progress: Progress,
    embedder: Embedder | None = None,
    embeddings: EmbeddingCosts | None = None,
) -> Path | None:
    """As ``evaluation.report.run_report.write_report``, and the page beside it where the run is not too large."""
    return run_report.write_report(directory, progress, embedder, embeddings, write_beside)


def write_beside(directory: RunDirectory, found: Findings, progress: Progress) -> bool:
    """Write the page beside the report of a run, and say whether it did; one of an earlier length does not stay.

    Args:
        directory: Of the run.
        found: What its report begins with.
        progress: Where to say that there is none.

    Raises:
        ValueError: if a file of the run is damaged.
        OSError: if the page cannot be written.
    """
    if len(directory.records()) > MOST_DECISIONS:
        directory.view_path.unlink(missing_ok=True)
        progress.say(f"the run is too large for a page beside its report; see it with: irollan view {directory.path}")
        return False
    write_view([directory], directory.view_path, [found])
    return True
