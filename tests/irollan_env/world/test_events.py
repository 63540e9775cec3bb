"""Events: what happens from outside in a world, when, and what is checked before."""

from __future__ import annotations

import json
import tomllib
from typing import Any

import pytest

from irollan_env.actions import Action
from irollan_env.map.valley_map import ValleyMap
from irollan_env.world.mechanic import Mechanic
from irollan_env.world.mechanics.event_map import with_events
from irollan_env.world.mechanics.events import Events
from irollan_env.world.mechanics.registry import MECHANICS
from irollan_env.world.snapshot import extended
from irollan_env.world.world import World

MANY = """
absent = ["WL"]

[[events]]
step = 0
add = { kind = "lantern", where = "AY", count = 2, new = { usable = true } }

[[events]]
step = 1
name = "drought"
empty = "foodshelf 3"
remove = "book 1"
move = { what = "food 2", to = "SG" }
status = { item = "beverage 1", status = ["hot"] }
say = { speaker = "town hall", text = "The canteen is closed.", to = "outside" }
close = "Public Canteen"

[[events]]
step = 2
arrive = { resident = "ZZ", home = "AY's Home", display_name = "Zoe Zahn", place = "outside" }
close = "foodshelf 1"
move = { what = "MD", to = "Public Canteen" }

[[events]]
step = 3
leave = "LL"
open = "Public Canteen"
cancel = "gifts"

[[events]]
step = 4
arrive = { resident = "LL", place = "outside" }

[[events]]
name = "gifts"
every = 1
add = { kind = "food", where = "table 13", spare = 5 }

[[events]]
when = { things = "food", on = "table 13", above = 0 }
arrive = { resident = "WL" }

[[events]]
when = { people = "outside", at_least = 3 }
end = "a crowd"
"""


def made(text: str, seed: int = 1) -> World:
    return World(with_events(ValleyMap.default(), tomllib.loads(text)), seed)


@pytest.fixture(scope="module")
def steps() -> list[World]:
    """The world of many events before each of its steps."""
    world, found = made(MANY), []
    for _ in range(5):
        found.append(world.copy())
        world.step({"AY": "go to outside"} if world.time == 3 else {})
    return [*found, world]


def test_things_come_and_go_and_change(steps: list[World]) -> None:
    assert steps[0].holding("AY") == ("lantern 1", "lantern 2")
    assert steps[0].contents("foodshelf 3") != ()
    assert steps[1].contents("foodshelf 3") == ()
    assert not steps[1].exists("book 1")
    assert steps[1].where_is("food 2") == "SG"
    assert steps[1].status_of("beverage 1") == ("hot",)
    assert [change.cause for change in steps[1].changes if change.thing == "book 1"] == ["drought"]


def test_what_is_closed_is_not_entered_and_not_touched(steps: list[World]) -> None:
    world = steps[2].copy()
    world.move_resident("AY", "outside", cause="test")
    assert Action("go to Public Canteen") not in world.admissible("AY")
    assert "Public Canteen is closed." in world.sentence("AY")
    refused = world.step({"AY": "go to Public Canteen", "MD": "leave Public Canteen"})
    assert refused["AY"] == ("inadmissible", "Nothing happens. Public Canteen is closed.")
    assert refused["MD"].kind == "executed"
    assert Action("go to Public Canteen") in world.admissible("AY")
    inside = steps[2].copy()
    inside.move_resident("SG", inside.map.furniture[0].place, cause="test")
    closed = next(piece.place for piece in inside.map.furniture if piece.name == "foodshelf 1")
    inside.move_resident("SG", closed, cause="test")
    assert "The foodshelf 1 is closed." in inside.sentence("SG")
    assert not any(action.target == "foodshelf 1" for action in inside.admissible("SG"))


def test_residents_arrive_leave_and_hear(steps: list[World]) -> None:
    assert [steps[0].is_present(name) for name in ("WL", "ZZ", "LL")] == [False, False, True]
    assert [steps[2].place_of(name) for name in ("WL", "ZZ")] == ["WL's Home", "outside"]
    assert not steps[3].is_present("LL")
    assert steps[4].place_of("LL") == "outside"
    everywhere = made('[[events]]\nstep = 0\nsay = { speaker = "weather", text = "It rains.", to = "SG" }')
    assert [message.sender for message in everywhere.observe("SG").messages] == ["weather"]
    assert everywhere.observe("AY").messages == ()


