"""The PettingZoo environments: conformance, masks, both ways to say an action, and the state for critics."""

import json
import warnings
from typing import Any

import numpy as np
import pettingzoo
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.utils.env_checker import data_equivalence
from pettingzoo.test import api_test, parallel_api_test, state_test

import irollan_env
from irollan_env.world.numbered_actions import catalogue_of

# What PettingZoo recommends and this environment does otherwise: residents have the paper's names, and see text.
RECOMMENDATIONS = (
    "We recommend agents to be named in the format <descriptor>_<number>",
    "Observation is not a NumPy array",
    "Observation space for each agent probably should be gymnasium.spaces.box",
    "Action space for each agent probably should be gymnasium.spaces.box",
)


# Every way in which the registered environments number actions and show masks.
WAYS: list[dict[str, Any]] = [
    {},
    {"slots": 32, "observation": "full", "percepts": True},
    {"slots": 48, "map": irollan_env.generate_towns(12, towns=3, seed=0)},
    {"task": {"AY": "find", "LL": "tell"}, "reward": "dense", "expert_plan": True},
    {"task": "random", "observation": "sentence", "actions": "text"},
]


def parallel(**arguments: Any) -> Any:
    return pettingzoo.make("parallel", "IrollanValley-v0", **arguments)


def aec(**arguments: Any) -> Any:
    return pettingzoo.make("aec", "IrollanValley-v0", **arguments)


@pytest.mark.parametrize("way", WAYS)
def test_parallel_conformance(way: dict[str, Any]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        parallel_api_test(parallel(**way), num_cycles=30)


@pytest.mark.parametrize("way", WAYS)
def test_aec_conformance(way: dict[str, Any]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for message in RECOMMENDATIONS:
            warnings.filterwarnings("ignore", message=message)
        api_test(aec(**way), num_cycles=30)


@pytest.mark.parametrize("way", [way for way in WAYS if "actions" not in way])
def test_seeds_within_the_mask(way: dict[str, Any]) -> None:
    """What PettingZoo's test leaves out: the first observations, actions that can be done, and other seeds."""

    def episode(seed: int, *, backwards: bool = False) -> list[Any]:
        env = parallel(max_cycles=25, **way)
        observations, infos = env.reset(seed=seed)
        for number, agent in enumerate(env.possible_agents):
            env.action_space(agent).seed(number)
        seen = [(observations, infos)]
        while env.agents:
            agents = list(reversed(env.agents)) if backwards else env.agents
            actions = {name: env.action_space(name).sample(infos[name]["action_mask"]) for name in agents}
            observations, rewards, terminations, truncations, infos = env.step(actions)
            for name, observation in observations.items():
                assert env.observation_space(name).contains(observation)
                assert infos[name]["action_mask"][0] == 1
                assert (observation["action_mask"] == infos[name]["action_mask"]).all()
            seen.append((observations, rewards, terminations, truncations, infos))
        assert len(seen) == 26
        return seen

    first = episode(3)
    assert data_equivalence(first, episode(3))
    assert data_equivalence(first, episode(3, backwards=True))
    assert not data_equivalence(first, episode(4))


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
    with pytest.raises(ResetNeeded, match="after the last step, 2; call reset first"):
        env.step({"AY": 0})


def test_a_number_is_one_action_for_ever() -> None:
    catalogue = catalogue_of(irollan_env.ValleyMap.default())
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
    for arguments in (
        {"observation": "mask"},
        {"actions": "words"},
        {"actions": "text", "slots": 8},
        {"percepts": ["Ay"]},
    ):
        with pytest.raises(ValueError, match=r"observation|actions|percepts"):
            irollan_env.parallel_env(**arguments)
    with pytest.raises(ResetNeeded):
        env.observe()
    with pytest.raises(ResetNeeded):
        env.get_state()
    env.reset(seed=0, options={"max_steps": 1})
    with pytest.raises(ValueError, match="an action's number must lie in"):
        env.step({"AY": 10**6})
    assert env.world.time == 0
    with pytest.raises(ValueError, match="unknown resident 'XX'"):
        env.step({"XX": 0})
    assert all(env.step({})[3].values())


def played(env: Any, steps: int, seed: int = 0) -> list[str]:
    generator, seen = np.random.default_rng(seed), []
    _, infos = env.observe()
    for _ in range(steps):
        choices = {name: info["admissible_actions"] for name, info in infos.items()}
        actions = {name: texts[int(generator.integers(len(texts)))] for name, texts in choices.items()}
        observations, *_, infos = env.step(actions)
        seen.append(json.dumps([observations[name]["observation"] + infos[name]["result"] for name in observations]))
    return seen


def test_saved_restored_and_copied() -> None:
    env = irollan_env.parallel_env(max_steps=60, slots=20)
    env.reset(seed=5)
    played(env, 20)
    text = json.dumps(env.get_state())
    other = irollan_env.parallel_env(slots=20)
    other.set_state(json.loads(text))
    twin = env.copy()
    assert data_equivalence(other.observe(), env.observe())
    assert json.dumps(other.get_state()) == json.dumps(twin.get_state()) == text
    assert played(other, 20) == played(twin, 20)
    assert json.dumps(env.get_state()) == text
    assert played(env, 20) == played(restored(text), 20)
    played(env, 20)
    assert env.agents == []
    assert other.agents
    over = restored(json.dumps(env.get_state()))
    assert over.agents == []
    assert data_equivalence(over.reset(), env.reset())


def restored(text: str) -> Any:
    env = irollan_env.parallel_env(slots=20)
    env.set_state(json.loads(text))
    return env


def test_text_in_and_out_on_any_map() -> None:
    towns = irollan_env.generate_towns(1000)
    env = irollan_env.parallel_env(map=towns, actions="text", percepts=[towns.residents[1].name])
    observations, infos = env.reset(seed=0)
    first, second = env.agents[:2]
    assert observations[first] in env.observation_space(first)
    assert infos[first]["action_mask"] is None
    assert [bool(infos[name]["percepts"]) for name in (first, second)] == [False, True]
    action = infos[first]["admissible_actions"][0]
    assert action in env.action_space(first)
    *_, infos = env.step({first: action, second: "wait"})
    assert [infos[name]["outcome"] for name in (first, second)] == ["executed", "executed"]
    with pytest.raises(TypeError, match=r"must be a string or None, got 3"):
        env.step({first: 3})


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
