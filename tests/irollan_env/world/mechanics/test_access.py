"""Access is nobody's who has none: not of who lends a hand, nor of what a recipe makes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from irollan_env.map.records import ItemKind
from irollan_env.map.valley_map import ValleyMap
from irollan_env.world.world import World

ROOM, HOME = "Public Canteen", "LL's Home"


def world_with(heavy: str = "", **mechanics: Any) -> World:
    """AY and SG outside; AY holds a toy, which is heavy where asked for, and SG lends a hand with it."""
    default = ValleyMap.default()
    bread = ItemKind(name="bread", spare=3, usable=heavy != "bread", heavy=heavy == "bread")
    kinds = tuple(
        replace(one, heavy=True, usable=False, adds=(), once=False) if one.name == heavy else one
        for one in default.item_kinds
    )
    furniture = tuple(replace(one, receptacle=one.name != "bed") for one in default.furniture_kinds)
    changed = replace(default, item_kinds=(*kinds, bread), furniture_kinds=furniture, mechanics=mechanics)
    world = World(changed, 1)
    for name in ("AY", "SG"):
        world.move_resident(name, "outside", cause="test")
    if heavy == "toy":
        world.move("toy 1", "AY", cause="test")
        world.step({"SG": "use toy 1"})
    return world


@pytest.mark.parametrize(
    ("access", "keys", "told"),
    [
        (
            {"locks": {HOME: "book 1"}},
            {"book 1": "AY"},
            "SG would come along, and cannot",
        ),
        ({"locks": {HOME: "book 1"}}, {"book 1": "SG"}, "the book 1 opens it."),
        ({"places": {HOME: 2}}, {}, "full: 2 can be there at once, and SG would come along."),
        ({"places": {HOME: 3}}, {}, ""),
    ],
)
def test_a_helper_goes_only_where_it_may(access: Mapping[str, Any], keys: Mapping[str, str], told: str) -> None:
    world = world_with("toy", access=access)
    for key, holder in keys.items():
        world.move(key, holder, cause="test")
    assert (f"go to {HOME}" in world.admissible("AY")) == (not told)
    result = world.step({"AY": f"go to {HOME}"})["AY"].result
    assert told in result
    assert {world.place_of(name) for name in ("AY", "SG")} == ({"outside"} if told else {HOME})


def test_nobody_is_led_out_into_what_is_full() -> None:
    world = world_with("toy", access={"places": {"outside": 2}})
    for name in ("AY", "SG"):
        world.move_resident(name, HOME, cause="test")
    world.move_resident("MD", "outside", cause="test")
    world.step({"SG": "use toy 1"})
    assert "outside is full" in world.step({"AY": f"leave {HOME}"})["AY"].result
    assert world.place_of("SG") == HOME


BAKE = {"bread": {"at": "stoveburner", "takes": {"book": 1}, "makes": {"bread": 2}}}
SIT = {"bread": {"at": "bed", "takes": {"book": 1}, "makes": {"bread": 2}}}


@pytest.mark.parametrize(
    ("recipe", "access", "heavy", "made"),
    [
        (BAKE, {"room": {"stoveburner": 2}}, "", True),
        (BAKE, {"room": {"stoveburner": 1}}, "", False),
        (BAKE, {"room": {"stoveburner 1": 1}}, "", False),
        (BAKE, {"hands": 1}, "", True),
        (SIT, {"hands": 2}, "", True),
        (SIT, {"hands": 1}, "", False),
        (SIT, {"hands": 9}, "bread", False),
    ],
)
def test_what_a_recipe_makes_needs_room(
    recipe: Mapping[str, Any], access: Mapping[str, Any], heavy: str, made: bool
) -> None:
    world = world_with(heavy, recipes=recipe, access=access)
    where = "stoveburner 1" if recipe is BAKE else "bed 1"
    place = next(piece.place for piece in world.map.furniture if piece.name == where)
    assert world.holds_things(where) == (recipe is BAKE)
    world.move_resident("AY", place, cause="test")
    world.move("book 1", "AY", cause="test")
    result = world.step({"AY": f"use {where}"})["AY"].result
    assert ("You make the bread 1 and bread 2." in result) == made
    assert ("There is no room for 2 bread." in result) == (not made)
    assert world.exists("book 1") == (not made)
