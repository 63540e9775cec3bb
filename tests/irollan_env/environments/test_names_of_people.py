"""People whose names are of every kind, in a bare world and in all environments."""

import gymnasium
import numpy as np
import pytest
from live_server import running
from named import NAMED, NAMES

from irollan_env import World, get_policy, parallel_env
from irollan_env.client import RemoteParallelEnv
from irollan_env.random_streams import stream
from irollan_env.server.app import create_app
from irollan_env.tasks import ReturnLost
from irollan_env.world.requests import lost_by, named_owner, told, told_owner


@pytest.mark.parametrize("name", ["random", "scripted"])
def test_they_live_by_policies(name):
    world, policy = World(NAMED, seed=0), get_policy(name)
    spoken_to = set()
    for time in range(12):
        acts = {}
        for who in NAMES:
            seen = world.observe(who)
            acts[who] = policy(seen, stream(time, who)) if time else "go to outside"
            spoken_to |= {one.addressee for one in seen.messages}
        outcomes = world.step(acts)
        assert {one.kind for one in outcomes.values()} <= {"executed", "inadmissible"}
    assert spoken_to
    assert spoken_to <= set(NAMES)


def test_environments_take_them():
    env = gymnasium.make("IrollanValley-v0", map=NAMED, resident="Dr. Li", others="random")
    _, info = env.reset(seed=0)
    for _ in range(4):
        *_, info = env.step(info["admissible_actions"][0])
    assert info["outcome"] == "executed"
    assert env.unwrapped.parallel.world.residents == NAMES
    several = parallel_env(map=NAMED, max_steps=4)
    _, infos = several.reset(seed=0)
    assert several.agents == list(NAMES)
    while several.agents:
        acts = {who: int(np.flatnonzero(infos[who]["action_mask"])[-1]) for who in several.agents}
        *_, infos = several.step(acts)
    several.close()


def test_a_server_serves_them():
    with running(create_app(NAMED)) as address, RemoteParallelEnv(address) as remote:
        _, infos = remote.reset(seed=0)
        assert remote.possible_agents == list(NAMES)
        remote.step({who: infos[who]["admissible_actions"][0] for who in NAMES})


def test_tasks_speak_of_them():
    env = parallel_env(map=NAMED, task={"Anna": ReturnLost(item="toy 2", person="O'Brien", knower="Dr. Li")})
    env.reset(seed=0)
    assert told_owner(told(lost_by("toy 2", "O'Brien")), "toy 2") == "O'Brien lost the toy 2."
    assert told_owner("Give O'Brien the toy 2.", "toy 2") is None
    text = "李雷, I hear you: Dr. Li lost the toy 2."
    assert named_owner(text, "toy 2", (*NAMES, "Li")) == "Dr. Li"
    assert named_owner(text, "toy 22", NAMES) is None
    assert named_owner("Joanna lost the toy 2.", "toy 2", ["anna"]) is None
    env.close()
