"""Wrappers for learners: vectors, numbered and forgiving actions, trajectories, and the keys of text games."""

import json
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.utils.env_checker import check_env
from pettingzoo.test import parallel_api_test

import irollan_env
from irollan_env.environments.wrappers import (
    CatalogueActions,
    EmbeddedObservation,
    EmbeddedParallelObservation,
    ForgivingActions,
    ParallelOfOne,
    RecordParallelTrajectory,
    RecordTrajectory,
    SlotActions,
    TextGameInfos,
    understood,
)
from irollan_env.tasks import Deliver, InTime
from language_models.embedders.hash_embedder import HashEmbedder


def test_sentences_become_vectors() -> None:
    env = EmbeddedObservation(
        CatalogueActions(gym.make("irollan_env:IrollanValley-v0", max_steps=30)), HashEmbedder().embed
    )
    check_env(env, skip_render_check=True)
    observation, _ = env.reset(seed=0)
    again, _ = env.reset(seed=0)
    assert observation.dtype == np.float32
    assert (observation == again).all()
    with pytest.raises(ValueError, match="one row for one text"):
        EmbeddedObservation(gym.make("irollan_env:IrollanValley-v0", max_steps=30), lambda texts: np.zeros(3))


@pytest.mark.parametrize("actions", ["numbers", "text"])
def test_all_agents_see_vectors(actions: str) -> None:
    embed, asked = HashEmbedder().embed, {"task": "fetch", "actions": actions, "max_steps": 20}
    env, plain = (
        EmbeddedParallelObservation(irollan_env.parallel_env(**asked), embed),
        irollan_env.parallel_env(**asked),
    )
    parallel_api_test(env, num_cycles=40)
    vectors, infos = env.reset(seed=3)
    texts, same = plain.reset(seed=3)
    assert infos["LL"]["goal"] == same["LL"]["goal"]
    for agent, seen in texts.items():
        assert env.observation_space(agent).contains(vectors[agent])
        vector = vectors[agent] if actions == "text" else vectors[agent]["observation"]
        assert np.allclose(vector, embed([seen if actions == "text" else seen["observation"]])[0])  # type: ignore[index]
        if actions == "numbers":
            assert (vectors[agent]["action_mask"] == seen["action_mask"]).all()  # type: ignore[index]
    with pytest.raises(ValueError, match="one row for one text"):
        EmbeddedParallelObservation(plain, lambda texts: np.zeros(3))


ADMISSIBLE = (
    "go to outside",
    "go to canteen",
    "leave AY's Home",
    "chat with LL: ...",
    "take food 1 from foodshelf 1",
    "take food 11 from foodshelf 1",
    "put book 2 in/on LL",
    "put book 2 in/on table 1",
    "put book 2 in/on bookshelf 1",
    "use book 2",
)


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("go to outside", "go to outside"),
        ("Go to outside.", "go to outside"),
        ("go outside", "go to outside"),
        ("Pick up food 11 from foodshelf 1", "take food 11 from foodshelf 1"),
        ("put the book 2 on the table 1", "put book 2 in/on table 1"),
        ("give book 2 to LL", "put book 2 in/on LL"),
        ("Thought: I read.\nAction: Use book 2\n", "use book 2"),
        ("**Action:** `use book 2`", "use book 2"),
        ('"leave AY\'s home"', "leave AY's Home"),
        ("say to LL: Where are YOU?", 'chat with LL: "Where are YOU?"'),
    ],
)
def test_what_is_meant(written: str, meant: str) -> None:
    assert understood(written, ADMISSIBLE) == meant


@pytest.mark.parametrize(
    "written",
    [
        "",
        "take food",
        "take food 2 from foodshelf 1",
        "go",
        "chat with LL",
        "chat with WM: hello",
        "go to outside: now",
    ],
)
def test_nothing_is_guessed(written: str) -> None:
    assert understood(written, ADMISSIBLE) == written


def test_an_environment_takes_it() -> None:
    env = ForgivingActions(gym.make("irollan_env:IrollanValley-v0"))
    with pytest.raises(ResetNeeded):
        env.step("wait")
    env.reset(seed=0)
    assert env.step("Go to the outside.")[4]["result"] == "You go to outside."
    assert env.step("dance")[4]["result"].startswith("Nothing happens. 'dance' is none")
    assert env.step(None)[4]["result"] == "You wait."


def valley(**arguments: Any) -> gym.Env[str, str]:
    return gym.make("irollan_env:IrollanValley-v0", max_steps=30, **arguments)


