"""Numbers of slots, and what they are when there are more actions than slots."""

import pytest

from irollan_env.environments.action_numbers import ActionSlots


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
