"""Weights and rules of the similarity policy as mechanisms that can be removed from a decision."""

from __future__ import annotations

from dataclasses import asdict, replace

from itcma_s.ablation.mechanisms import Mechanism
from itcma_s.deliberation.similarity_policy.decision_weights import RULES, DecisionWeights


def terms(weights: DecisionWeights) -> list[Mechanism]:
    """Return one removable mechanism per positive weight and per active rule of the similarity policy."""
    values = asdict(weights)
    counting = [name for name, value in values.items() if isinstance(value, float) and value > 0.0]
    holding = [name for name in RULES if values[name]]
    return [*(_term_of("weight", name) for name in counting), *(_term_of("rule", name) for name in holding)]


def _term_of(sort: str, name: str) -> Mechanism:
    return Mechanism(
        name=f"{sort} {name}", section="", there=lambda given: True, removed=lambda given: replace(given, without=name)
    )
