"""What residents see one another do."""

import json

import pytest
from staging import stage

from irollan_env import Event
from irollan_env.world.events import event_of


def told(world, name):
    return [event.describe(name, world.map.places) for event in world.observe(name).events]


def test_those_present_see_what_is_done_and_nobody_else():
    world = stage(people={"AY": "LL's Home", "MD": "LL's Home", "SG": "outside"}, holding={"LL": ["food 6"]})
    world.step({"LL": "put food 6 in/on AY"})
    assert told(world, "AY") == ["LL hands you food 6."]
    assert told(world, "MD") == ["LL hands food 6 to AY."]
    assert [told(world, name) for name in ("LL", "SG", "WL")] == [[], [], []]
    world.step({"AY": "put food 6 in/on stoveburner 1"})
    assert told(world, "LL") == ["AY puts food 6 in/on stoveburner 1."]
    world.step({"AY": "use stoveburner 1"})
    assert told(world, "LL") == ["AY uses stoveburner 1: the food 6 is now hot."]
    assert told(world, "AY") == []
    world.step({"AY": "take food 6 from stoveburner 1"})
    assert told(world, "MD") == ["AY takes food 6 from stoveburner 1."]
    world.step({"AY": "take food 6 from stoveburner 1", "MD": "chat with LL: hello", "LL": "leave chair 2"})
    assert all(told(world, name) == [] for name in world.residents)


def test_who_leaves_is_seen_to_leave_and_to_come():
    world = stage(people={"AY": "LL's Home", "SG": "outside"})
    world.step({"AY": "go to outside"})
    assert [told(world, name) for name in ("LL", "SG", "AY")] == [
        ["AY goes outside."],
        ["AY comes from LL's Home."],
        [],
    ]
    world.step({"AY": "go to LL's Home", "SG": "go to SG's Home"})
    assert told(world, "LL") == ["AY comes in from outside."]
    world.step({}, filtered={"AY"})
    assert told(world, "LL") == ["AY wanted to do something, and was held back."]
    assert told(world, "SG") == []


def test_who_comes_or_leaves_in_the_same_step_sees_what_happened_while_it_was_there():
    seen = set()
    for seed in range(20):
        world = stage(people={"AY": "LL's Home", "MD": "LL's Home", "SG": "outside"}, seed=seed)
        world.step({"AY": "take toy 3 from nightstand 1", "MD": "go to outside", "SG": "go to LL's Home"})
        took = "AY takes toy 3 from nightstand 1."
        assert took in told(world, "LL")
        seen.add((took in told(world, "MD"), took in told(world, "SG")))
        first = told(world, "LL").index("MD goes outside.") < told(world, "LL").index("SG comes in from outside.")
        assert ("SG comes from LL's Home." in told(world, "MD")) is False
        assert ("SG comes in from outside." in told(world, "MD")) is not first
    assert seen == {(True, True), (True, False), (False, True), (False, False)}


@pytest.mark.parametrize(
    ("action", "shown", "other", "words"),
    [
        ('chat with LL: "my secret"', "chat with LL: ...", "LL", "say something to you"),
        ("chat with MD: my secret", "chat with MD: ...", "MD", "say something to MD"),
        ("go to outside", "go to outside", None, "go outside"),
        ("leave LL's Home", "leave LL's Home", None, "leave LL's Home"),
        ("put toy 1 in/on LL", "put toy 1 in/on LL", None, "hand you toy 1"),
        ("put toy 1 in/on MD", "put toy 1 in/on MD", None, "hand toy 1 to MD"),
        ("put toy 1 in/on table 2", "put toy 1 in/on table 2", None, "put toy 1 in/on table 2"),
        ("leave LL", "leave LL", None, "stop talking with you"),
    ],
)
def test_who_is_held_back_is_seen_to_want(action, shown, other, words):
    world = stage(
        people={"AY": "LL's Home", "MD": "LL's Home"}, holding={"AY": ["toy 1"]}, doing={"AY": "talking with LL"}
    )
    world.step({"AY": action}, filtered={"AY"})
    (event,) = world.observe("LL").events
    assert event == Event(time=0, actor="AY", deed="held back", other=other, text=shown)
    assert event.describe("LL", world.map.places) == f"AY wanted to {words}, and was held back."
    assert "secret" not in json.dumps(world.get_state())
    assert told(world, "AY") == []


@pytest.mark.parametrize("action", ["sing", "take toy 3 from table 2", "chat with WL: hello"])
def test_what_could_not_be_done_is_not_seen_to_be_wanted(action):
    world = stage(people={"AY": "LL's Home"})
    world.step({"AY": action}, filtered={"AY"})
    assert told(world, "LL") == []


def test_each_who_tells_its_own_deeds_is_you():
    deeds = [
        (0, "AY", "came", None, "outside", ""),
        (0, "AY", "left", None, "LL's Home", ""),
        (0, "AY", "took", "toy 3", "table 2", ""),
        (0, "AY", "handed", "toy 3", "LL", ""),
        (0, "AY", "used", "stoveburner 1", None, "The food 1 is now hot. The food 2 is now clean and hot."),
        (0, "AY", "held back", None, None, "go to outside"),
    ]
    assert [event_of(*deed).describe("AY", ()) for deed in deeds] == [
        "You come in from outside.",
        "You go to LL's Home.",
        "You take toy 3 from table 2.",
        "You hand toy 3 to LL.",
        "You use stoveburner 1: the food 1 is now hot and the food 2 is now clean and hot.",
        "You wanted to go outside, and were held back.",
    ]
