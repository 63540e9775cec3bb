"""Numbers of slots, and what they are when there are more actions than slots."""

from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import pytest

import irollan_env
from irollan_env.environments.action_numbers import ActionSlots
from irollan_env.environments.single_agent import SingleAgent
from irollan_env.environments.wrappers.numbered_actions import SlotActions


def _parallel(action: Any) -> Any:
    env = irollan_env.parallel_env(slots=9)
    env.reset(seed=0)
    return env.action_space("AY"), lambda: env.step({"AY": action})[4]["AY"]["result"]


def _turns(action: Any) -> Any:
    env = irollan_env.env(slots=9)
    env.reset(seed=0)

    def step() -> str:
        env.step(action)
        for _ in env.agents[1:]:
            env.step(0)
        return str(env.infos["AY"]["result"])

    return env.action_space("AY"), step


def _single(action: Any) -> Any:
    env = SingleAgent(irollan_env.parallel_env(slots=9), "AY", others="idle")
    env.reset(seed=0)
    return env.action_space, lambda: env.step(action)[4]["result"]


def _slots(action: Any) -> Any:
    env = SlotActions(gymnasium.make("irollan_env:IrollanValley-v0", resident="AY", others="idle"), 9)
    env.reset(seed=0)
    return env.action_space, lambda: env.step(action)[4]["result"]


@pytest.mark.parametrize("make", [_parallel, _turns, _single, _slots])
@pytest.mark.parametrize(
    "action", [1, np.int64(1), np.uint8(1), np.array(1), np.array([1]), np.array(1.0), 1.0, np.array(10**6), -1]
)
def test_a_number_is_taken_where_the_space_contains_it(make: Callable[[Any], Any], action: Any) -> None:
    space, step = make(action)
    if space.contains(action):
        assert step() == make(1)[1]()
    else:
        with pytest.raises((TypeError, ValueError), match=r"action|slot"):
            step()


def test_primitives_share_the_slots_when_there_are_too_few() -> None:
    actions = [f"go to {n}" for n in range(9)] + ["leave home"] + [f"take {n} from table" for n in range(9)]
    filled = ActionSlots(8).fill(actions)
    assert filled == (
        "wait",
        "go to 0",
        "go to 1",
        "go to 2",
        "leave home",
        "take 0 from table",
        "take 1 from table",
        "take 2 from table",
    )
    assert ActionSlots(64).fill(actions) == ("wait", *actions)
    assert ActionSlots(8).mask(filled).all()
    assert ActionSlots(3).fill(["leave home"]) == ("wait", "leave home")
    assert ActionSlots(3).mask(("wait", "leave home")).tolist() == [1, 1, 0]
    with pytest.raises(ValueError, match="slots must be an integer >= 2"):
        ActionSlots(1)


def test_the_goal_comes_first() -> None:
    actions = [f"put book {n} in/on table 1" for n in range(6)] + [
        "go to outside",
        "go to Cafe",
        "take toy 1 from bed 1",
    ]
    goal = "Fetch a toy and put it in/on a table in the Cafe."
    numbers = ActionSlots(5)
    offered = numbers.offer("AY", actions, "Bring a toy to WM.")
    assert "take toy 1 from bed 1" in offered["slot_actions"]
    assert (offered["slots_dropped"], offered["slots_dropped_of_goal"]) == (5, 0)
    # All books go on the table that the goal names: more than fit, and it is said.
    offered = numbers.offer("AY", actions, goal)
    assert (offered["slots_dropped"], offered["slots_dropped_of_goal"]) == (5, 4)
    assert numbers.offer("AY", actions[:3], goal)["slots_dropped"] == 0
    assert "take toy 1 from bed 1" not in ActionSlots(2).offer("AY", actions, None)["slot_actions"]
