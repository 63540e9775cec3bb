"""What holds in the valley, and in any small town with any mechanics, whatever its residents do."""

import json
import re
from functools import cache
from pathlib import Path
from tempfile import NamedTemporaryFile

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from staging import MAP, without_record

from irollan_env import World
from irollan_env.actions import Action
from irollan_env.map.valley_map import ValleyMap
from irollan_env.world.numbered_actions import catalogue_of

RESIDENTS = [resident.name for resident in MAP.residents]
CATALOGUE = catalogue_of(MAP)
ITEMS = [item.name for item in MAP.items]
NAMES = [*RESIDENTS, *ITEMS, *MAP.tables.furniture, *MAP.tables.places]

residents = st.sampled_from(RESIDENTS)
names = st.sampled_from(NAMES)


class Valley(RuleBasedStateMachine):
    """Everyone does anything, admissible or not, alone or all at once."""

    @initialize(seed=st.integers(0, 2**32))
    def begin(self, seed):
        self.world = World(MAP, seed=seed)

    @rule(seed=st.integers(0, 2**32), gather=st.booleans())
    def all_do_something_admissible(self, seed, gather):
        generator = np.random.default_rng(seed)
        actions = {}
        for name in RESIDENTS:
            choices = self.world.admissible(name)
            wanted = "go to LL's Home" if self.world.place_of(name) == "outside" else "go to outside"
            homing = gather and self.world.place_of(name) != "LL's Home"
            actions[name] = wanted if homing else choices[int(generator.integers(len(choices)))]
        self.world.step(actions)
        assert not any(self.world.observe(name).outcome in ("filtered", "failed") for name in RESIDENTS)

    @rule(name=residents, pick=st.integers(0, 10_000))
    def one_does_something_admissible(self, name, pick):
        choices = self.world.admissible(name)
        action = choices[pick % len(choices)]
        assert self.world.step({name: action})[name].kind == "executed", action

    @rule(
        name=residents,
        action=st.one_of(
            st.sampled_from(CATALOGUE.actions[1:]),
            st.builds("go to {}".format, names),
            st.builds("use {}".format, names),
            st.builds("leave {}".format, names),
            st.builds("take {} from {}".format, names, names),
            st.builds("put {} in/on {}".format, names, names),
            st.builds("chat with {}: ...".format, names),
        ),
    )
    def a_well_formed_action_succeeds_exactly_when_it_is_listed(self, name, action):
        listed = action in self.world.admissible(name)
        before = without_record(self.world)
        outcome = self.world.step({name: action})[name]
        assert (outcome.kind == "executed") == listed, (action, outcome)
        if not listed:
            assert outcome.result.startswith("Nothing happens. ")
            for other in RESIDENTS:  # those who waited stopped moving
                if before["residents"][other]["doing"] == "moving" and other != name:
                    before["residents"][other]["doing"] = None
            assert without_record(self.world) == before

    @rule(name=residents, text=st.text(max_size=60))
    def noise_is_refused(self, name, text):
        assert self.world.step({name: text})[name].kind == "inadmissible"

    @rule()
    def save_and_restore(self):
        twin = World(MAP)
        twin.set_state(self.world.get_state())
        assert twin.get_state() == self.world.get_state()
        assert [twin.observe(name) for name in RESIDENTS] == [self.world.observe(name) for name in RESIDENTS]
        self.world = twin

    @precondition(lambda self: self.world.time % 3 == 0)
    @rule(name=residents)
    def everything_listed_succeeds(self, name):
        for action in self.world.admissible(name):
            twin = self.world.copy()
            outcome = twin.step({name: action})[name]
            assert outcome.kind == "executed", (action, outcome)

    @invariant()
    def each_item_is_in_one_place(self):
        held = [item for name in RESIDENTS for item in self.world.holding(name)]
        assert len(held) == len(set(held))
        lying = [
            percept.name
            for place in MAP.tables.places
            for name in self.world.people_in(place)[:1]
            for percept in self.world.observe(name).percepts
            if percept.on is not None
        ]
        assert len(lying) == len(set(lying))
        assert not set(held) & set(lying)
        for item in ITEMS:
            assert (self.world.where_is(item) in RESIDENTS) == (item in held)

    @invariant()
    def statuses_are_possible(self):
        for item in ITEMS:
            assert not {"damp", "hot"} <= set(self.world.status_of(item))

    @invariant()
    def everyone_is_somewhere(self):
        people = [name for place in MAP.tables.places for name in self.world.people_in(place)]
        assert sorted(people) == sorted(RESIDENTS)

    @invariant()
    def sentence_and_percepts_name_the_same(self):
        for name in RESIDENTS:
            seen = self.world.observe(name)
            position = 0
            for percept in seen.percepts:
                position = seen.sentence.index(percept.name, position)
            assert len(seen.admissible) == len(set(seen.admissible))
            assert set(seen.admissible) <= set(CATALOGUE.actions)


