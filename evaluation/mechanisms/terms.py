"""The weights and rules of deliberation by likeness as mechanisms that can be taken away from a decision."""

from __future__ import annotations

from dataclasses import asdict, replace

from itcma_s.ablation.mechanisms import Mechanism
from itcma_s.deliberation.similarity_policy.decision_weights import RULES, DecisionWeights


def terms(weights: DecisionWeights) -> list[Mechanism]:
    """The weights of deliberation by likeness that count something, then its rules that hold; each is left out."""
    values = asdict(weights)
    counting = [name for name, value in values.items() if isinstance(value, float) and value > 0.0]
    holding = [name for name in RULES if values[name]]
    return [*(_term_of("weight", name) for name in counting), *(_term_of("rule", name) for name in holding)]


def _term_of(sort: str, name: str) -> Mechanism:
    return Mechanism(
        name=f"{sort} {name}", section="", there=lambda given: True, removed=lambda given: replace(given, without=name)
    )
