"""The shipped mechanics: what each does by the six primitives alone, what it refuses, and that it resumes exactly."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import pytest

import irollan_env
from irollan_env.actions import Action
from irollan_env.map.records import Furniture, FurnitureKind, Item, ItemKind
from irollan_env.map.valley_map import ValleyMap
from irollan_env.world.mechanic import Mechanic
from irollan_env.world.mechanics.calendar import Calendar
from irollan_env.world.world import World

HALL = "Public Canteen"
PIECES = ("oven", "till", "chest", "noticeboard", "ballotbox", "rulesheet", "shelf")
KINDS: Mapping[str, int] = {"bread": 3, "flour": 0, "water": 0, "pin": 0, "coin": 0, "key": 0}
THINGS: Mapping[str, tuple[str, int]] = {
    "flour": ("oven 1", 3),
    "water": ("oven 1", 3),
    "pin": ("shelf 1", 1),
    "coin": ("chest 1", 6),
    "key": ("till 1", 1),
}


def valley(**mechanics: Any) -> ValleyMap:
    """A valley whose canteen has an oven, a till, a chest, boards, and things to bake and to pay with."""
    default = ValleyMap.default()
    kinds = (FurnitureKind(name=piece, height=1.0, receptacle=True) for piece in PIECES)
    pieces = (Furniture(kind=piece, number=1, place=HALL, position=(36.0 + n, 5.0)) for n, piece in enumerate(PIECES))
    items = (
        Item(name=f"{kind} {n + 1}", kind=kind, on=on) for kind, (on, count) in THINGS.items() for n in range(count)
    )
    return replace(
        default,
        furniture_kinds=(*default.furniture_kinds, *kinds),
        furniture=(*default.furniture, *pieces),
        item_kinds=(*default.item_kinds, *(ItemKind(name=name, spare=spare) for name, spare in KINDS.items())),
        items=(*default.items, *items),
        mechanics=mechanics,
    )


def together(**mechanics: Any) -> World:
    """A world in which AY, LL and SG stand in the canteen."""
    world = World(valley(**mechanics), 1)
    for name in ("AY", "LL", "SG"):
        world.move_resident(name, HALL, cause="test")
    return world


def act(world: World, resident: str, action: str) -> str:
    """Let one resident act, and return the result of its action."""
    return world.step({resident: action})[resident].result


BREAD = {"bread": {"at": "oven", "takes": {"flour": 1, "water": 1}, "makes": {"bread": 2}, "tool": "pin", "wears": 2}}
SHOP = {
    "money": "coin",
    "shelves": {"shelf 1": {"prices": {"pin": 2}, "till": "till 1", "keepers": ["SG"]}},
    "wages": {"chest 1": {"pays": 1, "every": 2, "to": ["AY"]}},
}
VOTE = {"question": "Shall bread be dear?", "options": ["yes", "no"], "counted_at": 3, "voters": ["AY", "LL", "SG"]}
DEAR = {**VOTE, "sets": "trade/shelves/shelf 1/prices/pin", "values": [5, 2]}


def test_recipes_use_up_and_make_things_with_a_tool_that_wears() -> None:
    world = together(recipes=BREAD)
    assert "use oven 1" not in world.admissible("AY")
    act(world, "AY", "take pin 1 from shelf 1")
    assert "At an oven one can make 2 bread from flour and water, with a pin in hand." in world.observe("AY").sentence
    assert "use oven 1" in world.admissible("AY")
    assert "use oven 1" not in world.admissible("LL")
    assert act(world, "AY", "use oven 1") == "You use the oven 1. You make the bread 1 and bread 2."
    assert world.items_of("flour") == ("flour 2", "flour 3")
    assert world.observe("LL").events[-1].describe("LL", ()).startswith("AY uses oven 1: the bread 1 and bread 2")
    assert world.status_of("bread 1") == ()
    assert "use oven 1" not in world.admissible("AY")  # one spare bread is left, and two are made
    world.remove("bread 1", cause="eaten")
    assert act(world, "AY", "use oven 1").endswith("The pin 1 breaks.")
    assert world.holding("AY") == ()


def test_trade_pays_wages_and_prices() -> None:
    world = together(trade=SHOP)
    assert "The pin 1 costs 2 coins" in act(world, "AY", "take pin 1 from shelf 1")
    assert "due to you" in act(world, "LL", "take coin 1 from chest 1")
    assert "1 coin in the chest 1 is due to you." in world.observe("AY").sentence
    assert "take coin 1 from chest 1" in world.admissible("AY")
    act(world, "AY", "take coin 1 from chest 1")
    assert "take coin 2 from chest 1" not in world.admissible("AY")
    world.step({})
    act(world, "AY", "take coin 2 from chest 1")
    assert world.variables()["AY"]["coin"] == 2
    assert act(world, "AY", "take pin 1 from shelf 1") == "You take the pin 1 from the shelf 1. You pay 2 coins."
    assert world.contents("till 1") == ("coin 1", "coin 2", "key 1")
    assert [(change.thing, change.cause) for change in world.changes] == [("coin 1", "paid"), ("coin 2", "paid")]
    assert "The till 1 belongs to SG" in act(world, "AY", "take coin 1 from till 1")
    assert act(world, "SG", "take coin 1 from till 1") == "You take the coin 1 from the till 1."


def test_work_earns_wages() -> None:
    wages = {"chest 1": {"pays": 2, "work": "sinkbasin", "paid_after": 3}}
    world = together(trade={"money": "coin", "wages": wages})
    basin = next(one for one in world.furniture_in(HALL) if one.startswith("sinkbasin"))
    assert act(world, "LL", f"use {basin}").endswith("You have earned 2 coins, to be taken from the chest 1.")
    assert "earned" not in act(world, "LL", f"use {basin}")
    world.step({})
    assert "earned" in act(world, "LL", f"use {basin}")


def test_access_knows_keys_owners_room_and_hands() -> None:
    access = {
        "locks": {"chest 1": "key 1", "LL's Home": "key 1"},
        "owners": {"shelf 1": ["SG"]},
        "room": {"till": 2},
        "places": {"Public Reading Room": 1},
        "hands": 2,
        "one_user": ["sinkbasin"],
    }
    world = together(access=access)
    assert "Under lock and key: the chest 1." in world.observe("AY").sentence
    assert "locked; the key 1 opens it" in act(world, "AY", "take coin 1 from chest 1")
    assert "belongs to SG" in act(world, "AY", "take pin 1 from shelf 1")
    act(world, "AY", "take key 1 from till 1")
    act(world, "AY", "take coin 1 from chest 1")
    assert "hands are full" in act(world, "AY", "take coin 2 from chest 1")
    act(world, "AY", "put coin 1 in/on till 1")
    act(world, "AY", "take coin 2 from chest 1")
    act(world, "AY", "put coin 2 in/on till 1")
    act(world, "AY", "take coin 3 from chest 1")
    assert "The till 1 is full" in act(world, "AY", "put coin 3 in/on till 1")
    basin = next(one for one in world.furniture_in(HALL) if one.startswith("sinkbasin"))
    act(world, "LL", f"use {basin}")
    assert f"LL is using the {basin}" in act(world, "SG", f"use {basin}")
    act(world, "LL", "go to outside")
    assert "locked" in act(world, "LL", "go to LL's Home")
    world.move_resident("WM", "Public Reading Room", cause="test")
    assert "go to Public Reading Room" not in world.admissible("LL")


def test_calendar_tells_the_time_and_closes_places() -> None:
    calendar = {
        "steps_a_day": 4,
        "begins_at": 6,
        "hours": {"Public Reading Room": [[6, 12]]},
        "closed_on": {"AY's Home": ["Tuesday"]},
        "dark": [18, 6],
        "needs_light": ["sinkbasin"],
    }
    world = World(valley(calendar=calendar), 1)
    world.move_resident("LL", "outside", cause="test")
    assert "It is Monday morning, 06:00 (day 1)." in world.observe("AY").sentence
    assert "go to Public Reading Room" in world.admissible("LL")
    world.step({})
    assert "Public Reading Room is closed; it opens 6 to 12 o'clock." in world.observe("LL").sentence
    assert "go to Public Reading Room" not in world.admissible("LL")
    world.step({})
    world.move_resident("LL", HALL, cause="test")
    assert world.observe("LL").sentence.endswith("It is Monday evening, 18:00 (day 1). It is dark.")
    assert not any(action.startswith("use sinkbasin") for action in world.admissible("LL"))
    for _ in range(2):
        world.step({})
    assert world.variables() == {"world": {"day": 2.0, "hour": 6.0, "weekday": 1.0}}
    assert world.observe("AY").variables == {"day": 2.0, "hour": 6.0, "weekday": 1.0}
    world.move_resident("LL", "outside", cause="test")
    assert "go to AY's Home" not in world.admissible("LL")


@pytest.mark.parametrize(
    ("when", "now", "step"),
    [
        ("evening", 0, 10),
        ("evening", 11, 11),
        ("05:30", 0, 22),
        ("tomorrow evening", 0, 34),
        ("Tuesday", 0, 16),
        ("Monday morning", 5, 24 * 7 - 2),
        ("day 3 09:00", 0, 49),
        ("8:00", 0, 0),
    ],
)
def test_moments_in_words(when: str, now: int, step: int) -> None:
    assert Calendar({}, valley()).step_of(when, now) == step


@pytest.mark.parametrize("when", ["", "Tusday", "evenin", "day 1 evening 3", "day 1", "half past nine"])
def test_moments_that_are_none(when: str) -> None:
    with pytest.raises(ValueError, match=r"moment|weekday|part of the day|does not come"):
        Calendar({}, valley()).step_of(when, 30)


def test_notices_are_written_read_and_new() -> None:
    boards = {"noticeboard 1": {"keeps": 2, "begins_with": ["Market on day 2."]}}
    world = together(notices={"boards": boards, "texts": {"book 1": "Be kind."}})
    assert "The noticeboard 1 has 1 new notice." in world.observe("AY").sentence
    assert 'Somebody wrote: "Market on day 2."' in act(world, "AY", "use noticeboard 1")
    act(world, "LL", 'chat with noticeboard 1: "Bread for a coin!"')
    assert world.observe("AY").messages == ()
    assert "has 1 new notice" in world.observe("AY").sentence
    assert "new notice" in world.observe("SG").sentence
    act(world, "LL", 'chat with noticeboard 1: "Two coins."')
    read = act(world, "SG", "use noticeboard 1")
    assert read == 'You use the noticeboard 1. LL wrote: "Bread for a coin!" LL wrote: "Two coins."'
    world.move("book 1", "AY", cause="test")
    assert act(world, "AY", "use book 1").endswith('It says: "Be kind."')


def test_a_vote_is_counted_once_and_sets_a_price() -> None:
    world = together(trade=SHOP, votes={"boxes": {"ballotbox 1": DEAR}})
    assert "Say one of: yes, no" in act(world, "AY", 'chat with ballotbox 1: "perhaps"')
    world.step({"AY": 'chat with ballotbox 1: "Yes!"', "LL": 'chat with ballotbox 1: "yes, dear"'})
    assert world.observe("SG").messages == ()
    assert "chat with ballotbox 1: ..." not in world.admissible("AY")
    assert "chat with ballotbox 1: ..." in world.admissible("SG")
    act(world, "SG", 'chat with ballotbox 1: "no"')
    assert world.observe("WM").messages[0].text == "Shall bread be dear? yes 2, no 1: yes has it."
    assert world.variables()["world"]["ballotbox 1: yes"] == 2
    assert "pin 5 coins" in world.observe("AY").sentence
    world.step({})
    assert world.observe("WM").messages == ()


def test_rules_are_amended_by_vote() -> None:
    sheet = {"rules": ["Nobody shouts."], "voters": ["AY", "LL", "SG"], "open_for": 4}
    world = together(votes={"sheets": {"rulesheet 1": sheet}})
    say = 'chat with rulesheet 1: "{}"'.format
    act(world, "AY", say("propose: Everybody shares."))
    assert 'vote yes or no on AY\'s "Everybody shares."' in world.observe("LL").sentence
    assert "is adopted" in act(world, "LL", say("yes"))
    assert "1. Nobody shouts. 2. Everybody shares." in act(world, "SG", "use rulesheet 1")
    assert "no rule" in act(world, "SG", say("repeal 9"))
    act(world, "SG", say("repeal 1"))
    assert act(world, "AY", say("no")) == "You vote no on 'Rule 1 is repealed.'."
    assert "is rejected" in act(world, "LL", say("no"))
    act(world, "SG", say("repeal 1"))
    for _ in range(3):
        world.step({})
    assert any("has fallen" in message.text for message in world.observe("AY").messages)
    assert world.variables()["world"] == {"amendments of rulesheet 1": 1.0}


EVERYTHING: Mapping[str, Any] = {
    "calendar": {"steps_a_day": 4},
    "access": {"hands": 3},
    "trade": SHOP,
    "recipes": BREAD,
    "notices": {"boards": {"noticeboard 1": {}}},
    "votes": {"boxes": {"ballotbox 1": DEAR}, "sheets": {"rulesheet 1": {"voters": ["AY", "LL"]}}},
}
LIFE: tuple[Mapping[str, str], ...] = (
    {"LL": 'chat with noticeboard 1: "Hello"', "AY": 'chat with ballotbox 1: "yes"'},
    {"AY": 'chat with rulesheet 1: "propose Share."', "SG": "take pin 1 from shelf 1"},
    {"AY": "take coin 1 from chest 1", "SG": "use oven 1"},
    {"LL": 'chat with rulesheet 1: "yes"', "SG": "use oven 1", "AY": "use noticeboard 1"},
    {"AY": "put coin 1 in/on LL", "SG": "use oven 1"},
)


@pytest.mark.parametrize("killed", range(len(LIFE)))
def test_every_mechanic_resumes_to_the_same_state(killed: int) -> None:
    world, other = together(**EVERYTHING), World(valley(**EVERYTHING), 77)
    for step, actions in enumerate(LIFE):
        if step == killed:
            other.set_state(json.loads(json.dumps(world.get_state())))
        world.step(actions)
        if step >= killed:
            other.step(actions)
    assert json.dumps(other.get_state()) == json.dumps(world.get_state())
    assert other.observe("LL") == world.observe("LL")


def _without(key: str, table: Mapping[str, Any]) -> dict[str, Any]:
    return {one: value for one, value in table.items() if one != key}


@pytest.mark.parametrize(
    ("mechanics", "expected"),
    [
        ({"trad": SHOP}, "mean 'trade'"),
        ({"trade": {**SHOP, "mony": "coin"}}, r"mechanics\.trade\.mony: unknown key 'mony'; did you mean 'money'"),
        ({"trade": _without("money", SHOP)}, r"mechanics\.trade\.money is missing"),
        ({"trade": {**SHOP, "money": "coins"}}, r"mechanics\.trade\.money: .*'coin'"),
        (
            {"trade": {"money": "coin", "shelves": {"shelf 1": {"prices": {"pin": 0}, "till": "till 1"}}}},
            r"prices\.pin: .*1, got 0",
        ),
        ({"trade": {"money": "coin", "shelves": {"shelf 1": {"prices": {"pin": 1}, "till": "till 2"}}}}, "till 1"),
        ({"trade": {"money": "coin", "shelves": {"shelf 1": {"prices": {"pin": 1}, "till": "shelf 1"}}}}, "itself"),
        ({"trade": {"money": "coin", "wages": {"chest 1": {"pays": 1}}}}, "pays nobody"),
        ({"recipes": {"bread": {**BREAD["bread"], "at": "ofen"}}}, r"recipes\.bread\.at"),
        ({"recipes": {"bread": {**BREAD["bread"], "makes": {"bread": 9}}}}, "spare"),
        ({"recipes": {"bread": {**BREAD["bread"], "takes": {"bread": 1}}}}, "needs 'bread' to make 'bread'"),
        ({"recipes": {"bread": {**BREAD["bread"], "takes": {}}}}, "takes"),
        ({"access": {"locks": {"till 1": "key 1"}}}, "nobody can open"),
        ({"access": {"hands": -1}}, r"mechanics\.access\.hands"),
        ({"access": {"places": {HALL: 0}}}, f"places.{HALL}: .*1, got 0"),
        ({"calendar": {"first_day": "Mondey"}}, "'Monday'"),
        ({"calendar": {"hours": {HALL: [[12, 8]]}}}, "from < until"),
        ({"calendar": {"begins_at": 24}}, r"mechanics\.calendar\.begins_at"),
        ({"notices": {"boards": {"noticeboard 2": {}}}}, "noticeboard 1"),
        ({"votes": {"boxes": {"ballotbox 1": {**VOTE, "options": ["yes"]}}}}, "options"),
        ({"votes": {"boxes": {"ballotbox 1": {**VOTE, "options": ["yes", "Yes"]}}}}, "different"),
        ({"votes": {"boxes": {"ballotbox 1": {**DEAR, "sets": "trade/x"}}}}, "mechanic"),
        ({"votes": {"boxes": {"ballotbox 1": {**VOTE, "counted_at": "3"}}}}, "counted_at"),
    ],
)
def test_wrong_settings_are_refused_by_key(mechanics: Mapping[str, Any], expected: str) -> None:
    with pytest.raises(ValueError, match=expected):
        World(valley(**mechanics))


@pytest.mark.parametrize(
    "path", [["shelves", "shelf 1", "prices", "pin"], ["shelves", "shelf 1", "price"], ["shelvs", "shelf 1"], []]
)
def test_settings_change_in_a_running_world_or_not_at_all(path: list[str]) -> None:
    world = together(trade=SHOP)
    change: Callable[[], None] = lambda: world.set_mechanic("trade", path, 7, cause="test")  # noqa: E731
    if path and path[-1] == "pin":
        change()
        assert "pin 7 coins" in world.observe("AY").sentence
        return
    before = json.dumps(world.get_state())
    with pytest.raises(ValueError, match="trade"):
        change()
    assert json.dumps(world.get_state()) == before


def test_every_offered_action_has_a_number_and_environments_take_the_world() -> None:
    env = irollan_env.parallel_env(map=valley(**EVERYTHING), max_steps=6, render_mode="rgb_array")
    env.reset(seed=3)
    for number in range(6):
        for name in env.agents:
            env.catalogue.mask(env.world.admissible(name))
        actions = {name: env.catalogue.numbers[env.world.admissible(name)[-1 - number]] for name in env.agents}
        env.step(actions)
    assert "chat with ballotbox 1: ..." in env.catalogue.numbers
    assert env.render().shape[2] == 3


def test_furniture_of_a_recipe_keeps_its_own_use() -> None:
    warm = {"bread": {"at": "stoveburner", "takes": {"flour": 1}, "makes": {"bread": 1}}}
    world = together(recipes=warm)
    stove = next(one for one in world.furniture_in(HALL) if one.startswith("stoveburner"))
    for item in ("flour 1", "food 1"):
        world.move(item, stove, cause="test")
    assert act(world, "AY", f"use {stove}").endswith("You make the bread 1.")
    assert "hot" in world.status_of("food 1")
    assert world.doing("AY") == f"using the {stove}"


def test_kinds_are_the_maps_whatever_their_names() -> None:
    default, name = valley(), "baker's oven"
    trade = {"money": "coin", "wages": {"chest 1": {"pays": 1, "work": name}}}
    oven = {"bread": {"at": name, "takes": {"flour": 1}, "makes": {"bread": 1}}}
    bakery = replace(
        default,
        furniture_kinds=(*default.furniture_kinds, FurnitureKind(name=name, height=1.0, receptacle=True)),
        furniture=(*default.furniture, Furniture(kind=name, number=1, place="AY's Home", position=(4.0, 29.0))),
        mechanics={"trade": trade, "recipes": oven, "access": {"room": {name: 1}}},
    )
    world = World(bakery, 1)
    world.move("flour 1", "baker's oven 1", cause="test")
    world.move("key 1", "AY", cause="test")
    assert "is full: it holds 1 things." in act(world, "AY", "put key 1 in/on baker's oven 1")
    assert "You have earned 1 coin" in act(world, "AY", "use baker's oven 1")
    assert world.contents("baker's oven 1") == ("bread 1",)


def test_a_world_class_offers_what_the_map_does_not_have() -> None:
    class Bell(Mechanic):
        def offers(self, world: World, resident: str) -> list[Action]:
            return [Action("use bell")]

        def perform(self, world: World, resident: str, action: Action) -> str | None:
            return "It rings."

    mechanics = {
        **EVERYTHING,
        "access": {"one_user": ["oven"]},
        "calendar": {"dark": [0, 23], "needs_light": ["oven"]},
        "needs": {"hunger": {"start": 0.5, "eased_by": {"food": 0.1}, "unless": ["damp"]}},
        "used_up": {"food": 1},
    }
    world = World(valley(**mechanics), 1, mechanics=[Bell()])
    assert act(world, "AY", "use bell") == "It rings."


def test_what_leaves_the_world_is_forgotten() -> None:
    world = together(used_up={"book": 2}, spoiling={"flour": {"after": 9}}, recipes=BREAD)
    world.move("book 1", "AY", cause="test")
    act(world, "AY", "use book 1")
    act(world, "SG", "take pin 1 from shelf 1")
    act(world, "SG", "use oven 1")
    kept = world.get_state()["mechanics"]
    assert (kept["used_up"], kept["recipes"]) == ({"book 1": 1}, {"uses": {"pin 1": 1}})
    assert kept["spoiling"] == {"flour 2": 3, "flour 3": 3}
    for item in ("book 1", "pin 1", "flour 2", "flour 3"):
        world.remove(item, cause="test")
    kept = world.get_state()["mechanics"]
    assert (kept["used_up"], kept["recipes"], kept["spoiling"]) == ({}, {"uses": {}}, {})


def test_nobody_uses_a_heavy_thing_that_is_gone() -> None:
    default = valley()
    kinds = tuple(
        replace(kind, heavy=True, usable=False, adds=(), once=False) if kind.name == "pin" else kind
        for kind in default.item_kinds
    )
    world = World(replace(default, item_kinds=kinds), 1)
    for name in ("AY", "LL"):
        world.move_resident(name, HALL, cause="test")
    for leave in (lambda: world.move_resident("AY", None, cause="test"), lambda: world.remove("pin 1", cause="test")):
        act(world, "LL", "use pin 1")
        act(world, "AY", "take pin 1 from shelf 1")
        assert world.doing("LL") == "using the pin 1"
        leave()
        assert world.doing("LL") is None
        world.move_resident("AY", HALL, cause="test")
        world.move("pin 1", "shelf 1", cause="test")


def test_silence_writes_nothing_and_long_proposals_are_refused() -> None:
    world = together(notices={"boards": {"noticeboard 1": {}}}, votes=EVERYTHING["votes"], trade=SHOP)
    before = world.get_state()["mechanics"]
    for name in ("noticeboard 1", "ballotbox 1", "rulesheet 1"):
        assert world.copy().step({"AY": f"chat with {name}: ..."})["AY"].kind == "executed"
        twin = world.copy()
        twin.step({"AY": f"chat with {name}: ..."})
        assert twin.get_state()["mechanics"] == before
    assert "at most 1000 characters" in act(world, "AY", f'chat with rulesheet 1: "propose {"x" * 1900}"')
    with pytest.raises(ValueError, match="at most 2000"):
        world.announce("town hall", "x" * 2001)


def test_a_vote_that_could_not_set_its_value_is_refused_at_once() -> None:
    with pytest.raises(ValueError, match=r"votes\.boxes\.ballotbox 1\.values.*shelf 1\.prices\.pin"):
        together(trade=SHOP, votes={"boxes": {"ballotbox 1": {**DEAR, "values": ["five", 2]}}})


def test_a_house_is_not_left_for_a_ground_that_is_full_or_locked() -> None:
    world = World(valley(access={"places": {"outside": 1}}), 1)
    assert act(world, "AY", "leave AY's Home") == "You leave AY's Home."
    assert "outside is full" in act(world, "LL", "leave LL's Home")
    assert world.admissible("LL") == tuple(one for one in world.admissible("LL") if one.primitive != "go to")


def test_a_day_that_is_over_does_not_come_again() -> None:
    events = [{"at": "day 1 08:00", "leave": "AY"}, {"at": "day 99999", "leave": "LL"}]
    world = World(valley(calendar={"steps_a_day": 2}, events={"events": events}), 1)
    for _ in range(4):
        world.step({})
    assert [name for name in world.residents if not world.is_present(name)] == ["AY"]


def test_a_box_says_which_words_it_takes() -> None:
    world = together(votes={"boxes": {"ballotbox 1": VOTE}, "sheets": {"rulesheet 1": {"voters": ["AY", "LL"]}}})
    seen = world.observe("AY")
    assert seen.answers == {"ballotbox 1": ("yes", "no")}
    assert type(seen).from_json(json.loads(json.dumps(seen.to_json()))).answers == seen.answers
    act(world, "LL", 'chat with rulesheet 1: "propose Share."')
    act(world, "AY", 'chat with ballotbox 1: "no"')
    assert world.observe("AY").answers == {"rulesheet 1": ("yes", "no")}
    assert world.observe("WL").answers == {}
