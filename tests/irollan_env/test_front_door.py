"""What users import from the root: observations and residents in Gymnasium and PettingZoo loops."""

import asyncio
import warnings

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.error import ResetNeeded

import irollan_env
from irollan_env import (
    Act,
    Interviewable,
    Overridable,
    ScriptedResident,
    SyncResident,
    observation_of,
    wrappers,
)


def scripted(name):
    return SyncResident(ScriptedResident(name, np.random.default_rng(0)))


def test_what_a_resident_is_given_is_what_the_world_shows():
    env = irollan_env.parallel_env(task="tell", percepts=["AY"])
    _, infos = env.reset(seed=0)
    for name in env.agents:
        seen = observation_of(env, name)
        assert seen.percepts
        assert seen.goal == infos[name]["goal"]
        assert seen.to_json() == {**env.world.observe(name).to_json(), "goal": seen.goal}
    assert observation_of(infos, "AY") == observation_of(infos["AY"]) == observation_of(env, "AY")


@pytest.mark.parametrize(
    "wrap",
    [
        lambda env: env,
        lambda env: gym.wrappers.TimeLimit(env, 5),
        wrappers.SlotActions,
        wrappers.ForgivingActions,
        wrappers.ParallelOfOne,
        lambda env: wrappers.SingleAgent(irollan_env.parallel_env(percepts=True), "LL"),
    ],
)
def test_environments_in_wrappers(wrap):
    env = wrap(gym.make("irollan_env:IrollanValley-v0", resident="LL"))
    with pytest.raises(ResetNeeded):
        observation_of(env)
    env.reset(seed=0)
    assert observation_of(env).resident == "LL"
    assert observation_of(env, "LL").percepts


def test_whose_turn_it_is():
    env = irollan_env.env()
    with pytest.raises(ResetNeeded):
        observation_of(env)
    env.reset(seed=0)
    assert observation_of(env).resident == env.agent_selection == "AY"
    env.step(0)
    assert observation_of(env).resident == "SG"
    assert observation_of(env, "WM").resident == "WM"


@pytest.mark.parametrize(
    ("source", "resident", "error", "match"),
    [
        (lambda env, infos: env, None, ValueError, "several residents"),
        (lambda env, infos: env, "AX", ValueError, "unknown resident 'AX'"),
        (lambda env, infos: infos, "AX", ValueError, "unknown resident 'AX'"),
        (lambda env, infos: infos, None, ValueError, "several residents"),
        (lambda env, infos: infos["AY"], "LL", ValueError, "'AY', not of 'LL'"),
        (lambda env, infos: {**infos["AY"], "percepts": ()}, None, ValueError, "percepts=True"),
        (lambda env, infos: {"a": 1}, None, TypeError, "admissible_actions"),
        (lambda env, infos: {}, None, TypeError, "admissible_actions"),
        (lambda env, infos: gym.make("CartPole-v1"), None, TypeError, "CartPoleEnv"),
        (lambda env, infos: None, None, TypeError, "NoneType"),
    ],
)
def test_what_is_no_source(source, resident, error, match):
    env = irollan_env.parallel_env(percepts=True)
    _, infos = env.reset(seed=0)
    with pytest.raises(error, match=match):
        observation_of(source(env, infos), resident)


def test_residents_in_a_plain_loop_act_as_in_an_event_loop():
    def lived(decide):
        env = irollan_env.parallel_env(max_steps=4)
        _, infos = env.reset(seed=0)
        agents = {name: scripted(name) for name in env.agents}
        results = []
        while env.agents:
            acts = decide(env, agents)
            _, _, _, _, infos = env.step({name: act.action for name, act in acts.items()})
            results += [info["result"] for info in infos.values()]
        return results

    def plain(env, agents):
        return {name: agent.act(observation_of(env, name)) for name, agent in agents.items()}

    async def together(env, agents):
        acts = await asyncio.gather(*(agent.act_async(observation_of(env, name)) for name, agent in agents.items()))
        return dict(zip(agents, acts, strict=True))

    async def as_in_jupyter():
        return lived(plain)

    expected = lived(plain)
    assert len(set(expected)) > 4
    assert lived(lambda env, agents: asyncio.run(together(env, agents))) == expected
    assert asyncio.run(as_in_jupyter()) == expected


class Person:
    """Knows one thing, and remembers what was done in its place."""

    name = "LL"

    def __init__(self):
        self.done = []

    async def act(self, observation):
        return Act(action=None)

    def set_action(self, action):
        self.done.append(action)

    def answer(self):
        return ["The book is red."]

    def get_state(self):
        return {"done": self.done}

    def set_state(self, state):
        self.done = state["done"]


def test_the_optional_methods_are_handed_on():
    agent = SyncResident(Person())
    assert isinstance(agent, Overridable)
    assert isinstance(agent, Interviewable)
    agent.set_action(None)
    assert agent.get_state() == {"done": [None]}
    agent.set_state({"done": []})
    assert agent.resident.done == []
    assert agent.answer() == ["The book is red."]
    assert not isinstance(scripted("LL"), Overridable)


class Nested(Person):
    """Asks another resident in the loop in which it decides itself."""

    async def act(self, observation):
        return SyncResident(Person()).act(observation)


def test_a_loop_that_would_wait_for_itself_is_an_error():
    env = gym.make("irollan_env:IrollanValley-v0", resident="LL")
    env.reset(seed=0)
    with pytest.raises(RuntimeError, match="act_async"):
        SyncResident(Nested()).act(observation_of(env))


def test_a_resident_takes_its_own_observation_and_nothing_else():
    env = irollan_env.parallel_env()
    env.reset(seed=0)
    agent = scripted("LL")
    with pytest.raises(ValueError, match="LL was given the observation of SG"):
        agent.act(observation_of(env, "SG"))
    for source in ("You are at home.", env):
        with pytest.raises(TypeError, match=r"irollan_env\.observation_of"):
            agent.act(source)


class Failing(Person):
    """Has no answer from its model."""

    async def act(self, observation):
        return Act(action=None, failure="the model is asleep")


def test_the_first_failure_of_a_plain_loop_is_a_warning():
    env = gym.make("irollan_env:IrollanValley-v0", resident="LL")
    env.reset(seed=0)
    agent = SyncResident(Failing())
    with pytest.warns(RuntimeWarning, match="LL waits: the model is asleep") as warned:
        agent.act(observation_of(env))
    assert warned[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        agent.act(observation_of(env))


def test_an_act_in_the_place_of_its_action_is_refused_with_the_remedy():
    env = gym.make("irollan_env:IrollanValley-v0", resident="LL")
    env.reset(seed=0)
    with pytest.raises(TypeError, match=r"got Act; give its \.action"):
        env.step(scripted("LL").act(observation_of(env)))