def test_repeated_cancelled_conditional_and_last_events(steps: list[World]) -> None:
    gifts = [sum(name.startswith("food ") for name in world.contents("table 13")) for world in steps]
    assert gifts == [0, 1, 2, 2, 2, 2]
    assert [world.ended for world in steps] == ["", "", "", "", "a crowd", "a crowd"]
    world = made('[[events]]\nwhen = { things = "food", on = "AY", at_least = 1 }\nsay = { speaker = "x", text = "y" }')
    world.move("food 1", "AY", cause="test")
    heard = []
    for _ in range(3):
        world.step({})
        heard.append(len(world.observe("AY").messages))
    assert heard == [1, 0, 0]


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ('{ variable = "world.well", below = 3 }', [False, True]),
        ('{ variable = "AY.hunger", above = 0.4, at_most = 0.6 }', [False, True]),
        ('{ variable = "any.hunger", equals = 0.5 }', [False, True]),
        ('{ variable = "all.hunger", at_least = 0.5 }', [False, False]),
        ('{ variable = "mean.hunger", above = 0.08 }', [False, True]),
        ('{ variable = "sum.hunger", above = 0.4 }', [False, True]),
    ],
)
def test_conditions_over_variables(condition: str, expected: list[bool]) -> None:
    class Well(Mechanic):
        name = "well"

        def variables(self, world: World, resident: str | None) -> dict[str, float]:
            return (
                {"well": 4.0 - 2 * world.time}
                if resident is None
                else {"hunger": (resident == "AY") * 0.5 * world.time}
            )

    text = f"[[events]]\nwhen = {condition}\nend = true"
    settings: dict[str, Any] = tomllib.loads(text)
    world = World(ValleyMap.default(), 0, mechanics=[Well(), Events(settings, ValleyMap.default())])
    found = [bool(world.ended)]
    world.step({})
    assert [*found, bool(world.ended)] == expected


def test_moments_of_the_calendar() -> None:
    text = """
    [mechanics.calendar]
    steps_a_day = 8
    begins_at = 6
    [[events]]
    at = "evening"
    repeat = true
    add = { kind = "lantern", where = "AY", new = {}, spare = 9 }
    [[events]]
    at = "day 2 09:00"
    leave = "LL"
    """
    settings = tomllib.loads(text)
    calendar = settings.pop("mechanics")
    world = World(with_events(ValleyMap.default().with_mechanics(calendar), settings), 1)
    held = []
    for _ in range(14):
        held.append((len(world.holding("AY")), world.is_present("LL")))
        world.step({})
    assert [number for number, _ in held] == [0] * 4 + [1] * 8 + [2] * 2
    assert [there for _, there in held] == [True] * 9 + [False] * 5


def test_same_bytes_resumed_or_not(steps: list[World]) -> None:
    for time in range(5):
        twin = World(steps[time].map, 99)
        twin.set_state(json.loads(json.dumps(steps[time].get_state())))
        for now in range(time, 5):
            assert twin.get_state() == steps[now].get_state()
            twin.step({"AY": "go to outside"} if now == 3 else {})
        assert json.dumps(twin.get_state()) == json.dumps(steps[5].get_state())


def test_a_state_from_before_further_events(steps: list[World]) -> None:
    more = '[[events]]\nstep = 2\nadd = { kind = "food", where = "AY" }\n[[events]]\nstep = 3\nleave = "AY"'
    settings = tomllib.loads(more)
    grown = World(with_events(steps[2].map, settings), 0)
    grown.set_state(extended(steps[2].get_state(), grown.get_state()))
    grown.catch_up()
    assert len(grown.holding("AY")) == len(steps[2].holding("AY")) + 1
    grown.step({})
    assert not grown.is_present("AY")


