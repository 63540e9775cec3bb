"""Scores of runs of a scenario."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from evaluation.records.records import Record
from evaluation.scenarios.ledger import Ledger
from evaluation.scenarios.outcomes import compute
from evaluation.scenarios.scenario import Scenario
from evaluation.scenarios.scenario_world import ScenarioWorld
from irollan_env.random_streams import stream


def ledger_of(
    scenario: Scenario, seed: int, records: Sequence[Record], after: Mapping[str, Any], *, visitor: bool = False
) -> Ledger:
    """Build the ledger of a run that has ended.

    Args:
        scenario: The scenario of the run.
        seed: Seed of the run.
        records: All its records.
        after: State of the world at its end.
        visitor: Whether the visitor alone is evaluated, and not everybody who is not company.
    """
    world = ScenarioWorld(scenario, None, stream(seed, "world"))
    return Ledger(
        records=records,
        before=world.get_state(),
        after=after,
        focal=scenario.focal(world.residents, visitor=visitor),
        valley_map=world.map,
    )


def score_of(scenario: Scenario, seed: int, records: Sequence[Record], after: Mapping[str, Any]) -> float:
    """Compute the outcome of a run, from 0 to 1; the arguments are those of ``ledger_of``."""
    return compute(scenario.outcome, ledger_of(scenario, seed, records, after), scenario.parameters)
