"""Sentences as vectors."""

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from pettingzoo.test import parallel_api_test

import irollan_env
from irollan_env.environments.wrappers import CatalogueActions, EmbeddedObservation, EmbeddedParallelObservation
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


@pytest.mark.parametrize("actions", ["numbers", "text"])
def test_all_agents_see_vectors(actions: str) -> None:
    embed, asked = HashEmbedder().embed, {"task": "fetch", "actions": actions, "max_steps": 20}
    env, plain = (
        EmbeddedParallelObservation(irollan_env.parallel_env(**asked), embed),
        irollan_env.parallel_env(**asked),
    )
    parallel_api_test(env, num_cycles=40)
    vectors, infos = env.reset(seed=3)
    texts, same = plain.reset(seed=3)
    assert infos["LL"]["goal"] == same["LL"]["goal"]
    for agent, seen in texts.items():
        assert env.observation_space(agent).contains(vectors[agent])
        vector = vectors[agent] if actions == "text" else vectors[agent]["observation"]
        assert np.allclose(vector, embed([seen if actions == "text" else seen["observation"]])[0])  # type: ignore[index]
        if actions == "numbers":
            assert (vectors[agent]["action_mask"] == seen["action_mask"]).all()  # type: ignore[index]
    with pytest.raises(ValueError, match="one row for one text"):
        EmbeddedParallelObservation(plain, lambda texts: np.zeros(3))