def test_conditions_are_looked_at_after_all_other_mechanics() -> None:
    assert [*MECHANICS][-1] == "events"


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ("leave = 'LL'", "does not say when"),
        ("step = 1", "does not say what"),
        ("step = 1\nend = false", "does not say what"),
        ("step = 1\nleav = 'LL'", r"events\[1\].leav: unknown key .*'leave'"),
        ("at = 'evening'\nleave = 'LL'", "at needs a calendar"),
        ("step = -1\nleave = 'LL'", "greater than or equal to 0"),
        ("every = 0\nleave = 'LL'", "greater than or equal to 1"),
        ("step = 1\nrepeat = true\nleave = 'LL'", "repeat has no effect"),
        ("step = 1\nleave = 'Ll'", r"leave: unknown resident 'Ll'; did you mean 'LL'"),
        ("step = 1\nclose = 'Canteen'", "close: unknown place"),
        ("step = 1\nclose = 'outside'", "close: unknown place with a door"),
        ("step = 1\nempty = 'outside'", "empty: unknown furniture"),
        ("step = 1\nremove = 'food 99'", "remove: unknown item"),
        ("step = 1\nadd = { kind = 'fod', where = 'AY' }", "did you mean 'food'"),
        ("step = 1\nadd = { kind = 'food', where = 'outside' }", "add.where: unknown"),
        ("step = 1\nadd = { kind = 'food', where = 'AY', status = ['warm'] }", "unknown status 'warm'"),
        ("every = 2\nadd = { kind = 'food', where = 'AY' }", "spare = N"),
        ("step = 1\nadd = { kind = 'food', where = 'AY', new = { heavy = true } }", "is another"),
        ("step = 1\nmove = { what = 'AY', to = 'table 1' }", "move.to: unknown place"),
        ("step = 1\nmove = { what = 'food 1', to = 'outside' }", "move.to: unknown furniture"),
        ("step = 1\nstatus = { item = 'food 1', status = ['damp', 'hot'] }", "at once"),
        ("step = 1\narrive = { resident = 'LL' }", "is there from the beginning"),
        ("step = 1\narrive = { resident = 'ZZ' }", "give a newcomer its home"),
        ("step = 1\narrive = { resident = 'ZZ', home = 'outside' }", "home: unknown place"),
        ("step = 1\narrive = { resident = 'LL', home = 'AY\\'s Home' }", "home is a newcomer's"),
        ("step = 1\nsay = { speaker = ' ', text = 'x' }", "speaker must be a name"),
        ("step = 1\nsay = { speaker = 'x', text = '' }", "text must have 1"),
        ("step = 1\nsay = { speaker = 'x', text = 'x', to = 'nobody' }", "say.to: unknown"),
        ("step = 1\nremember = { resident = 'AY', text = 'a\\nb' }", "a line of text"),
        ("step = 1\ncancel = 'x'", "unknown name of an event"),
        ("step = 1\nset.needs.hunger.rises = 1", "unknown mechanic 'needs'"),
        ("when = { below = 1 }\nend = true", "one of variable, things and people, got none"),
        ("when = { things = 'food' }\nend = true", "compares with nothing"),
        ("when = { people = 'Canteen', above = 1 }\nend = true", "people: unknown place"),
        ("when = { things = 'food', on = 'shelf', above = 1 }\nend = true", "on: unknown"),
        ("when = { people = 'outside', on = 'AY', above = 1 }\nend = true", "no effect without things"),
        ("when = { variable = 'world.wel', above = 1 }\nend = true", "unknown variable"),
    ],
)
def test_bad_events_are_refused_with_their_entry(text: str, match: str) -> None:
    text = text.replace("'", '"') if "\\'" not in text else text.replace("'AY\\'s Home'", '"AY\'s Home"')
    with pytest.raises((ValueError, RuntimeError), match=match) as raised:
        made(f"[[events]]\n{text}")
    assert "events[1]" in str(raised.value)


def test_absent_names_a_resident() -> None:
    with pytest.raises(ValueError, match=r"absent: unknown resident 'Wl'; did you mean 'WL'"):
        made('absent = ["Wl"]\n[[events]]\nstep = 1\nend = true')
