"""The Gymnasium environment: conformance, options and what it tells."""

import warnings
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import irollan_env
from irollan_env.valley_map import DEFAULT_MAP


def make(**arguments: Any) -> gym.Env[str, str]:
    return gym.make("irollan_env:IrollanValley-v0", **arguments)


def test_check_env_has_nothing_to_say() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(make().unwrapped)


def test_an_episode() -> None:
    env = make(resident="LL", max_steps=3, others="idle")
    observation, info = env.reset(seed=0)
    assert observation.startswith("You are in LL's Home.")
    assert info["place"] == "LL's Home"
    assert (info["outcome"], info["result"], info["score"], info["goal"]) == (None, "", 0.0, None)
    observation, reward, terminated, truncated, info = env.step("take toy 3 from nightstand 1")
    assert observation.endswith("You are holding the toy 3.")
    assert (reward, terminated, truncated) == (0.0, False, False)
    assert (info["outcome"], info["result"]) == ("executed", "You take the toy 3 from the nightstand 1.")
    *_, info = env.step("juggle toy 3")
    assert info["outcome"] == "inadmissible"
    *_, truncated, info = env.step("wait")
    assert (truncated, info["result"], info["time"]) == (True, "You wait.", 3)


def test_the_mask_names_the_admissible_actions() -> None:
    env = make()
    _, info = env.reset(seed=0)
    actions = env.unwrapped.catalogue.actions  # type: ignore[attr-defined]
    allowed = {actions[number] for number in np.flatnonzero(info["action_mask"])}
    assert allowed == {"wait", *info["admissible_actions"]}


def rollout(env: gym.Env[str, str], seed: int, steps: int = 20) -> list[Any]:
    observation, info = env.reset(seed=seed)
    seen = [observation]
    for step in range(steps):
        actions = info["admissible_actions"]
        observation, *_, info = env.step(actions[step * 7 % len(actions)])
        seen.append((observation, info["messages"], info["percepts"], info["result"]))
    return seen


@pytest.mark.parametrize("others", ["scripted", "random", "idle"])
def test_same_seed_same_episode(others: str) -> None:
    assert rollout(make(others=others), 5) == rollout(make(others=others), 5)


def test_different_seeds_differ() -> None:
    assert rollout(make(), 5) != rollout(make(), 6)


def test_observations_and_actions_are_in_their_spaces() -> None:
    env = make(others="random")
    _, info = env.reset(seed=1)
    generator = np.random.default_rng(1)
    for _ in range(70):
        action = info["admissible_actions"][int(generator.integers(len(info["admissible_actions"])))]
        assert action in env.action_space
        observation, *_, info = env.step(action)
        assert observation in env.observation_space


def test_options_at_reset() -> None:
    env = make()
    observation, _ = env.reset(
        seed=0, options={"resident": "WM", "max_steps": 1, "others": "idle", "map": str(DEFAULT_MAP)}
    )
    assert observation.startswith("You are in WM's Home.")
    assert env.step("wait")[3]
    assert env.reset()[0].startswith("You are in WM's Home.")


def test_another_policy_for_the_others() -> None:
    def leave(observation: irollan_env.Observation, generator: np.random.Generator) -> str | None:
        return "go to outside" if "go to outside" in observation.admissible else None

    env = make(others=leave)
    env.reset(seed=0)
    env.step("wait")
    assert len(env.unwrapped.world.people_in("outside")) == 5  # type: ignore[attr-defined]


def test_percepts_can_be_left_out() -> None:
    assert make(percepts=False).reset(seed=0)[1]["percepts"] == ()
    assert make().reset(seed=0)[1]["percepts"]


def test_ansi() -> None:
    env = make(render_mode="ansi", resident="LL", others="idle")
    env.reset(seed=0)
    env.step("use chair 7")
    picture = env.render()
    assert isinstance(picture, str)
    assert picture.splitlines()[:2] == ["[1] LL", "You use the chair 7."]
    assert make().unwrapped.render() is None


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"resident": "LX"}, "unknown resident 'LX'; known are"),
        ({"max_steps": 0}, "max_steps must be an integer >= 1, got 0"),
        ({"others": "skripted"}, "unknown policy 'skripted'; did you mean 'scripted'"),
    ],
)
def test_bad_arguments(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make(**arguments)
    with pytest.raises(ValueError, match=message):
        make().reset(options=arguments)


def test_unknown_option() -> None:
    with pytest.raises(ValueError, match="unknown option 'max_step'; did you mean 'max_steps'"):
        make().reset(options={"max_step": 3})


def test_unknown_render_mode() -> None:
    with pytest.raises(ValueError, match="render_mode must be None or 'ansi', got 'human'"):
        irollan_env.IrollanValleyEnv(render_mode="human")


def test_step_before_reset() -> None:
    with pytest.raises(RuntimeError, match="call reset first"):
        irollan_env.IrollanValleyEnv().step("wait")


def test_an_action_is_text() -> None:
    env = irollan_env.IrollanValleyEnv()
    env.reset(seed=0)
    with pytest.raises(TypeError, match="must be a string or None, got 3"):
        env.step(3)  # type: ignore[arg-type]


def test_missing_map() -> None:
    with pytest.raises(FileNotFoundError):
        irollan_env.IrollanValleyEnv(map=Path("nowhere.toml"))
