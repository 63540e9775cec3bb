"""Saving, restoring and copying the AEC environment, between any two answers."""

import json
from typing import Any

import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.utils.env_checker import data_equivalence

import irollan_env

WAYS: list[dict[str, Any]] = [
    {},
    {"slots": 24, "task": "random", "reward": "dense"},
]


def make(**arguments: Any) -> irollan_env.IrollanValleyAECEnv:
    return irollan_env.env(**{"max_steps": 12, **arguments})


def play(env: Any, answers: int, seed: int = 0) -> list[Any]:
    """All that agents are shown over some answers; over the end of an episode too."""
    generator, seen = np.random.default_rng(seed), []
    for _ in range(answers):
        if not env.agents:
            env.reset()
        observation, reward, terminated, truncated, info = env.last()
        seen.append((env.agent_selection, observation, reward, terminated, truncated, info, dict(env.rewards)))
        over = terminated or truncated
        env.step(None if over else int(generator.choice(np.flatnonzero(info["action_mask"]))))
    return seen


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("answers", [0, 5, 33, 72, 78])
def test_it_goes_on_exactly_from_any_answer(way: dict[str, Any], answers: int) -> None:
    env = make(**way)
    env.reset(seed=3)
    play(env, answers)
    text = json.dumps(env.get_state())
    restored = irollan_env.env(slots=way.get("slots"), observation="full" if "task" in way else None)
    restored.set_state(json.loads(text))
    copied = env.copy()
    assert json.dumps(restored.get_state()) == json.dumps(copied.get_state()) == text
    ahead = play(env, 40)
    assert json.dumps(copied.get_state()) == text
    assert data_equivalence(play(copied, 40), ahead)
    assert data_equivalence(play(restored, 40), ahead)


def test_it_is_the_parallel_environment_asked_in_turn() -> None:
    parallel, turns = irollan_env.parallel_env(task="random", reward="dense"), make(task="random", reward="dense")
    observations, infos = parallel.reset(seed=1)
    turns.reset(seed=1)
    for _ in range(10):
        for agent in parallel.agents:
            observation, *_, info = turns.last()
            assert data_equivalence((observation, info), (observations[agent], infos[agent]))
            turns.step(infos[agent]["admissible_actions"][0])
        observations, rewards, _, _, infos = parallel.step(
            {agent: info["admissible_actions"][0] for agent, info in infos.items()}
        )
        assert turns.rewards == rewards
    assert turns.get_state()["valley"]["world"] == parallel.get_state()["world"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"version": 9}, "state has version 9, this is version 1"),
        ({"wrld": 0}, "state has an unknown key 'wrld'"),
        ({"valley": {}}, "state.valley: state has version None"),
        ({"rewards": {}}, "state.rewards lacks 'AY'"),
        ({"rewards": dict.fromkeys(["AY", "SG", "MD", "WL", "LL", "WM"], 10**400)}, "must be a finite number"),
        ({"acts": None}, "state.acts must be a list, got None"),
        ({"acts": [0] * 6}, "state.acts must be a list of at most 5 answers"),
        ({"acts": [10**9]}, "state.acts: 1000000000 is not in the action space of 'AY'"),
        ({"acts": [0, 1.5]}, "the act of 'SG' must be a number, a string or null, got 1.5"),
    ],
)
def test_broken_states_are_refused(change: dict[str, Any], message: str) -> None:
    env = make()
    env.reset(seed=0)
    play(env, 8)
    before = env.get_state()
    with pytest.raises(ValueError, match=message):
        env.set_state({**before, **change})
    assert env.get_state() == before


def test_after_the_end_there_is_nothing_to_answer() -> None:
    env = make(max_steps=1)
    env.reset(seed=0)
    play(env, 6)
    state = env.get_state()
    assert state["acts"] == []
    with pytest.raises(ValueError, match=r"state\.acts must hold nothing but null after the end, got 3"):
        env.set_state({**state, "acts": [3]})


def test_calls_out_of_order() -> None:
    env = make(max_steps=1)
    with pytest.raises(ResetNeeded, match="step was called before reset"):
        env.step("wait")
    env.reset(seed=0)
    play(env, 12)
    assert env.agents == []
    with pytest.raises(ResetNeeded, match="step was called after all agents had left"):
        env.step(None)


def test_any_finite_reward_can_be_restored() -> None:
    turns = irollan_env.env()
    turns.reset(seed=0)
    state = turns.get_state()
    state["rewards"]["AY"] = 10**30
    turns.set_state(state)
    assert turns.last()[1] == 10**30
