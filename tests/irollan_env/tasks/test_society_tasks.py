"""Tasks in the PettingZoo environments: one for each agent, until all are solved."""

import json

import numpy as np
import pytest
from gymnasium.utils.env_checker import data_equivalence

import irollan_env
from irollan_env import ValleyMap, chat_with, generate_towns
from irollan_env.tasks import TOGETHER, Deliver, Fetch, Gather, PassOn, Tell
from irollan_env.tasks.views import Truth

FETCH = Fetch(kind="food", furniture="bed", place="AY's Home")
AT_ONCE = ("fetch", "cook", "deliver", "tell", *TOGETHER)
"""Families that all residents solve at once."""


def make(task="random", **arguments):
    return irollan_env.parallel_env(
        task=task, **{"reward": "dense", "expert_plan": True, "max_steps": 150, **arguments}
    )


def follow_the_plans(env, seed):
    """An episode in which everybody follows its expert's plan; the sum of everyone's rewards, and the last step."""
    _, infos = env.reset(seed=seed)
    total = dict.fromkeys(env.agents, 0.0)
    while env.agents:
        last = env.step({name: info["expert_plan"][0] for name, info in infos.items() if info["expert_plan"]})
        infos = last[4]
        for name, reward in last[1].items():
            total[name] += reward
    return total, last


@pytest.mark.parametrize("family", AT_ONCE)
def test_all_at_once_solve_their_tasks(family):
    reward = "sparse" if family == "fetch" else "dense"
    total, (_, _, terminations, truncations, infos) = follow_the_plans(make(family, reward=reward), seed=0)
    assert total == pytest.approx(dict.fromkeys(total, 1.0))
    assert all(terminations.values())
    assert not any(truncations.values())
    assert {info["score"] for info in infos.values()} == {1.0}


def test_a_goal_is_in_the_info_and_no_sentence_has_it():
    observations, infos = make({"AY": FETCH}).reset(seed=0)
    assert infos["AY"]["goal"] == FETCH.goal == "Fetch some food and put it in/on a bed in AY's Home."
    assert infos["AY"]["expert_plan"] == ("take food 1 from foodshelf 1", "put food 1 in/on bed 1")
    assert data_equivalence(observations, irollan_env.parallel_env(task={"AY": FETCH}).reset(seed=0)[0])
    assert "expert_plan" not in irollan_env.parallel_env(task="fetch").reset(seed=0)[1]["AY"]
    assert irollan_env.parallel_env().reset(seed=0)[1]["AY"]["goal"] is None


def test_who_has_solved_its_task_lives_on_until_all_have():
    env = make({"AY": FETCH, "LL": Deliver(kind="toy", person="AY")}, reward="sparse")
    env.reset(seed=0)
    env.step({"AY": "take food 1 from foodshelf 1", "LL": "take toy 3 from nightstand 1"})
    _, rewards, terminations, _, infos = env.step({"AY": "put food 1 in/on bed 1", "LL": "go to outside"})
    assert (rewards["AY"], rewards["LL"], infos["AY"]["score"]) == (1.0, 0.0, 1.0)
    assert not any(terminations.values())
    assert env.agents == env.possible_agents
    _, rewards, _, _, _ = env.step({"AY": "take food 1 from bed 1", "LL": "go to AY's Home"})
    assert rewards["AY"] == 0.0
    _, rewards, terminations, _, _ = env.step({"LL": "put toy 3 in/on AY"})
    assert (rewards["LL"], rewards["AY"]) == (1.0, 0.0)
    assert all(terminations.values())
    assert env.agents == []
    assert env.finished


def test_numbers_say_what_the_task_has_one_say():
    env = make({"AY": Gather(people=("MD", "WL"), place="Public Canteen"), "SG": Tell(person="AY", item="toy 2")})
    env.reset(seed=0)
    env.step(dict.fromkeys(("AY", "MD", "SG"), "go to outside"))
    *_, infos = env.step(dict.fromkeys(("AY", "SG"), env.catalogue.numbers["chat with MD: ..."]))
    assert {message.sender: message.text for message in infos["MD"]["messages"]} == {
        "AY": "Come to Public Canteen.",
        "SG": "...",
    }
    *_, infos = env.step({"AY": chat_with("MD", "Hello.")})
    assert [message.text for message in infos["MD"]["messages"]] == ["Hello."]


