"""Pages of a completed run: its report, and the viewer page that the report links to."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from evaluation.records.run_directory import RunDirectory
from evaluation.report import run_report
from evaluation.runs.progress import Progress
from evaluation.viewer.html_page import Findings, write_view
from language_models.embedders.embedding_costs import EmbeddingCosts
from language_models.protocol import Embedder

MOST_DECISIONS = 1_600
"""Maximum number of decisions of a run with a viewer page: about 12 kB each, 20 MB in all."""


def write_pages(
    directory: RunDirectory,
    progress: Progress,
    embedder: Embedder | None = None,
    embeddings: EmbeddingCosts | None = None,
    *,
    on_findings: Callable[[Findings], None] = lambda found: None,
) -> Path | None:
    """Write the report of a run, and the viewer page beside it if the run is not too large.

    See ``evaluation.report.run_report.write_report``.

    Args:
        directory: Directory of the run.
        progress: Where to show progress.
        embedder: Embedder of the run; the one named in the manifest when None.
        embeddings: Cost of the run's embeddings; read from the manifest when None.
        on_findings: Called with the findings of the report.
    """

    def beside(directory: RunDirectory, decisions: int, found: Findings, progress: Progress) -> bool:
        on_findings(found)
        return write_beside(directory, decisions, found, progress)

    return run_report.write_report(directory, progress, embedder, embeddings, beside)


def write_beside(directory: RunDirectory, decisions: int, found: Findings, progress: Progress) -> bool:
    """Write the viewer page beside the report of a run; if the run is too large, remove an existing page.

    Args:
        directory: Directory of the run.
        decisions: How many the run has.
        found: Findings at the top of its report.
        progress: Shows a message if no page is written.

    Returns:
        Whether the page was written.

    Raises:
        ValueError: if a file of the run is damaged.
        OSError: if the page cannot be written.
    """
    if decisions > MOST_DECISIONS:
        directory.view_path.unlink(missing_ok=True)
        progress.say(f"the run is too large for a page beside its report; see it with: irollan view {directory.path}")
        return False
    write_view([directory], directory.view_path, [found])
    return True
