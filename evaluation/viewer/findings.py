"""What became of a society, in the sentences that its tests come to, for the page's beginning."""

from __future__ import annotations

from collections.abc import Sequence

from evaluation.measures import actions
from evaluation.records.interactions import Record
from evaluation.records.recorded_run import split_whole_steps
from evaluation.report.society_section import SEED
from evaluation.social import social_structure

MOST_RESIDENTS = 60
"""Beyond so many the tests take minutes; ``irollan social`` is there for whoever has them."""


def findings(records: Sequence[Record]) -> list[str]:
    """Who leads, who is left out, who is followed, each with its p-value; the same sentences as in the report.

    Args:
        records: Of one run.

    Returns:
        Sentences; none where no time step is whole, or where there are more than ``MOST_RESIDENTS``.
    """
    whole, _ = split_whole_steps(records)
    if not whole or len({record["resident"] for record in whole}) > MOST_RESIDENTS:
        return []
    return list(social_structure(actions(whole), seed=SEED).conclusions)
