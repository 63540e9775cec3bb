"""Furniture that opens and closes, things that take two, and stores that grow back."""

from dataclasses import replace

import numpy as np
import pytest

from irollan_env import ValleyMap, World, get_policy
from irollan_env.map.drawn import draw_valley
from irollan_env.map.records import FurnitureKind, Item, ItemKind
from irollan_env.world.numbered_actions import catalogue_of

VALLEY = ValleyMap.default()


def changed(**kinds):
    """The paper's valley with other kinds of some names."""
    furniture = tuple(kinds.get(kind.name, kind) for kind in VALLEY.furniture_kinds)
    items = tuple(kinds.get(kind.name, kind) for kind in VALLEY.item_kinds)
    return replace(VALLEY, furniture_kinds=furniture, item_kinds=items)


@pytest.fixture
def closed():
    """AY's foodshelf is a cupboard, with food 1 in it."""
    return World(changed(foodshelf=FurnitureKind(name="foodshelf", height=1.2, receptacle=True, closes=True)), seed=0)


def act(world, name, action):
    return world.step({name: action})[name].result


def test_what_is_in_closed_furniture_is_neither_seen_nor_taken(closed):
    seen = closed.observe("AY")
    assert "the foodshelf 1 in the closed status" in seen.sentence
    assert "food 1" not in seen.sentence
    assert "food 1" not in [percept.name for percept in seen.percepts]
    assert next(p.status for p in seen.percepts if p.name == "foodshelf 1") == ("closed",)
    assert not any("food 1" in action for action in seen.admissible)
    assert act(closed, "AY", "take food 1 from foodshelf 1") == (
        "Nothing happens. The foodshelf 1 is closed; use the foodshelf 1 to open it."
    )


def test_use_opens_and_closes_it(closed):
    assert act(closed, "AY", "use foodshelf 1") == "You use the foodshelf 1. The foodshelf 1 is now open."
    assert "the foodshelf 1 in the open status" in closed.sentence("AY")
    assert "take food 1 from foodshelf 1" in closed.admissible("AY")
    act(closed, "AY", "take food 1 from foodshelf 1")
    assert "put food 1 in/on foodshelf 1" in closed.admissible("AY")
    act(closed, "AY", "use foodshelf 1")
    assert "put food 1 in/on foodshelf 1" not in closed.admissible("AY")
    assert act(closed, "AY", "put food 1 in/on foodshelf 1").startswith("Nothing happens. The foodshelf 1 is closed")


def test_what_is_asked_of_several_at_once_is_what_is_asked_of_each():
    world = World(draw_valley(np.random.default_rng(0), level=1, unseen=False), seed=0)
    generator, policy = np.random.default_rng(0), get_policy("random")
    for _ in range(40):
        world.step({name: policy(world.observe(name), generator) for name in world.residents})
    items = [item.name for item in world.map.items]
    assert world.whereabouts(items) == [(world.where_is(item), world.status_of(item)) for item in items]
    assert {where in world.residents for where, _ in world.whereabouts(items)} == {True, False}
    pieces, places = world.map.furniture, world.map.tables.places
    stand_open = [[piece.name for piece in pieces if piece.place == p and world.is_open(piece.name)] for p in places]
    assert [sorted(world.open_in(place)) for place in places] == [sorted(names) for names in stand_open]
    with pytest.raises(ValueError, match=f"unknown item '{items[0]}x'; did you mean"):
        world.whereabouts([*items, f"{items[0]}x"])


