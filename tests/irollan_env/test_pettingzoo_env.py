"""The PettingZoo environments: conformance, masks, and both ways to say an action."""

import warnings
from typing import Any

import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from pettingzoo.test import api_test, parallel_api_test, parallel_seed_test, seed_test

import irollan_env

# What PettingZoo recommends and this environment does otherwise: residents have the paper's names, and see text.
RECOMMENDATIONS = (
    "We recommend agents to be named in the format <descriptor>_<number>",
    "Observation is not a NumPy array",
    "Observation space for each agent probably should be gymnasium.spaces.box",
)


def test_parallel_conformance() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        parallel_api_test(irollan_env.parallel_env(), num_cycles=200)


def test_aec_conformance() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for message in RECOMMENDATIONS:
            warnings.filterwarnings("ignore", message=message)
        api_test(irollan_env.env(), num_cycles=100)


def test_seeds() -> None:
    seed_test(irollan_env.env, num_cycles=75)
    parallel_seed_test(irollan_env.parallel_env, num_cycles=75)


def masked_rollout(seed: int, steps: int = 40) -> list[Any]:
    env = irollan_env.parallel_env()
    observations, _ = env.reset(seed=seed)
    for number, agent in enumerate(env.agents):
        env.action_space(agent).seed(number)
    seen = []
    for _ in range(steps):
        actions = {a: env.action_space(a).sample(observations[a]["action_mask"]) for a in env.agents}
        observations, *_, infos = env.step(actions)
        for agent, observation in observations.items():
            assert env.observation_space(agent).contains(observation)
            assert observation["action_mask"][0] == 1
        seen.append([(o["sentence"], infos[a]["result"]) for a, o in observations.items()])
    return seen


def test_same_seed_same_episode() -> None:
    assert masked_rollout(3) == masked_rollout(3)
    assert masked_rollout(3) != masked_rollout(4)


def test_every_action_within_the_mask_succeeds_alone() -> None:
    env = irollan_env.parallel_env()
    observations, _ = env.reset(seed=0)
    for number in np.flatnonzero(observations["LL"]["action_mask"]):
        env.reset(seed=0)
        *_, infos = env.step({"LL": int(number)})
        assert infos["LL"]["outcome"] == "executed", env.catalogue.actions[number]


def test_numbers_texts_and_waiting() -> None:
    env = irollan_env.parallel_env(max_steps=2)
    env.reset(seed=0)
    number = env.catalogue.numbers["go to outside"]
    _, rewards, terminations, truncations, infos = env.step(
        {"AY": number, "LL": "go to outside", "MD": None, "SG": 0, "WL": "wait", "WM": np.int64(number)}
    )
    assert [infos[name]["place"] == "outside" for name in env.agents] == [True, False, False, False, True, True]
    assert infos["SG"]["result"] == infos["WL"]["result"] == infos["MD"]["result"] == "You wait."
    assert set(rewards.values()) == {0.0}
    assert not any(terminations.values())
    assert not any(truncations.values())
    *_, truncations, infos = env.step({"AY": "chat with LL: hello there"})
    assert [message.text for message in infos["LL"]["messages"]] == ["hello there"]
    assert [message.text for message in infos["WM"]["messages"]] == ["hello there"]
    assert all(truncations.values())
    assert env.agents == []
    assert env.step({}) == ({}, {}, {}, {}, {})


def test_a_number_is_one_action_for_ever() -> None:
    catalogue = irollan_env.ValleyMap.default().catalogue
    assert catalogue.actions[0] == "wait"
    assert catalogue.action(0) is None
    assert len(set(catalogue.actions)) == len(catalogue)
    with pytest.raises(ValueError, match="an action's number must lie in"):
        catalogue.action(len(catalogue))
    with pytest.raises(ValueError, match="an action's number must lie in"):
        catalogue.action(-1)


def test_misuse() -> None:
    env = irollan_env.parallel_env()
    with pytest.raises(ResetNeeded, match="call reset first"):
        env.step({})
    with pytest.raises(ValueError, match="unknown option 'max_step'"):
        env.reset(options={"max_step": 3})
    env.reset(seed=0, options={"max_steps": 1})
    with pytest.raises(ValueError, match="unknown resident 'XX'"):
        env.step({"XX": 0})
    assert all(env.step({})[3].values())


def test_ansi() -> None:
    env = irollan_env.parallel_env(render_mode="ansi")
    env.reset(seed=0)
    assert str(env.render()).count("You are in") == 6
    assert irollan_env.parallel_env().render() is None


def test_percepts_on_request() -> None:
    _, infos = irollan_env.parallel_env(percepts=True).reset(seed=0)
    assert infos["AY"]["percepts"]
