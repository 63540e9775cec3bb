"""What an environment is made from: it goes through JSON as an ``EnvSpec``, and numbers may be NumPy's."""

import json
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.envs.registration import EnvSpec

import irollan_env
from irollan_env.map.valley_map import DEFAULT_MAP, ValleyMap
from irollan_env.tasks import Deliver


def make(**arguments: Any) -> gym.Env[str, str]:
    return gym.make("irollan_env:IrollanValley-v0", **arguments)


def test_a_spec_of_a_task_survives_json() -> None:
    task = Deliver(kind="book", person="WM")
    spec = make(task=task, max_steps=5).spec
    assert spec is not None
    again = gym.make(EnvSpec.from_json(spec.to_json()))
    _, info = again.reset(seed=0)
    assert info["goal"] == task.goal
    assert again.unwrapped.get_state()["valley"]["settings"]["task"] == {"AY": task.to_json()}


@pytest.mark.parametrize("name", ["IrollanValley-v0", "IrollanValleyTell-v1"])
def test_the_spec_of_every_id_survives_json(name: str) -> None:
    spec = gym.make(name, split="test_seen", instance=3).spec
    assert spec is not None
    again = gym.make(EnvSpec.from_json(spec.to_json()))
    assert again.reset(seed=0)[0] == gym.make(name, split="test_seen", instance=3).reset(seed=0)[0]
    assert again.spec is not None
    assert again.spec.kwargs == spec.kwargs


def test_a_map_in_a_spec_is_a_path() -> None:
    spec = make(map=ValleyMap.default()).spec
    assert spec is not None
    with pytest.raises(TypeError, match="got dict"):
        gym.make(EnvSpec.from_json(spec.to_json()))
    spec = make(map=str(DEFAULT_MAP)).spec
    assert spec is not None
    assert gym.make(EnvSpec.from_json(spec.to_json())).reset(seed=0)[0] == make().reset(seed=0)[0]


def test_numbers_of_numpy_are_numbers() -> None:
    env = make(task="fetch", instance=np.int64(4), difficulty=np.int8(2))
    same = make(task="fetch", instance=4, difficulty=2)
    assert env.reset(seed=0)[0] == same.reset(seed=0)[0]
    assert json.dumps(env.unwrapped.get_state()) == json.dumps(same.unwrapped.get_state())  # type: ignore[attr-defined]
    assert env.reset(options={"instance": None, "difficulty": np.int64(3)})[1]["goal"]
    society = irollan_env.parallel_env(slots=np.int64(8))
    society.reset(seed=0)
    assert society.action_space("AY").n == 8
    for arguments in ({"difficulty": True}, {"difficulty": 1.0}, {"instance": np.float64(1)}, {"instance": np.True_}):
        with pytest.raises(ValueError, match="must be"):
            make(task="fetch", **arguments)


def test_numbers_of_numpy_are_numbers_of_steps() -> None:
    env = make(max_steps=np.int64(1))
    env.reset(seed=0, options={"max_steps": np.int32(2)})
    assert [env.step("wait")[3] for _ in range(2)] == [False, True]
    assert type(env.unwrapped.get_state()["valley"]["settings"]["max_steps"]) is int
