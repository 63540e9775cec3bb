"""Findings of a run for the viewer page, the same sentences as at the top of its report."""

from __future__ import annotations

from evaluation.measures import actions
from evaluation.records.run_directory import RunDirectory
from evaluation.report.findings import findings
from evaluation.report.run_report import costs_by_module, step_tokens
from evaluation.report.society_section import SEED
from evaluation.runs.costs import describe_uncounted, embeddings_of, prices_of
from evaluation.social import social_structure
from language_models.prices import days_of

MOST_RESIDENTS = 60
"""With more residents the tests take minutes; ``irollan social`` runs them on request."""


def findings_of(directory: RunDirectory) -> list[tuple[str, str]]:
    """Summarise who leads, who was left out, how resources were distributed, and the cost, as in the report.

    Args:
        directory: Directory of a run that has ended.

    Returns:
        Pairs of a subject and a sentence; empty if no time step is complete, or for more than ``MOST_RESIDENTS``.

    Raises:
        ValueError: if there is no run, or one of its files is damaged.
    """
    run = directory.verified()
    records = run.records()
    if not records or len({record["resident"] for record in records}) > MOST_RESIDENTS:
        return []
    structure, prices = social_structure(actions(records), seed=SEED), prices_of(run.manifest)
    if not directory.transcript_path.is_file():
        return findings(records, structure, (), (), days_of(prices.values()))
    with run.transcript() as transcript:
        return findings(
            records,
            structure,
            costs_by_module(transcript, prices),
            step_tokens(transcript),
            days_of(prices.values()),
            describe_uncounted(transcript, embeddings_of(run.manifest)),
        )
