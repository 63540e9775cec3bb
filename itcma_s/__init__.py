"""ITCMA-S: one resident's mind (sections 3.1 to 3.4 of the paper), with its equations and data types.

``make_resident`` creates a mind from a model and an embedder. Each equation is also a function of its own:

    >>> round(driver_bias(pleasure=0.5, arousal=0.2, dominance=0.1, previous_arousal=0.4), 2)  # Eq. 13
    0.47
    >>> round(demand(bias=0.47, previous_bias=0.27), 2)  # Eq. 14
    0.1
    >>> round(driver(previous=1.0, demand=0.1, bias=0.47), 3)  # Eq. 15
    1.047
"""

from itcma_s.ablation.mechanisms import MECHANISM_NAMES
from itcma_s.deliberation.llm_policy.llm_policy import LLMPolicy
from itcma_s.deliberation.protocol import Context, Decision, Deliberation, Intention
from itcma_s.deliberation.similarity_policy.decision_weights import DecisionWeights
from itcma_s.deliberation.similarity_policy.similarity_policy import SimilarityPolicy
from itcma_s.elimination.elimination import EmbeddingScorer, ModelScorer, Scorer, eliminate
from itcma_s.emotion.appraisal import AppraisalWeights
from itcma_s.emotion.driver import DriverWeights, demand, driver, driver_bias, itcma_driver
from itcma_s.emotion.emotion import arousal, dominance, emotional_intensity, leak, linear_weights, pleasure
from itcma_s.factory import make_mind, make_resident
from itcma_s.fields.blending import blend
from itcma_s.fields.name_table import NameTable
from itcma_s.fields.phenomenal_field import Field
from itcma_s.fields.similarity import (
    FieldWeights,
    difference,
    field_similarity,
    object_similarity,
    spherical_similarity,
)
from itcma_s.memory.channel import Channel, Frame
from itcma_s.memory.compression import compress, key_frame, mblend
from itcma_s.memory.levenshtein import Window, best_window, edit_distance
from itcma_s.memory.long_term_memory import LongTermMemory
from itcma_s.memory.memory import Memory
from itcma_s.parameters import Mechanisms, MindParameters
from itcma_s.resident import ItcmaResident

__all__ = [
    "MECHANISM_NAMES",
    "AppraisalWeights",
    "Channel",
    "Context",
    "Decision",
    "DecisionWeights",
    "Deliberation",
    "DriverWeights",
    "EmbeddingScorer",
    "Field",
    "FieldWeights",
    "Frame",
    "Intention",
    "ItcmaResident",
    "LLMPolicy",
    "LongTermMemory",
    "Mechanisms",
    "Memory",
    "MindParameters",
    "ModelScorer",
    "NameTable",
    "Scorer",
    "SimilarityPolicy",
    "Window",
    "arousal",
    "best_window",
    "blend",
    "compress",
    "demand",
    "difference",
    "dominance",
    "driver",
    "driver_bias",
    "edit_distance",
    "eliminate",
    "emotional_intensity",
    "field_similarity",
    "itcma_driver",
    "key_frame",
    "leak",
    "linear_weights",
    "make_mind",
    "make_resident",
    "mblend",
    "object_similarity",
    "pleasure",
    "spherical_similarity",
]
