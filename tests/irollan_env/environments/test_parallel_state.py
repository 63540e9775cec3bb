"""What ``state`` of the PettingZoo environments tells a critic that sees more than any agent."""

import json
from typing import Any

import pytest
from pettingzoo.test import state_test

import irollan_env


def test_the_state_tells_what_no_agent_sees() -> None:
    env = irollan_env.parallel_env(task="fetch", instance=0)
    env.reset(seed=0)
    told = json.loads(env.state())
    hidden = [item for item in env.map.tables.items if not env.world.is_open(told["world"]["items"][item]["on"])]
    assert hidden
    assert set(told["tasks"]) == set(env.agents)
    assert not any(f"the {hidden[0]} placed" in env.world.sentence(name) for name in env.agents)
    assert env.state_space.contains(env.state())
    before = env.state()
    env.step({"AY": "chat with LL: \u4f60\u597d"})
    assert env.state_space.contains(env.state())
    assert env.state() != before


@pytest.mark.parametrize("way", [{}, {"task": "random", "slots": 16}])
def test_conformance_of_the_state(way: dict[str, Any]) -> None:
    turns = irollan_env.env(max_steps=12, **way)
    assert turns.unwrapped.state_space == irollan_env.IrollanValleyParallelEnv.state_space
    with pytest.warns(UserWarning, match=r"State space for each environment probably should be|State is not NumPy"):
        state_test(turns, irollan_env.parallel_env(max_steps=12, **way), num_cycles=5)