Valley.TestCase.settings = settings(
    max_examples=8, stateful_step_count=25, deadline=None, suppress_health_check=list(HealthCheck)
)
TestValley = Valley.TestCase


TOWN = """
name = "Mill Town"
kinds = "irollan_valley"
statuses = ["worn"]
grounds = [{ name = "North" }, { name = "South" }]
roads = [{ ends = ["North", "South"] }]
residents = [
    { name = "Ada", home = "Ada's Home" }, { name = "Bo Li", home = "Bo's Home" },
    { name = "Cleo", home = "Bo's Home" }, { name = "Dan", home = "Ada's Home", absent = true },
]
[[areas]]
name = "Ada's Home"
ground = "North"
furniture = { table = 1, bed = 1, oven = 1, cupboard = 1 }
things = { table = { coin = 3, flour = 2, pin = 1, key = 1 }, cupboard = { bread = 1, candle = 1 } }
[[areas]]
name = "Bo's Home"
ground = "North"
furniture = { table = 1, chair = 1, bed = 1 }
things = { table = { coin = 2, candle = 1, trunk = 1 } }
[[areas]]
name = "Hall"
ground = "South"
furniture = { shelf = 1, till = 1, chest = 1, board = 1, ballotbox = 1, sheet = 1, oven = 1, stoveburner = 1 }
things = { shelf = { bread = 3, pin = 1 }, chest = { coin = 6 }, oven = { flour = 2 }, stoveburner = { flour = 1 } }
[furniture_kinds]
oven = { height = 1.0, receptacle = true }
shelf = { height = 1.0, receptacle = true }
till = { height = 1.0, receptacle = true }
chest = { height = 1.0, receptacle = true }
cupboard = { height = 1.0, receptacle = true, closes = true }
board = { height = 1.0 }
ballotbox = { height = 1.0 }
sheet = { height = 1.0, use = { add = ["worn"] } }
[item_kinds]
coin = { spare = 2 }
flour = { spare = 2 }
pin = { spare = 1 }
key = {}
trunk = { heavy = true, usable = false }
bread = { spare = 3, use = { add = ["worn"] } }
candle = { spare = 1, use = { add = ["worn"] } }
"""
PEOPLE = ["Ada", "Bo Li", "Cleo", "Dan"]
PRICE = {"sets": "trade/shelves/shelf 1/prices/bread", "values": [3, 1]}


@cache
def town():
    with NamedTemporaryFile(suffix=".toml") as file:
        file.write(TOWN.encode())
        file.flush()
        return ValleyMap.from_toml(Path(file.name))


