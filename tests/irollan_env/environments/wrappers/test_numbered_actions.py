"""Actions as numbers: masks that are never empty, and numbers that mean what they say."""

from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.error import ResetNeeded

from irollan_env.environments.wrappers import CatalogueActions, SlotActions


def valley(**arguments: Any) -> gym.Env[str, str]:
    return gym.make("irollan_env:IrollanValley-v0", max_steps=30, **arguments)


@pytest.mark.parametrize("wrap", [CatalogueActions, SlotActions])
def test_every_number_in_the_mask_can_be_done(wrap: Any) -> None:
    env = wrap(valley(others="idle"))
    with pytest.raises(ResetNeeded):
        env.action_masks()
    _, info = env.reset(seed=0)
    for step in range(25):
        mask = env.action_masks()
        assert mask.shape == (env.action_space.n,)
        assert mask.any()
        assert mask[0]
        assert (info["action_mask"] == mask).all()
        assert mask.sum() == 1 + len(info["admissible_actions"])
        _, _, _, _, info = env.step(np.flatnonzero(mask)[step % mask.sum()])
        assert info["outcome"] == "executed"


def test_a_slot_means_what_the_info_says() -> None:
    env = SlotActions(valley(others="idle"), slots=8)
    _, info = env.reset(seed=0, options={"resident": "LL"})
    assert len(info["slot_actions"]) == 8
    number = next(n for n, action in enumerate(info["slot_actions"]) if action.startswith("take "))
    text = info["slot_actions"][number]
    _, _, _, _, info = env.step(number)
    assert info["result"] == f"You {text}.".replace("take ", "take the ").replace("from ", "from the ")
    with pytest.raises(ValueError, match=r"must lie in \[0, 7\], got 8"):
        env.step(8)
    env = SlotActions(valley(others="idle"), slots=200)
    env.reset(seed=0)
    assert env.step(199)[4]["outcome"] == "inadmissible"


def test_a_catalogue_is_of_one_valley() -> None:
    env = CatalogueActions(gym.make("IrollanValleyFetch-v1"))
    with pytest.raises(ValueError, match=r"has no number for 'go to .*'.* use SlotActions"):
        env.reset(seed=0)