def test_a_heavy_thing_takes_two():
    valley = changed(toy=ItemKind(name="toy", usable=False, heavy=True))
    world = World(valley, seed=0)
    on = {item.name: item.on for item in valley.items}["toy 3"]
    for name in ("WM", "SG"):
        act(world, name, "go to outside")
        act(world, name, "go to LL's Home")
    assert act(world, "LL", f"take toy 3 from {on}").startswith("Nothing happens. The toy 3 is too heavy to take alone")
    assert f"take toy 3 from {on}" not in world.admissible("LL")
    assert act(world, "WM", "use toy 3") == "You use the toy 3: you lend a hand with it."
    assert f"take toy 3 from {on}" in world.admissible("LL")
    act(world, "LL", f"take toy 3 from {on}")
    act(world, "LL", "go to outside")
    assert (world.place_of("LL"), world.place_of("WM"), world.place_of("SG")) == ("outside", "outside", "LL's Home")
    assert world.doing("WM") == "using the toy 3"
    twin = World(valley)
    twin.set_state(world.get_state())
    assert twin.get_state() == world.get_state()
    act(world, "WM", "go to WM's Home")
    assert act(world, "LL", "go to WM's Home").startswith("Nothing happens. The toy 3 is too heavy to carry alone")
    assert not [action for action in world.admissible("LL") if action.startswith("go to")]


def test_a_store_grows_back_until_it_is_empty():
    shelf = FurnitureKind(name="foodshelf", height=1.2, receptacle=True, grows=3)
    two = tuple(Item(name=name, kind="food", on="foodshelf 1") for name in ("food 1", "food 90"))
    items = (*(item for item in VALLEY.items if item.on != "foodshelf 1"), *two)
    world = World(replace(changed(foodshelf=shelf), items=items), seed=0)
    for action in ("take food 1 from foodshelf 1", "use food 1"):
        act(world, "AY", action)
    assert world.status_of("food 1") == ("eaten",)
    world.step({})  # step 3, in which it grows
    assert (world.where_is("food 1"), world.status_of("food 1"), world.holding("AY")) == ("foodshelf 1", (), ())
    for item in ("food 1", "food 90"):
        act(world, "AY", f"take {item} from foodshelf 1")
    for item in ("food 1", "food 90"):
        act(world, "AY", f"use {item}")
    for _ in range(9):
        world.step({})
    assert world.lying_in("AY's Home").keys().isdisjoint({"food 1", "food 90"})


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        (FurnitureKind(name="bed", height=0.5, receptacle=True, seat=True, closes=True), "'bed' opens and closes"),
        (FurnitureKind(name="chair", height=0.5, grows=3), "'grows' of 'chair'"),
        (ItemKind(name="toy", heavy=True), "'toy' is heavy: to use it is to lend a hand"),
    ],
)
def test_kinds_that_contradict_themselves(kind, message):
    with pytest.raises(ValueError, match=message):
        changed(**{kind.name: kind})


def test_in_drawn_valleys_exactly_what_is_listed_succeeds():
    generator = np.random.default_rng(3)
    world = World(draw_valley(generator, level=3), seed=0)
    catalogue = catalogue_of(world.map).actions[1:]
    for step in range(40):
        name = world.residents[step % 6]
        listed = world.admissible(name)
        assert set(listed) <= set(catalogue)
        for action in (*listed, *generator.choice(catalogue, 20).tolist()):
            before = world.copy()
            assert (before.step({name: action})[name].kind == "executed") == (action in listed), action
        actions = {n: str(generator.choice(world.admissible(n))) for n in world.residents}
        world.step(actions)
        twin = World(world.map)
        twin.set_state(world.get_state())
        assert twin.get_state() == world.get_state()
        assert [twin.observe(n) for n in world.residents] == [world.observe(n) for n in world.residents]


def test_what_stands_open_is_saved(closed):
    act(closed, "AY", "use foodshelf 1")
    state = closed.get_state()
    assert state["open"] == ["foodshelf 1"]
    twin = World(closed.map)
    twin.set_state(state)
    assert twin.observe("AY") == closed.observe("AY") == closed.copy().observe("AY")
    with pytest.raises(ValueError, match=r"state\.open: 'table 1' neither opens nor closes"):
        twin.set_state({**state, "open": ["table 1"]})
    assert "open" not in World().get_state()


def test_of_two_who_use_it_at_once_the_second_is_told(closed):
    closed.step({"LL": "go to outside"})
    closed.step({"LL": "go to AY's Home"})
    results = closed.step({"AY": "use foodshelf 1", "LL": "use foodshelf 1"})
    assert sorted(outcome.kind for outcome in results.values())[-1] == "inadmissible"
    assert closed.is_open("foodshelf 1")
