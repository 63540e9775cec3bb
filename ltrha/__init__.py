"""LTRHA: locale and topic, resources, habitus and action (section 4 of the paper)."""

from ltrha.deeds import Deed
from ltrha.framework import LTRHA, Failure
from ltrha.habitus import Habitus, Tendency
from ltrha.matrix import Allocation, Matrix, Ranking
from ltrha.resources import allocation, allocations, execution_rate, tied_allocations
from ltrha.situation import PRIMITIVES, Situation, read_action, sign
from ltrha.standing import Standing
from ltrha.topic import topic, topics

__all__ = [
    "LTRHA",
    "PRIMITIVES",
    "Allocation",
    "Deed",
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
    "tied_allocations",
    "topic",
    "topics",
]