def test_reset_takes_tasks():
    env = irollan_env.parallel_env()
    assert env.reset(seed=0)[1]["AY"]["goal"] is None
    env.reset(seed=0, options={"task": "fetch", "split": "test_unseen", "expert_plan": True})
    assert env.episodes.tasks.by_resident["AY"].task.family == "fetch"
    env.reset()
    assert env.episodes.tasks.by_resident["AY"].task.family == "fetch"
    for options, message in (
        ({"task": "fech"}, "unknown task family 'fech'; did you mean 'fetch'"),
        ({"tsk": "fetch"}, "unknown option 'tsk'; did you mean 'task'"),
        ({"credit": "mine"}, "unknown credit 'mine'"),
        ({"instance": 500}, r"the number of an instance must be an integer in \[0, 499\], got 500"),
        ({"difficulty": 4}, "difficulty must be an integer in"),
        ({"task": {"AX": "fetch"}}, "unknown resident 'AX'"),
        ({"task": {"AY": Deliver(kind="toy", person="AY")}}, "names 'AY', which is the resident that has it"),
        ({"task": FETCH}, r"a task needs a resident that has it; say task=\{'AY': Fetch\("),
        ({"task": 3}, "unknown task family 3"),
        ({"expert_plan": 1}, "expert_plan must be True or False, got 1"),
    ):
        before = json.dumps(env.get_state())
        with pytest.raises(ValueError, match=message):
            env.reset(options=options)
        assert json.dumps(env.get_state()) == before
        if "tsk" not in options:
            with pytest.raises(ValueError, match=message):
                irollan_env.parallel_env(**options)


def test_tasks_in_towns():
    env = make("find", map=generate_towns(14, towns=2, seed=0), slots=64)
    follow_the_plans(env, seed=0)
    solved = [assigned.solved for assigned in env.episodes.tasks.by_resident.values()]
    assert np.mean(solved) > 0.8  # in towns, nobody minds what others need


def test_a_word_that_goes_to_the_wrong_one_is_lost_for_all():
    people = ("AY", "LL", "MD")
    env = make({name: PassOn(people=people, word="heron", told=name) for name in people}, map=ValleyMap.default())
    env.reset(seed=0)
    env.step(dict.fromkeys(people, "go to outside"))
    env.step({"AY": "chat with LL: ..."})
    env.step({"LL": "chat with AY: I hear you: the word is heron."})  # who knows it already
    assert env.agents
    *_, terminations, _, infos = env.step({"AY": "chat with MD: ..."})
    assert (env.agents, all(terminations.values())) == ([], True)
    assert max(info["score"] for info in infos.values()) < 1.0


def test_an_oracle_lends_a_hand_to_whoever_holds_the_heavy_thing():
    env = make("carry", instance=0, slots=None)
    env.reset(seed=0)
    task = env.episodes.tasks.by_resident["AY"].task
    helper, third = task.people[1], task.people[2]
    state = env.world.get_state()
    state["items"][task.item]["on"] = None
    state["residents"][third]["holding"] = [task.item]
    env.world.set_state(state)
    assert task.plan({}, Truth(env.world, helper))[-2] == f"use {task.item}"
    state["residents"][third]["holding"], state["residents"][helper]["holding"] = [], [task.item]
    env.world.set_state(state)
    assert task.plan({}, Truth(env.world, helper)) == ("wait",)


@pytest.mark.parametrize(("credit", "rewards"), [("own", (1.0, 0.0)), ("team", (0.5, 0.5)), ("both", (0.75, 0.25))])
def test_whose_rewards_one_gets(credit, rewards):
    env = make({"AY": FETCH, "LL": Deliver(kind="toy", person="AY")}, reward="sparse", credit=credit)
    env.reset(seed=0)
    env.step({"AY": "take food 1 from foodshelf 1"})
    _, given, *_ = env.step({"AY": "put food 1 in/on bed 1"})
    assert (given["AY"], given["LL"]) == pytest.approx(rewards)