def drawn_mechanics(generator):
    """Draw about seven of ten of the shipped mechanics, with settings of all kinds."""

    def pick(*choices):
        return choices[int(generator.integers(len(choices)))]

    def some():
        return [name for name in PEOPLE if generator.random() < 0.5]

    bread = {"at": pick("oven", "stoveburner", "bed"), "takes": {"flour": pick(1, 2)}, "makes": {"bread": pick(1, 2)}}
    shelf = {"prices": {"bread": pick(1, 2), **pick({}, {"coin": 1})}, "till": pick("till 1", "chest 1", "cupboard 1")}
    wage = {
        "pays": pick(1, 2),
        "every": pick(1, 3),
        "work": pick("", "oven", "candle", "bed"),
        "paid_after": pick(1, 3),
    }
    ballot = {"question": "Dear?", "options": ["yes", "no"], "counted_at": pick(2, 4), "voters": some()}
    hunger = {"rises": pick(0.1, 0.5), "start": pick(0.0, [0.0, 1.0]), "eased_by": {"bread": 0.5}, "carrying": 0.1}
    found = {
        "recipes": {
            "bread": {**bread, "tool": pick("", "pin"), "wears": pick(0, 1, 2)},
            "pin": {"at": pick("oven", "table", "cupboard"), "takes": {"bread": 1}, "makes": {"pin": 1, "flour": 1}},
        },
        "trade": {
            "money": "coin",
            "shelves": {
                "shelf 1": {**shelf, "keepers": some()},
                **pick({}, {"table 1": {"prices": {"flour": 1}, "till": "shelf 1"}}),
            },
            "wages": {"chest 1": {**wage, "to": some()}},
        },
        "access": {
            "locks": pick({}, {"till 1": "key 1", "North": "key 1"}, {"Hall": "key 1", "board 1": "key 1"}),
            "owners": pick({}, {"shelf 1": some()}),
            "room": pick({}, {"table": 6, "till": 1, "oven": 1}),
            "places": pick({}, {"Hall": 2, "North": 1}),
            "hands": pick(0, 1, 3),
            "one_user": pick([], ["bed", "oven", "sheet", "board"]),
        },
        "calendar": {
            "steps_a_day": pick(3, 8),
            "hours": pick({}, {"Hall": [[8, 14]]}),
            "closed_on": pick({}, {"Hall": ["Tuesday"], "Ada's Home": ["Monday"]}),
            **pick({}, {"dark": [18, 6], "needs_light": ["oven", "sheet", "candle"]}),
        },
        "notices": {
            "boards": {
                "board 1": {"keeps": pick(1, 3), "begins_with": pick([], ["Market."])},
                **pick({}, {"sheet 1": {}}),
            },
            "texts": pick({}, {"candle 1": "Light.", "shelf 1": "Shop.", "coin 1": "Trust."}),
        },
        "votes": {
            "boxes": {"ballotbox 1": ballot},
            "sheets": {"sheet 1": {"rules": ["Share."], "voters": some(), "open_for": 3}},
        },
        "needs": {"hunger": {**hunger, "at_end": pick("nothing", "slower", "out"), "steps": 2}},
        "growth": {
            "wheat": {"kind": "flour", "on": pick("oven", "stoveburner 1", "cupboard"), "every": 1, "chance": 0.7}
        },
        "spoiling": {"bread": {"after": pick(1, 3), "becomes": pick("", "worn"), "keeps_in": pick([], ["cupboard"])}},
        "used_up": {"bread": 1, "candle": pick(1, 2)},
        "events": {
            "events": [
                {"step": 2, "arrive": {"resident": "Dan"}},
                {"step": 3, "leave": pick("Ada", "Cleo")},
                {"every": 3, "remove": pick("candle 1", "trunk 1", "coin 1")},
                {"every": 2, "add": {"kind": pick("coin", "candle", "pin"), "where": pick("shelf 1", "Ada", "Dan")}},
                {"step": 2, "close": pick("Hall", "oven 1", "cupboard 1")},
                {"step": 4, "open": "Hall", "move": {"what": "key 1", "to": "Cleo"}},
                {"step": 3, "say": {"speaker": "Town hall", "text": "Hello.", "to": pick("", "Hall", "Ada")}},
                {"step": 4, "move": {"what": "Bo Li", "to": "Ada's Home"}},
            ]
        },
    }
    kept = {name: one for name, one in found.items() if generator.random() < 0.7}
    if kept.keys() >= {"votes", "trade"}:
        kept["votes"]["boxes"]["ballotbox 1"] |= PRICE
    return kept


