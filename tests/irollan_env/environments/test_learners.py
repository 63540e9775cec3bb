"""What learners of others take as it is: the wrappers of SuperSuit, Tianshou and RLlib, and SB3 behind one of them.

Each is skipped where it is not installed; ``make test-learners`` installs all of them.
"""

from collections.abc import Sequence
from importlib.util import find_spec
from typing import Any

import numpy as np
import pytest
from gymnasium.utils.env_checker import data_equivalence
from numpy.typing import NDArray
from pettingzoo.test import parallel_api_test

import irollan_env
from irollan_env.environments.wrappers import EmbeddedParallelObservation


def needs(*modules: str) -> pytest.MarkDecorator:
    missing = [module for module in modules if find_spec(module) is None]
    return pytest.mark.skipif(bool(missing), reason=f"{', '.join(missing)} is not installed; make test-learners")


ASKED: dict[str, Any] = {"task": "fetch", "slots": 32, "max_steps": 20, "reward": "dense"}


def marks(texts: Sequence[str]) -> NDArray[np.float32]:
    """An embedding of three numbers."""
    return np.array([[len(text), text.count(","), text.count(".")] for text in texts], dtype=np.float32)


@needs("supersuit")
@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("sticky_actions_v0", [0.25]),
        ("clip_reward_v0", []),
        ("pad_action_space_v0", []),
        ("nan_noop_v0", [0]),
        ("delay_observations_v0", [1]),
    ],
)
def test_wrappers_of_supersuit(name: str, arguments: list[Any]) -> None:
    import supersuit

    parallel_api_test(getattr(supersuit, name)(irollan_env.parallel_env(**ASKED), *arguments), num_cycles=40)


@needs("supersuit", "stable_baselines3")
def test_sb3_learns_from_all_agents_of_a_vector() -> None:
    import supersuit
    from stable_baselines3 import PPO

    env = EmbeddedParallelObservation(irollan_env.parallel_env(**ASKED), marks)
    vector = supersuit.concat_vec_envs_v1(
        supersuit.pettingzoo_env_to_vec_env_v1(env), 2, num_cpus=0, base_class="stable_baselines3"
    )
    learner = PPO("MultiInputPolicy", vector, n_steps=8, batch_size=24, n_epochs=1)
    learner.learn(300)
    assert vector.num_envs == 12
    assert learner.num_timesteps >= 300


@needs("supersuit")
def test_frames_of_vectors_are_stacked() -> None:
    import supersuit

    env = EmbeddedParallelObservation(irollan_env.parallel_env(task="fetch", actions="text"), marks)
    observations, _ = supersuit.frame_stack_v2(env, 2).reset(seed=0)
    assert observations["AY"].shape == (6,)


@needs("tianshou")
def test_the_wrapper_of_tianshou() -> None:
    from tianshou.env import PettingZooEnv

    env = PettingZooEnv(irollan_env.env(**ASKED))
    twin = irollan_env.env(**ASKED)
    seen, _ = env.reset(seed=3)
    twin.reset(seed=3)
    for _ in range(14):
        expected = twin.observe(twin.agent_selection)
        assert (seen["agent_id"], seen["obs"]) == (twin.agent_selection, expected["observation"])
        assert seen["mask"] == [bool(allowed) for allowed in expected["action_mask"]]
        action = int(np.flatnonzero(seen["mask"])[-1])
        seen, rewards, *_ = env.step(action)
        twin.step(action)
        assert len(rewards) == 6


@needs("ray")
def test_the_wrapper_of_rllib() -> None:
    from ray.rllib.env.wrappers.pettingzoo_env import ParallelPettingZooEnv

    env, twin = ParallelPettingZooEnv(irollan_env.parallel_env(**ASKED)), irollan_env.parallel_env(**ASKED)
    seen, infos = env.reset(seed=3)
    assert data_equivalence((seen, infos), twin.reset(seed=3))
    over, steps = False, 0
    while not over:
        actions = {name: int(np.flatnonzero(one["action_mask"])[-1]) for name, one in seen.items()}
        seen, rewards, terminated, truncated, infos = env.step(actions)
        observations, expected, _, _, _ = twin.step(actions)
        assert data_equivalence(seen, observations)
        assert rewards == expected
        over, steps = terminated["__all__"] or truncated["__all__"], steps + 1
    assert steps == 20
