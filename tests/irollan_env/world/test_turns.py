"""Residents who take turns within a step, beside those who act together."""

import pytest

from irollan_env.world.world import World


def gathered(seed=0):
    """Everyone outside, nobody having said anything."""
    world = World(seed=seed)
    world.step(dict.fromkeys(world.residents, "go to outside"))
    return world


def test_turns_in_the_drawn_order_are_a_step():
    together, one_by_one = gathered(), gathered()
    actions = {name: f"chat with {'LL' if name != 'LL' else 'AY'}: Hello." for name in together.residents}
    for _ in range(3):
        outcomes = together.step(actions, filtered={"AY"}, failed={"SG"})
        order = one_by_one.turn_order()
        each = one_by_one.take_turn({name: actions[name] for name in order}, filtered={"AY"}, failed={"SG"})
        assert list(each) == order
        assert each == outcomes
        assert one_by_one.end_step() == {}
        assert one_by_one.get_state() == together.get_state()


def test_who_comes_later_hears_what_was_just_said_and_who_came_before_hears_it_in_the_next_step():
    world = gathered()
    first, second, third = world.turn_order()[:3]
    world.take_turn({first: f"chat with {second}: Good day."})
    assert [(m.time, m.text) for m in world.observe(second).messages] == [(1, "Good day.")]
    world.take_turn({second: f"chat with {first}: And to you."})
    assert world.observe(second).messages == ()
    assert [m.text for m in world.observe(third).messages] == ["Good day.", "And to you."]
    world.take_turn({third: None})
    world.end_step()
    assert [m.text for m in world.observe(first).messages] == ["And to you."]
    assert world.observe(third).messages == ()
    assert world.time == 2


def test_whoever_had_no_turn_waits_and_keeps_what_it_heard():
    world = gathered()
    first, second, *others = world.residents
    world.take_turn({first: f"chat with {second}: Good day."})
    assert set(world.end_step()) == {second, *others}
    assert world.observe(second).outcome == "executed"
    assert [m.text for m in world.observe(second).messages] == ["Good day."]


def test_what_was_taken_is_gone_for_who_comes_later():
    world = gathered()
    AY, SG = "AY", "SG"
    world.step({AY: "go to AY's Home", SG: "go to AY's Home"})
    taking = next(action for action in world.admissible(SG) if action.startswith("take "))
    world.take_turn({AY: taking})
    assert taking not in world.admissible(SG)
    outcome = world.take_turn({SG: taking})[SG]
    assert outcome.kind == "inadmissible"
    assert "AY took the" in outcome.result


@pytest.mark.parametrize(
    ("turn", "message"),
    [
        ({"actions": {"AY": None}}, "'AY' had its turn in this step; end it with end_step"),
        ({"actions": {"YA": None}}, "unknown resident 'YA'"),
        ({"actions": {"LL": None}, "filtered": {"SG"}}, "'SG' is filtered or failed and has no turn"),
        ({"actions": {"LL": None}, "filtered": {"LL"}, "failed": {"LL"}}, "'LL' is both filtered and failed"),
    ],
)
def test_turns_that_cannot_be_had_change_nothing(turn, message):
    world = World(seed=0)
    world.take_turn({"AY": "go to outside"})
    before = world.copy()
    with pytest.raises(ValueError, match=message):
        world.take_turn(turn.pop("actions"), **turn)
    with pytest.raises(TypeError, match="the action of 'LL' must be a string or None, got 3"):
        world.take_turn({"LL": 3})
    before.end_step(), world.end_step()
    assert before.get_state() == world.get_state()


def test_between_two_turns_there_is_no_state_and_no_whole_step():
    world = World(seed=0)
    saved = world.get_state()
    world.take_turn({"AY": "go to outside"})
    with pytest.raises(ValueError, match="a world is saved between two steps, and AY had a turn in this one"):
        world.get_state()
    with pytest.raises(ValueError, match="AY had a turn in this step; end it with end_step"):
        world.step({})
    world.set_state(saved)
    assert world.get_state() == saved