class Life:
    """A few steps of a drawn town, in which people do what is admissible and say anything."""

    def __init__(self, seed):
        self.generator = np.random.default_rng(seed)
        self.map = town().with_mechanics(drawn_mechanics(self.generator))
        self.actions = [Action(text) for text in catalogue_of(self.map).actions[1:]]
        self.world = World(self.map, seed)
        for name in PEOPLE[:3]:
            if self.generator.random() < 0.7:
                self.world.move_resident(name, self.pick(["Hall", "Ada's Home"]), cause="test")
        for item, name in (
            ("coin 1", "Ada"),
            ("coin 2", "Bo Li"),
            ("bread 1", "Ada"),
            ("pin 1", "Cleo"),
            ("trunk 1", "Ada"),
        ):
            if self.generator.random() < 0.5 and self.world.exists(item):
                self.world.move(item, name, cause="test")
        self.world.step({})

    def pick(self, choices):
        return choices[int(self.generator.integers(len(choices)))]

    def spoken(self, action):
        words = ["...", "yes", "no", "propose Sing.", "repeal 1", "Hello there."]
        return action.replace("...", self.pick(words)) if action.primitive == "chat with" else action

    def state(self):
        return json.dumps(self.world.get_state())

    def places(self):
        return {item: self.world.where_is(item) for item in self.map.tables.items}

    def check_what_is_perceived(self):
        for name in PEOPLE:
            seen, position = self.world.observe(name), 0
            for percept in seen.percepts:
                position = seen.sentence.index(percept.name, position)
            assert len(set(seen.admissible)) == len(seen.admissible)
            assert set(seen.admissible) <= set(self.actions)
            assert (seen.sentence, seen.admissible) == (self.world.sentence(name), self.world.admissible(name))
            text = f"{seen.sentence} {' '.join(seen.admissible)}"
            for item in self.map.tables.items:
                assert self.world.exists(item) or not re.search(rf"(the|take|put) {item}(?!\d)", text), item
            for other in PEOPLE:
                assert self.world.is_present(other) or f"named {other}" not in text, other
                assert self.world.is_present(other) or not any(one.target == other for one in seen.admissible), other

    def check_that_exactly_the_listed_succeeds(self, name):
        listed = self.world.admissible(name)
        for action in listed:
            outcome = self.world.copy().step({name: action})[name]
            assert outcome.kind == "executed", (action, outcome)
        other, idle, tried = self.pick(self.actions), self.world.copy(), self.world.copy()
        idle.step({})
        outcome = tried.step({name: self.spoken(other)})[name]
        assert not listed or outcome.kind != "executed" or other in listed, (other, outcome)
        if outcome.kind == "inadmissible":
            states = [idle.get_state(), tried.get_state()]
            for state in states:
                for key in ("outcome", "result", "doing"):
                    del state["residents"][name][key]
            assert states[0] == states[1], (other, outcome)

    def step(self):
        """Let all act, in the world and in one that is restored from its state; each item's way is known."""
        twin, before = World(self.map, 0), self.places()
        twin.set_state(json.loads(self.state()))
        options = {name: self.world.admissible(name) for name in PEOPLE}
        actions = {name: self.spoken(self.pick(listed)) for name, listed in options.items() if listed}
        outcomes = self.world.step(actions)
        assert twin.step(actions) == outcomes
        assert json.dumps(twin.get_state()) == self.state()
        assert [twin.observe(name) for name in PEOPLE] == [self.world.observe(name) for name in PEOPLE]
        assert (twin.changes, twin.variables()) == (self.world.changes, self.world.variables())
        ways = [
            (one.thing, one.target or "away") for one in self.world.changes if one.what in ("added", "moved", "removed")
        ]
        for name, action in actions.items():
            done = Action(action)
            if outcomes[name].kind == "executed" and done.item is not None:
                ways.append((done.item, name if done.primitive == "take" else done.target))
        after = self.places()
        for item in before.keys() | after.keys():
            assert after[item] == before[item] or (item, after[item]) in ways, (item, before[item], after[item])


@settings(max_examples=8, deadline=None)
@given(seed=st.integers(0, 2**32))
def test_any_town_with_any_mechanics(seed):
    life = Life(seed)
    for number in range(5):
        before = life.state()
        life.check_what_is_perceived()
        life.check_that_exactly_the_listed_succeeds(PEOPLE[(seed + number) % 4])
        assert life.state() == before
        life.step()
