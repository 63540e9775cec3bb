"""LTRHA: locale and topic, resources, habitus and action, the social framework of section 4 of the paper.

``make_framework`` creates it for a valley, ``LTRHAParallelWrapper`` wraps a PettingZoo environment in it. Each
equation is also a function of its own:

    >>> round(topic(pleasure=[0.6, -0.2], arousal=[0.5, 0.0]), 3)  # Eq. 17
    0.175
    >>> execution_rate([1.0, -2.0]).round(3).tolist()  # Eq. 18
    [0.866, 0.56]
    >>> allocations(6).tolist()  # Eq. 19
    [3.0, 2.0, 1.0, -1.0, -2.0, -3.0]
"""

from ltrha.deeds import Deed
from ltrha.execution import Draws, ResourceMode, StandingDecides
from ltrha.framework import LTRHA, Failure, make_framework
from ltrha.habitus import Habitus, Tendency
from ltrha.likeness_ranker import LikenessRanker
from ltrha.matrix import Allocation, Matrix
from ltrha.order_ranker import OrderRanker
from ltrha.parameters import LTRHAParameters, RankingWeights
from ltrha.pettingzoo_wrapper import LTRHAParallelWrapper
from ltrha.ranking import RankBy, Ranker, Ranking, Standing
from ltrha.resources import allocation, allocations, execution_rate, resource_shares, tied_allocations
from ltrha.situation import PRIMITIVES, Situation, read_action, sign
from ltrha.topic import topic, topics

__all__ = [
    "LTRHA",
    "PRIMITIVES",
    "Allocation",
    "Deed",
    "Draws",
    "Failure",
    "Habitus",
    "LTRHAParallelWrapper",
    "LTRHAParameters",
    "LikenessRanker",
    "Matrix",
    "OrderRanker",
    "RankBy",
    "Ranker",
    "Ranking",
    "RankingWeights",
    "ResourceMode",
    "Situation",
    "Standing",
    "StandingDecides",
    "Tendency",
    "allocation",
    "allocations",
    "execution_rate",
    "make_framework",
    "read_action",
    "resource_shares",
    "sign",
    "tied_allocations",
    "topic",
    "topics",
]
