"""Scores of runs of a scenario."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from evaluation.records.records import Record
from evaluation.scenarios.ledger import Ledger
from evaluation.scenarios.outcomes import compute
from evaluation.scenarios.scenario import Scenario
from irollan_env.world.world import World


def ledger_of(
    scenario: Scenario, start: World, records: Sequence[Record], after: Mapping[str, Any], *, visitor: bool = False
) -> Ledger:
    """Build the ledger of a run that has ended.

    Args:
        scenario: The scenario of the run.
        start: The world as it was at the beginning of the run.
        records: All its records.
        after: State of the world at its end.
        visitor: Whether the visitor alone is evaluated, and not everybody who is not company.
    """
    return Ledger(
        records=records,
        before=start.get_state(),
        after=after,
        focal=scenario.focal(start.residents, visitor=visitor),
        valley_map=start.map,
    )


def score_of(scenario: Scenario, start: World, records: Sequence[Record], after: Mapping[str, Any]) -> float:
    """Compute the outcome of a run, from 0 to 1; the arguments are those of ``ledger_of``."""
    return compute(scenario.outcome, ledger_of(scenario, start, records, after), scenario.parameters)
