"""Weights and rules of the similarity policy's decisions."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, fields, replace
from typing import Any, Self


@dataclass(frozen=True, kw_only=True, slots=True)
class DecisionWeights:
    """Weights, in units of cosine similarity, and rules of a decision; docs/heuristics.md lists them.

    Set on the situations in benchmarks/data, but for what only lives show: `not_mine`, `nobodys`,
    `hands_full`, and the paper's `recalls`, `departs`, `habit` and `atmosphere`, which were set on runs of seed 10, so
    that each mechanism has a say and none drowns the goal.

    Attributes:
        brings: Similarity of the goal to the sentence of an action's protention.
        says: Similarity of the goal to the action itself.
        nearer: One unit of nearness to what the goal names.
        with_them: Turning to a person whom the goal names; against turning to somebody else instead.
        talk: Talking, where the goal is one of talk.
        asked: Similarity of an action to what was just said to the resident.
        elsewhere: Minimum similarity of going somewhere else: below it, nothing here serves the goal.
        answer: Answering somebody who has just spoken to the resident; less if another action fits what was said.
        part: Against walking away from a conversation partner: turned to, or speaker or addressee in the last step.
        not_mine: Against taking what belongs to a neighbour in its house; for laying it down there again, and against
            laying it down anywhere else.
        nobodys: Against taking what bears nobody's name in a neighbour's house.
        hands_full: Against taking another thing, for each held thing.
        repeat: Against repeating an action of the last steps, for each time.
        eases: Easing at once a need with a level of 1; less on the way to what eases it.
        imagines: Similarity of the goal to the field that is imagined of an action (Eq. 4, 5 and 7).
        recalls: What an action promises to gain in pleasure and dominance, weighted as in Eq. 13, by the activated
            memories of fields like the expected one (sections 3.2 and 3.3).
        steady: What an action would cost by arousal that does not stay as it is (Eq. 13).
        departs: Arousal that an action is expected to bring (Eq. 11), for a driver with a tanh of 1 (section 3.3).
        habit: Being twice as disposed to it as to the average action (habitus, section 4.3), for resources of 0.
        atmosphere: A topic of 1: company is sought where it is good and left where it is bad (section 4.1).
        margin: Actions within this of the best are put before the model; 0 decides without it, which is the best way
            with a model as small as the embedded one (docs/models.md).
        shortlist: How many actions are put before the model at most.
        errands: Whether goals to fetch, bring, wash or cook go step by step; else they count as all others.
        misleads: Whether likeness does not count for what is like the goal and defeats it.
        worn_out: Whether what was done over and over is set aside for a step.
        out_of_place: Whether residents ask about unowned things only where no other of their kind lies.
    """

    brings: float = 0.5
    says: float = 1.0
    nearer: float = 1.0
    with_them: float = 0.15
    talk: float = 0.2
    asked: float = 1.0
    elsewhere: float = 0.3
    answer: float = 1.3
    part: float = 0.1
    not_mine: float = 0.2
    nobodys: float = 0.05
    hands_full: float = 0.05
    repeat: float = 0.12
    eases: float = 4.0
    imagines: float = 0.6
    recalls: float = 12.0
    steady: float = 0.4
    departs: float = 1.8
    habit: float = 0.05
    atmosphere: float = 0.5
    margin: float = 0.0
    shortlist: int = 8
    errands: bool = True
    misleads: bool = True
    worn_out: bool = True
    out_of_place: bool = True

    def __post_init__(self) -> None:
        for name, value in asdict(self).items():
            if not (math.isfinite(value) and value >= 0):
                raise ValueError(f"{name} must be a finite number, at least 0, got {value!r}")
        if not isinstance(self.shortlist, int):
            raise ValueError(f"shortlist must be a whole number, got {self.shortlist!r}")
        for name in RULES:
            if not isinstance(value := getattr(self, name), bool):
                raise ValueError(f"{name} must be True or False, got {value!r}")

    def without(self, name: str) -> Self:
        """Return a copy with one weight set to zero, or one rule switched off."""
        off: dict[str, Any] = {name: False if name in RULES else 0.0}
        return replace(self, **off)


RULES = tuple(field.name for field in fields(DecisionWeights) if isinstance(field.default, bool))
"""Names of the rules, which are on or off and have no weight."""

LARGE_MODEL = DecisionWeights(margin=0.12)
"""With a model that is worth asking: among up to eight actions that come within 0.12 of the best.

A wider margin asks more often: with 0.3 a resident and step costs 1.64 calls instead of 1.47 (docs/models.md).
"""
