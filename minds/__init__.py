"""Minds for the valley: those of other papers and simple ones by name, and minds of one's own."""

from minds.hosted import HostedMind
from minds.mind import Answer, History, Mind, MindContext, Stateful
from minds.mind_specs import MindSpec, find_mind, list_minds
from minds.model_client import ModelClient, StepClosed

__all__ = [
    "Answer",
    "History",
    "HostedMind",
    "Mind",
    "MindContext",
    "MindSpec",
    "ModelClient",
    "Stateful",
    "StepClosed",
    "find_mind",
    "list_minds",
]