@pytest.mark.parametrize("wrap", [CatalogueActions, SlotActions])
def test_every_number_in_the_mask_can_be_done(wrap: Any) -> None:
    env = wrap(valley(others="idle"))
    with pytest.raises(ResetNeeded):
        env.action_masks()
    _, info = env.reset(seed=0)
    for step in range(25):
        mask = env.action_masks()
        assert mask.shape == (env.action_space.n,)
        assert mask.any()
        assert mask[0]
        assert (info["action_mask"] == mask).all()
        assert mask.sum() == 1 + len(info["admissible_actions"])
        _, _, _, _, info = env.step(np.flatnonzero(mask)[step % mask.sum()])
        assert info["outcome"] == "executed"


def test_a_slot_means_what_the_info_says() -> None:
    env = SlotActions(valley(others="idle"), slots=8)
    _, info = env.reset(seed=0, options={"resident": "LL"})
    assert len(info["slot_actions"]) == 8
    number = next(n for n, action in enumerate(info["slot_actions"]) if action.startswith("take "))
    text = info["slot_actions"][number]
    _, _, _, _, info = env.step(number)
    assert info["result"] == f"You {text}.".replace("take ", "take the ").replace("from ", "from the ")
    with pytest.raises(ValueError, match=r"must lie in \[0, 7\], got 8"):
        env.step(8)
    env = SlotActions(valley(others="idle"), slots=200)
    env.reset(seed=0)
    assert env.step(199)[4]["outcome"] == "inadmissible"


def test_a_catalogue_is_of_one_valley() -> None:
    env = CatalogueActions(gym.make("IrollanValleyFetch-v1"))
    with pytest.raises(ValueError, match=r"'go to .*' has no number.* use SlotActions"):
        env.reset(seed=0)


def test_a_gymnasium_environment_as_a_parallel_one() -> None:
    env = ParallelOfOne(SlotActions(gym.make("irollan_env:IrollanValley-v0", max_steps=30, resident="LL")), "LL")
    parallel_api_test(env, num_cycles=60)
    env.reset(seed=0)
    with pytest.raises(ValueError, match="step needs the action of 'LL' alone"):
        env.step({"AY": 0})


def test_a_game_that_is_won() -> None:
    env = TextGameInfos(
        gym.make(
            "irollan_env:IrollanValley-v0", task=Deliver(kind="food", person="WM"), expert_plan=True, others="idle"
        )
    )
    _, info = env.reset(seed=0)
    assert (info["won"], info["lost"], info["score"], info["goal_condition_success_rate"]) == (False, False, 0.0, 0.0)
    assert info["inventory"] == "You are not carrying anything."
    assert info["look"].startswith("You are in AY's Home.")
    assert info["admissible_commands"] == list(info["admissible_actions"])
    over, carried = False, set()
    while not over:
        _, _, over, _, info = env.step(info["expert_plan"][0])
        carried.add(info["inventory"])
    assert (info["won"], info["lost"], info["goal_condition_success_rate"], info["max_score"]) == (
        True,
        False,
        1.0,
        1.0,
    )
    assert any(text.startswith("You are carrying: a food ") for text in carried)


def test_a_task_that_can_no_longer_be_solved_is_lost() -> None:
    parts = (Deliver(kind="food", person="WM"),)
    env = TextGameInfos(gym.make("irollan_env:IrollanValley-v0", task=InTime(parts=parts, within=1), others="idle"))
    env.reset(seed=0)
    _, _, terminated, _, info = env.step("wait")
    assert (terminated, info["won"], info["lost"]) == (True, False, True)


def test_trajectories(tmp_path: Path) -> None:
    path = tmp_path / "one.jsonl"
    env = RecordTrajectory(valley(resident="LL"), path)
    env.reset(seed=0)
    seen, _, _, _, info = env.step("go to outside")
    env.reset(seed=1)
    env.close()
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert [(line["episode"], line["time"], line["action"]) for line in lines] == [
        (0, 0, None),
        (0, 1, "go to outside"),
        (1, 0, None),
    ]
    assert (lines[1]["agent"], lines[1]["observation"], lines[1]["result"]) == ("LL", seen, info["result"])
    assert lines[1]["admissible_actions"] == list(info["admissible_actions"])
    with pytest.raises(FileExistsError, match=r"is there already; .* each environment of a vector needs its own"):
        RecordTrajectory(valley(), path)
    path = tmp_path / "all.jsonl"
    parallel = RecordParallelTrajectory(irollan_env.parallel_env(), path)
    parallel.reset(seed=0)
    parallel.step({"AY": 3, "LL": "go to outside"})
    parallel.close()
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert {line["agent"]: line["action"] for line in lines[6:] if line["action"]} == {"AY": 3, "LL": "go to outside"}
    assert len(lines) == 12
