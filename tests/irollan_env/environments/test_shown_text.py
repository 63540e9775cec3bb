"""What a learner reads: goal, result, messages, sentence."""

import gymnasium as gym

import irollan_env
from irollan_env.tasks import Deliver

TASK = Deliver(kind="book", person="WM")


def test_goals_differ_in_the_first_observation() -> None:
    env = gym.make("irollan_env:IrollanValleyFetch-v1")
    seen = {env.reset(seed=seed)[0].split("\n")[0] for seed in range(20)}
    assert len(seen) > 10
    sentence, info = gym.make("IrollanValleyFetch-v1", observation="sentence").reset(seed=0)
    assert info["goal"] not in sentence


def test_lines_come_in_their_order() -> None:
    env = irollan_env.parallel_env(task={"AY": TASK})
    observations, infos = env.reset(seed=0)
    assert observations["AY"]["observation"] == f"Goal: {TASK.goal}\n{infos['AY']['sentence']}"
    assert observations["LL"]["observation"] == infos["LL"]["sentence"]
    env.step({"AY": "go to outside", "LL": "go to outside"})
    observations, _, _, _, infos = env.step({"LL": "chat with AY: Hello!", "AY": "wait"})
    said = ["You wait.", 'LL to AY: "Hello!"']
    assert observations["AY"]["observation"].split("\n") == [f"Goal: {TASK.goal}", *said, infos["AY"]["sentence"]]


def test_any_words_stay_in_the_space() -> None:
    env = irollan_env.parallel_env(task={"AY": TASK})
    env.reset(seed=0)
    env.step({"AY": "go to outside", "LL": "go to outside"})
    words = "caf\u00e9\n\u4f60 \U0001f600" + "x" * 1000
    observations, _, _, _, infos = env.step({"LL": f"chat with AY: {words}", "AY": f"chat with LL: {words}"})
    for name in ("AY", "LL"):
        assert env.observation_space(name).contains(observations[name])
        assert "caf\ufffd \ufffd \ufffdx" in observations[name]["observation"]
        assert infos[name]["messages"][0].text == words
