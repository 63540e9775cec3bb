"""Wrappers for learners: other forms of actions, observations and infos, trajectories, and other APIs."""

from irollan_env.environments.single_agent import SingleAgent
from irollan_env.environments.wrappers.embedded_observation import (
    Embed,
    EmbeddedObservation,
    EmbeddedParallelObservation,
)
from irollan_env.environments.wrappers.forgiving_actions import ForgivingActions, understood
from irollan_env.environments.wrappers.numbered_actions import CatalogueActions, SlotActions
from irollan_env.environments.wrappers.parallel_of_one import ParallelOfOne
from irollan_env.environments.wrappers.text_game_infos import TextGameInfos
from irollan_env.environments.wrappers.trajectory import RecordParallelTrajectory, RecordTrajectory

__all__ = [
    "CatalogueActions",
    "Embed",
    "EmbeddedObservation",
    "EmbeddedParallelObservation",
    "ForgivingActions",
    "ParallelOfOne",
    "RecordParallelTrajectory",
    "RecordTrajectory",
    "SingleAgent",
    "SlotActions",
    "TextGameInfos",
    "understood",
]
