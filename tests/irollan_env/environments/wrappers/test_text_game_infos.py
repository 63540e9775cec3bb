"""The keys of ALFWorld and TextWorld."""

import gymnasium as gym

from irollan_env.environments.wrappers import TextGameInfos
from irollan_env.tasks import Deliver, InTime


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


def test_a_game_that_is_lost() -> None:
    env = TextGameInfos(gym.make("irollan_env:IrollanValleyFetch-v1", max_steps=1))
    env.reset(seed=0)
    info = env.step("wait")[4]
    assert (info["won"], info["lost"]) == (False, True)


def test_a_task_that_can_no_longer_be_solved_is_lost() -> None:
    parts = (Deliver(kind="food", person="WM"),)
    env = TextGameInfos(gym.make("irollan_env:IrollanValley-v0", task=InTime(parts=parts, within=1), others="idle"))
    env.reset(seed=0)
    _, _, terminated, _, info = env.step("wait")
    assert (terminated, info["won"], info["lost"]) == (True, False, True)
