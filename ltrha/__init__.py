"""LTRHA: locale and topic, resources, habitus and action (section 4 of the paper)."""

from ltrha.deeds import Deed
from ltrha.framework import LTRHA, Failure
from ltrha.habitus import Habitus, Tendency
from ltrha.likeness_ranker import LikenessRanker
from ltrha.matrix import Allocation, Matrix
from ltrha.order_page import PageRanker
from ltrha.order_ranker import OrderRanker
from ltrha.parameters import LTRHAParameters, RankingWeights
from ltrha.ranking import Ranker, Ranking
from ltrha.resources import allocation, allocations, execution_rate, resource_shares, tied_allocations
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
    "LTRHAParameters",
    "LikenessRanker",
    "Matrix",
    "OrderRanker",
    "PageRanker",
    "Ranker",
    "Ranking",
    "RankingWeights",
    "Situation",
    "Standing",
    "Tendency",
    "allocation",
    "allocations",
    "execution_rate",
    "read_action",
    "resource_shares",
    "sign",
    "tied_allocations",
    "topic",
    "topics",
]
