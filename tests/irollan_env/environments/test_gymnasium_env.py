"""The Gymnasium environment: conformance, options and what it tells."""

import warnings
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.utils.env_checker import check_env

import irollan_env
from irollan_env.environments.wrappers import SlotActions
from irollan_env.map.generate import generate_towns
from irollan_env.map.valley_map import ValleyMap
from irollan_env.tasks import ALONE, HELD_OUT, Deliver


def make(**arguments: Any) -> gym.Env[str, str]:
    return gym.make("irollan_env:IrollanValley-v0", **arguments)


IDS = sorted(name for name in gym.registry if name.startswith("IrollanValley"))


def test_what_is_registered() -> None:
    assert {"IrollanValley-v0", *(f"IrollanValley{task.__name__}-v1" for task in ALONE.values())} == set(IDS)


@pytest.mark.parametrize("name", ["IrollanValley-v0", "IrollanValleyFetch-v1", "IrollanValleyTell-v1"])
def test_check_env_has_nothing_to_say(name: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(gym.make(name).unwrapped)


@pytest.mark.parametrize("mode", ["sync", "async"])
def test_vector_environments(mode: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        envs = gym.make_vec("IrollanValleyDeliver-v1", num_envs=2, vectorization_mode=mode, max_steps=3, percepts=False)
        alone = make(task="deliver", others="neighbour", max_steps=3, percepts=False)
        observations, infos = envs.reset(seed=[5, 6])
        observation, info = alone.reset(seed=6)
        assert observations[1] == observation
        first = observations
        for _ in range(3):
            observations, rewards, terminations, truncations, infos = envs.step(
                [a[0] for a in infos["admissible_actions"]]
            )
            alone_observation, *_, info = alone.step(info["admissible_actions"][0])
            assert observations[1] == alone_observation
        assert first[1] != observations[1]
        assert truncations.all()
        assert not terminations.any()
        assert rewards.tolist() == [0.0, 0.0]
        *_, infos = envs.step(["wait", "wait"])  # the step in which it begins anew
        assert infos["time"].tolist() == [0, 0]
        assert envs.single_observation_space == alone.observation_space
        envs.close()


def test_a_task() -> None:
    env = make(task=Deliver(kind="food", person="SG"), reward="dense", expert_plan=True, others="idle")
    _, info = env.reset(seed=0)
    assert (info["goal"], info["score"]) == ("Bring some food to SG.", 0.0)
    plan = ("take food 1 from foodshelf 1", "go to outside", "go to SG's Home", "put food 1 in/on SG")
    assert info["expert_plan"] == plan[:2]  # what is outside, nobody at home knows
    for number, action in enumerate(plan, start=1):
        _, reward, terminated, truncated, info = env.step(action)
        assert (reward, info["score"]) == (0.25, number / 4)
        assert (terminated, truncated) == (number == 4, False)


def test_a_family_by_options() -> None:
    env = make(map=ValleyMap.default())
    _, info = env.reset(seed=0)
    assert info["goal"] is None
    assert "expert_plan" not in info
    options = {"task": "fetch", "split": "test_unseen", "expert_plan": True}
    goals = [env.reset(seed=seed, options=options)[1]["goal"] for seed in range(3)]
    assert goals == [env.reset(seed=seed)[1]["goal"] for seed in range(3)]
    assert env.unwrapped.parallel.episodes.tasks.by_resident["AY"].task.family == "fetch"  # type: ignore[attr-defined]
    assert env.reset(seed=0, options={"split": "train"})[1]["goal"] != goals[0]
    assert env.reset(options={"task": None})[1]["expert_plan"] == ()


@pytest.mark.parametrize(("task", "families"), [("random", {*ALONE}), ("random_seen", {*ALONE} - {*HELD_OUT})])
def test_any_family(task: str, families: set[str]) -> None:
    drawn = set()
    env = make(task=task, percepts=False)
    for seed in range(45):
        env.reset(seed=seed)
        drawn.add(env.unwrapped.parallel.episodes.tasks.by_resident["AY"].task.family)  # type: ignore[attr-defined]
    assert drawn == families


def test_every_instance_has_a_valley_of_its_own_and_spaces_hold_them_all() -> None:
    env = make(task="fetch", others="neighbour")
    places = set()
    for number in range(6):
        observation, info = env.reset(options={"instance": number, "split": "test_unseen"})
        assert observation in env.observation_space
        assert info["action_mask"] is None
        places.add(info["place"])
    assert len(places) == 6
    again, _ = env.reset(options={"instance": 0})
    assert again == env.reset(options={"instance": 0})[0]
    for level in (1, 2, 3):
        env.reset(options={"instance": None, "difficulty": level})
        grounds = env.unwrapped.map.grounds  # type: ignore[attr-defined]
        assert len(grounds) == level


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


def test_ansi() -> None:
    env = make(render_mode="ansi", resident="LL", others="idle")
    env.reset(seed=0)
    env.step("use chair 7")
    picture = env.render()
    assert isinstance(picture, str)
    assert picture.splitlines()[:2] == ["[1] LL", "You use the chair 7."]
    env = make()
    env.reset(seed=0)
    assert env.unwrapped.render() is None


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"resident": "LX"}, "unknown resident 'LX'; known are"),
        ({"max_steps": 0}, "max_steps must be an integer >= 1, got 0"),
        ({"task": "fech"}, "unknown task family 'fech'; did you mean 'fetch'"),
        ({"split": "test"}, "unknown split 'test'"),
        ({"reward": "sprase"}, "unknown reward 'sprase'; did you mean 'sparse'"),
        ({"expert_plan": 1}, "expert_plan must be True or False, got 1"),
        ({"others": "skripted"}, "unknown policy 'skripted'; did you mean 'scripted'"),
        ({"instance": 2, "difficulty": 1}, "instance 2 is of difficulty 3"),
    ],
)
def test_bad_arguments(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make(**arguments)
    with pytest.raises(ValueError, match=message):
        make().reset(options=arguments)


def test_calls_out_of_order() -> None:
    env = irollan_env.IrollanValleyEnv(max_steps=1)
    for call in (lambda: env.step("wait"), env.render):
        with pytest.raises(ResetNeeded, match="reset"):
            call()
    with pytest.raises(ResetNeeded):
        make().step("wait")
    env.reset(seed=0)
    assert env.step("wait")[3]
    with pytest.raises(ResetNeeded, match="it is over; call reset"):
        env.step("wait")
    env.reset()
    env.step("wait")


def test_a_resident_of_many_towns_learns_without_a_catalogue() -> None:
    env = SlotActions(gym.make("irollan_env:IrollanValley-v0", map=generate_towns(200), others="idle"), slots=32)
    _, info = env.reset(seed=0)
    assert env.action_space.n == 32
    _, _, _, _, info = env.step(int(np.flatnonzero(info["action_mask"])[1]))
    assert info["outcome"] == "executed"
    with pytest.raises(ValueError, match="at most 1,000,000 can be numbered"):
        _ = env.unwrapped.catalogue
