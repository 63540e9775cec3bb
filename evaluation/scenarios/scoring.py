"""Scores of runs of a scenario."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from evaluation.records.records import Record
from evaluation.scenarios.ledger import Ledger
from evaluation.scenarios.outcomes import compute
from evaluation.scenarios.scenario import Scenario
from evaluation.scenarios.scenario_world import ScenarioWorld
from irollan_env.map.valley_map import ValleyMap
from irollan_env.random_streams import stream


def ledger_of(
    scenario: Scenario,
    seed: int,
    records: Sequence[Record],
    after: Mapping[str, Any],
    *,
    valley_map: ValleyMap,
    visitor: bool = False,
) -> Ledger:
    """Build the ledger of a run that has ended.

    Args:
        scenario: The scenario of the run.
        seed: Seed of the run.
        records: All its records.
        after: State of the world at its end.
        valley_map: The map of its world.
        visitor: Whether the visitor alone is evaluated, and not everybody who is not company.
    """
    world = ScenarioWorld(scenario, valley_map, stream(seed, "world"))
    return Ledger(
        records=records,
        before=world.get_state(),
        after=after,
        focal=scenario.focal(world.residents, visitor=visitor),
        valley_map=valley_map,
    )


def score_of(
    scenario: Scenario, seed: int, records: Sequence[Record], after: Mapping[str, Any], *, valley_map: ValleyMap
) -> float:
    """Compute the outcome of a run, from 0 to 1; the arguments are those of ``ledger_of``."""
    ledger = ledger_of(scenario, seed, records, after, valley_map=valley_map)
    return compute(scenario.outcome, ledger, scenario.parameters)
