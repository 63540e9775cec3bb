"""Environments, tasks and the server in worlds of one's own: that of docs/worlds.md, and one that offers actions."""

import json

import gymnasium
import pytest
from live_server import running
from town_of_page import Bell, Town

import irollan_env
from irollan_env.client import RemoteParallelEnv
from irollan_env.server.app import create_app

TOWN, BELL = "town_of_page:Town", "town_of_page:Bell"
OUT = {"AY": "go to outside", "SG": "go to outside"}
RING = {"AY": "use bell 1", "SG": "use bell 1"}


def through(env):
    """Two steps after a state was taken, as a learner sees them."""
    return json.loads(json.dumps([env.step(RING), env.step({})], default=list))


@pytest.mark.parametrize("task", [None, "fetch"])
def test_parallel_env_lives_in_the_world_of_the_page_and_restores_it(task):
    def made():
        return irollan_env.parallel_env(map="irollan_valley", world=[TOWN, BELL], actions="text", task=task)

    env = made()
    env.reset(seed=1)
    *_, infos = env.step(OUT)
    assert "You pay a toll." in infos["AY"]["result"]
    assert env.world.variables()["world"] == {"toll": 2.0}
    assert "use bell 1" in infos["AY"]["admissible_actions"]
    state, twin, other = json.loads(json.dumps(env.get_state())), env.copy(), made()
    other.set_state(state)
    later = through(env)
    assert later == through(twin) == through(other)
    assert later[0][4]["SG"]["needs"] == {"noise": 2 / 3}
    with pytest.raises(ValueError, match="mechanics"):
        irollan_env.parallel_env(map="irollan_valley", actions="text", task=task).set_state(state)


def test_actions_of_a_world_class_have_numbers_and_it_can_end_an_episode():
    env = irollan_env.parallel_env(world=Bell)
    plain = irollan_env.parallel_env()
    assert env.catalogue.actions == (*plain.catalogue.actions, "use bell 1")
    env.reset(seed=0)
    env.step(dict.fromkeys(env.agents, env.catalogue.numbers["go to outside"]))
    ring = dict.fromkeys(("AY", "SG", "MD"), env.catalogue.numbers["use bell 1"])
    _, _, terminations, truncations, _ = env.step(ring)
    assert all(terminations.values())
    assert not any(truncations.values())
    assert env.agents == []


def test_gymnasium_makes_it_by_name_and_resets_into_another():
    env = gymnasium.make("irollan_env:IrollanValley-v0", world=TOWN, others="idle")
    assert gymnasium.make(env.spec.from_json(env.spec.to_json())).spec.kwargs["world"] == TOWN
    env.reset(seed=0)
    *_, info = env.step("go to outside")
    assert "You pay a toll." in info["result"]
    env.reset(options={"world": BELL})
    env.step("go to outside")
    *_, info = env.step("use bell 1")
    assert info["needs"] == irollan_env.observation_of(info).needs == {"noise": 1 / 3}


@pytest.mark.parametrize(
    ("world", "error", "decisive"),
    [
        ("town_of_page:Twn", ValueError, "cannot be imported"),
        ("town", ValueError, "module:Class"),
        ([TOWN, TOWN], ValueError, "twice"),
        ([TOWN, Town], ValueError, "Town"),
        (dict, ValueError, "irollan_env.Mechanic"),
        ([3], TypeError, "got 3"),
        (Town(), TypeError, "must be 'module:Class', a subclass"),
    ],
)
def test_what_is_no_world_class_is_refused(world, error, decisive):
    with pytest.raises(error, match=decisive):
        irollan_env.parallel_env(world=world)


def test_the_server_has_sessions_in_it():
    with (
        running(create_app(world=[TOWN, BELL])) as address,
        RemoteParallelEnv(address, max_steps=9) as env,
        RemoteParallelEnv(address, max_steps=9) as other,
    ):
        assert env.catalogue.actions[-1] == "use bell 1"
        env.reset(seed=1)
        *_, infos = env.step(OUT)
        assert "You pay a toll." in infos["AY"]["result"]
        other.set_state(env.get_state())
        for one in (env, other):
            *_, infos = one.step(RING)
            assert infos["WM"]["needs"] == {"noise": 2 / 3}


def test_a_world_class_that_fails_is_said_by_the_server():
    with running(create_app(world="odd_worlds:Raises")) as address, RemoteParallelEnv(address) as env:
        env.reset(seed=0)
        env.step({})
        env.step({})
        with pytest.raises(RuntimeError, match=r"odd_worlds:Raises failed in after_step at odd_worlds\.py:12"):
            env.step({})
