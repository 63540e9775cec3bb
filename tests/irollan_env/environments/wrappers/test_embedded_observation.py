"""Sentences as vectors."""

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from irollan_env.environments.wrappers import CatalogueActions, EmbeddedObservation
from language_models.embedders.hash_embedder import HashEmbedder


def test_sentences_become_vectors() -> None:
    env = EmbeddedObservation(
        CatalogueActions(gym.make("irollan_env:IrollanValley-v0", max_steps=30)), HashEmbedder().embed
    )
    check_env(env, skip_render_check=True)
    observation, _ = env.reset(seed=0)
    again, _ = env.reset(seed=0)
    assert observation.dtype == np.float32
    assert (observation == again).all()
    with pytest.raises(ValueError, match="one row for one text"):
        EmbeddedObservation(gym.make("irollan_env:IrollanValley-v0", max_steps=30), lambda texts: np.zeros(3))
