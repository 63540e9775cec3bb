"""From Gymnasium to PettingZoo."""

import gymnasium as gym
import pytest
from pettingzoo.test import parallel_api_test

from irollan_env.environments.wrappers import ParallelOfOne, SlotActions


def test_a_gymnasium_environment_as_a_parallel_one() -> None:
    env = ParallelOfOne(SlotActions(gym.make("irollan_env:IrollanValley-v0", max_steps=30, resident="LL")), "LL")
    parallel_api_test(env, num_cycles=60)
    env.reset(seed=0)
    with pytest.raises(ValueError, match="step needs the action of 'LL' alone"):
        env.step({"AY": 0})
