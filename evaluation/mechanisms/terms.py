"""The weights of deliberation by likeness as mechanisms that can be taken away from a decision."""

from __future__ import annotations

from dataclasses import fields, replace

from itcma_s.ablation.mechanisms import Mechanism
from itcma_s.deliberation.by_likeness.decision_weights import DecisionWeights


def terms(weights: DecisionWeights) -> list[Mechanism]:
    """The weights of deliberation by likeness that count something; without one, it counts nothing."""
    counting = [field.name for field in fields(weights) if isinstance(getattr(weights, field.name), float)]
    return [_weight(name) for name in counting if getattr(weights, name) > 0.0]


def _weight(name: str) -> Mechanism:
    return Mechanism(
        name=f"weight {name}", section="", there=lambda given: True, removed=lambda given: replace(given, without=name)
    )
