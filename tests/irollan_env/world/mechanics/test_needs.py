"""Needs, growth, spoiling and things that are used up: what they do, their settings, and that they resume exactly."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from irollan_env.map.valley_map import ValleyMap
from irollan_env.world.world import World

HUNGER = {
    "rises": 0.1,
    "start": 0.4,
    "eased_by": {"food": 0.5},
    "unless": ["rotten"],
    "words": [[0.5, "You are hungry."], [0.8, "You are very hungry."]],
}
ON_SHELF = {"kind": "food", "on": "foodshelf 1", "every": 2, "most": 2}
TAKE, EAT = "take food 1 from foodshelf 1", "use food 1"


def valley(mechanics: Mapping[str, Any]) -> ValleyMap:
    default = ValleyMap.default()
    kinds = tuple(replace(kind, spare=3) if kind.name == "food" else kind for kind in default.item_kinds)
    statuses = (*default.statuses, "rotten")
    return replace(default, item_kinds=kinds, statuses=statuses).with_mechanics(mechanics)


def live(mechanics: Mapping[str, Any], *actions: str, steps: int = 0) -> World:
    """Return a world in which AY, in whose home food 1 lies, has done the actions and then waited."""
    world = World(valley(mechanics), 0)
    for action in (*actions, *["wait"] * steps):
        world.step({"AY": action})
    return world


@pytest.mark.parametrize(
    ("settings", "actions", "level"),
    [
        ({}, [], 0.4),
        ({}, ["wait", "wait"], 0.6),
        ({"carrying": 0.05}, [TAKE], 0.55),
        ({}, [TAKE, EAT], 0.1),
        ({"rises_in": {"outside": 0.3}}, ["go to outside"], 0.7),
        ({"rises": 0, "rises_in": {"outside": 0.3}}, ["wait", "go to outside"], 0.7),
        ({"eased_on": {"bed": 0.15}}, ["use bed 1", "wait"], 0.3),
        ({"eased_in": {"AY's Home": 0.2}}, ["wait"], 0.3),
        ({"eased_by": {"chair": 0.2}}, ["use chair 1", "wait"], 0.4),
        ({}, ["wait"] * 7, 1.0),
    ],
)
def test_needs_rise_and_fall(settings: Mapping[str, Any], actions: list[str], level: float) -> None:
    world = live({"needs": {"hunger": {**HUNGER, **settings}}}, *actions)
    assert world.observe("AY").needs == {"hunger": level}


def test_start_is_drawn_for_each_resident() -> None:
    world = live({"needs": {"hunger": {"start": [0.2, 0.6]}}})
    levels = [world.observe(name).needs["hunger"] for name in world.residents]
    assert len(set(levels)) == 6
    assert all(0.2 <= level <= 0.6 for level in levels)


def test_needs_are_felt_in_words_and_eased_by_good_things_only() -> None:
    world = live({"needs": {"hunger": HUNGER}})
    assert "hungry" not in world.sentence("AY")
    world.step({"AY": TAKE})
    assert world.sentence("AY").endswith("You are hungry.")
    world.set_status("food 1", ["rotten"], cause="test")
    assert "eases" not in world.step({"AY": EAT})["AY"].result
    world.step({})
    world.step({})
    assert world.sentence("AY").endswith("You are very hungry.")
    world.set_status("food 1", [], cause="test")
    assert world.step({"AY": EAT})["AY"].result.endswith("It eases your hunger.")


def test_out_for_some_steps_then_on() -> None:
    settings = {**HUNGER, "start": 0.9, "at_end": "out", "steps": 2, "wakes_at": 0.7}
    world = live({"needs": {"hunger": settings}}, steps=1)
    seen = world.observe("AY")
    assert (seen.admissible, seen.variables) == ((), {"out": 1.0})
    assert seen.sentence.endswith("You have collapsed and can do nothing.")
    world.move_resident("LL", "AY's Home", cause="test")
    assert "AY has collapsed." in world.sentence("LL")
    assert world.step({"AY": TAKE})["AY"].kind == "inadmissible"
    world.step({})
    assert world.observe("AY").needs == {"hunger": 0.7}
    assert world.step({"AY": TAKE})["AY"].kind == "executed"


def test_slower_waits_every_second_step() -> None:
    world = live({"needs": {"hunger": {"start": 1.0, "at_end": "slower"}}})
    done = [world.step({"AY": action})["AY"].kind for action in (TAKE, EAT, EAT, EAT)]
    assert done == ["executed", "inadmissible", "executed", "inadmissible"]


def test_things_are_used_up() -> None:
    world = live({"used_up": {"food": 1, "clothes": 2}}, TAKE)
    assert world.step({"AY": EAT})["AY"].result.endswith("The food 1 is used up.")
    assert not world.exists("food 1")
    assert world.changes[-1][1:] == ("removed", "food 1", "AY", None, "used up")
    worn = "AY's clothes 1"
    for action, exists in ((f"take {worn} from wardrobe 1", True), (f"use {worn}", True), (f"use {worn}", False)):
        world.step({"AY": action})
        assert world.exists(worn) is exists


@pytest.mark.parametrize(
    ("settings", "lying"),
    [
        ({}, [1, 2, 2]),
        ({"most": 3}, [1, 2, 3]),
        ({"on": "foodshelf", "place": "AY's Home"}, [1, 2, 2]),
        ({"for_each": 3, "most": 9}, [1, 3, 4]),
        ({"chance": 0.0}, [1, 1, 1]),
        ({"season": [0, 3, 10]}, [1, 2, 2]),
        ({"season": [3, 5, 10], "most": 9}, [1, 1, 2]),
    ],
)
def test_things_grow(settings: Mapping[str, Any], lying: list[int]) -> None:
    world = live({"growth": {"crop": {**ON_SHELF, **settings}}})
    found = []
    for _ in lying:
        found.append(len(world.contents("foodshelf 1")))
        world.step({})
        world.step({})
    assert found == lying


def test_settings_change_in_a_running_world() -> None:
    world = live({"needs": {"hunger": HUNGER}, "growth": {"crop": ON_SHELF}})
    world.set_mechanic("needs", ("hunger", "rises"), 0.2, cause="test")
    world.set_mechanic("needs", ("thirst",), {"rises": 0.3}, cause="test")
    world.set_mechanic("growth", ("crop", "every"), 1, cause="test")
    world.step({})
    assert world.observe("AY").needs == {"hunger": 0.6, "thirst": 0.3}
    assert len(world.contents("foodshelf 1")) == 2
    with pytest.raises(ValueError, match="rises"):
        world.set_mechanic("needs", ("hunger", "rises"), 7, cause="test")


def test_things_spoil_unless_they_are_kept() -> None:
    spoils = {"spoiling": {"food": {"after": 3, "becomes": "rotten", "keeps_in": ["storagebin"]}}}
    world = live(spoils, steps=3)
    assert world.status_of("food 1") == ("rotten",)
    assert world.changes[0].cause == "spoiled"
    assert world.where_is("food 9") == "storagebin 5"
    assert world.status_of("food 9") == ()
    world = live({"growth": {"crop": ON_SHELF}, "spoiling": {"food": {"after": 3}}}, steps=3)
    assert world.contents("foodshelf 1") == ("food 13",)
    world.step({})
    world.step({})
    assert world.contents("foodshelf 1") == ("food 1",)  # Grown anew in step 4, it has an age of its own.


EVERYTHING = {
    "needs": {"hunger": {**HUNGER, "start": [0.6, 0.8], "at_end": "out", "steps": 3}, "cold": {"rises": 0.01}},
    "growth": {"crop": {**ON_SHELF, "chance": 0.5}},
    "spoiling": {"food": {"after": 6}},
    "used_up": {"clothes": 2},
}


@pytest.mark.parametrize("name", EVERYTHING)
def test_killed_and_resumed_to_the_same_bytes(name: str) -> None:
    mechanics = EVERYTHING if name == "needs" else {name: EVERYTHING[name]}
    worn = "AY's clothes 1"
    whole = live(mechanics, TAKE, EAT, f"take {worn} from wardrobe 1", f"use {worn}")
    saved = json.loads(json.dumps(whole.get_state()))
    resumed = World(valley(mechanics), 1)
    resumed.set_state(saved)
    for action in (f"use {worn}", *["wait"] * 5):
        for world in (whole, resumed):
            world.step({"AY": action})
        assert json.dumps(whole.get_state()) == json.dumps(resumed.get_state())
        assert whole.observe("AY") == resumed.observe("AY")
        assert whole.changes == resumed.changes


@pytest.mark.parametrize(
    ("mechanics", "message"),
    [
        ({"needs": {"hunger": {"rise": 0.1}}}, r"needs.hunger.rise: .*did you mean 'rises'"),
        ({"needs": {"hunger": {"rises": 2}}}, r"needs.hunger.rises: .* 2"),
        ({"needs": {"hunger": {"eased_by": {"foot": 0.1}}}}, r"eased_by: .*did you mean 'food'"),
        ({"needs": {"hunger": {"eased_on": {"table": 0.1}}}}, r"eased_on: unknown kind of seat 'table'"),
        ({"needs": {"hunger": {"rises_in": {"Outsid": 0.1}}}}, r"rises_in: .*did you mean 'outside'"),
        ({"needs": {"hunger": {"unless": ["roten"]}}}, r"unless: .*did you mean 'rotten'"),
        ({"needs": {"hunger": {"start": [0.5, 0.2]}}}, r"start: .*\[0.5, 0.2\]"),
        ({"needs": {"hunger": {"words": [[0.5, "a"], [0.2, "b"]]}}}, r"words: .*\[0.5, 0.2\]"),
        ({"needs": {"hunger": {"at_end": "sleep"}}}, r"at_end: .*'sleep'"),
        ({"used_up": {"foood": 1}}, r"used_up: .*did you mean 'food'"),
        ({"used_up": {"food": 0}}, r"used_up.food: .* 0"),
        ({"used_up": {"food": 2}}, r"used_up.food: .*once"),
        ({"growth": {"crop": {**ON_SHELF, "kind": "book"}}}, r"growth.crop.kind: .*spare"),
        ({"growth": {"crop": {**ON_SHELF, "on": "foodshelf 99"}}}, r"growth.crop.on: .*did you mean"),
        ({"growth": {"crop": {**ON_SHELF, "on": "foodshelf", "place": "outside"}}}, r"growth.crop.on: .*'outside'"),
        ({"growth": {"crop": {**ON_SHELF, "season": [4, 2, 10]}}}, r"season: .*\[4, 2, 10\]"),
        ({"growth": {"crop": {"kind": "food"}}}, r"growth.crop.on is missing"),
        ({"spoiling": {"food": {"after": 3, "becomes": "roten"}}}, r"becomes: .*did you mean 'rotten'"),
        ({"spoiling": {"food": {"after": 3, "keeps_in": ["fridge"]}}}, r"keeps_in: .*'fridge'"),
    ],
)
def test_wrong_settings_name_the_key(mechanics: Mapping[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        World(valley(mechanics))
