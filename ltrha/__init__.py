"""LTRHA: locale and topic, resources, habitus and action (section 4 of the paper)."""

from ltrha.framework import LTRHA, Failure
from ltrha.habitus import Habitus, Tendency
from ltrha.matrix import Allocation, Matrix, Ranking, Standing
from ltrha.resources import allocation, allocations, execution_rate
from ltrha.situation import PRIMITIVES, Situation, read_action, sign
from ltrha.topic import topic, topics

__all__ = [
    "LTRHA",
    "PRIMITIVES",
    "Allocation",
    "Failure",
    "Habitus",
    "Matrix",
    "Ranking",
    "Situation",
    "Standing",
    "Tendency",
    "allocation",
    "allocations",
    "execution_rate",
    "read_action",
    "sign",
    "topic",
    "topics",
]
