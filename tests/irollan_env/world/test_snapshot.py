"""Saving and restoring the world."""

from typing import Any

import pytest
from staging import stage

from irollan_env import World

State = dict[str, Any]


def two_places(state):
    state["residents"]["AY"]["holding"] = ["book 1"]


def two_hands(state):
    state["items"]["book 1"]["on"] = None
    state["residents"]["AY"]["holding"] = ["book 1"]
    state["residents"]["LL"]["holding"] = ["book 1"]


def nowhere(state):
    state["items"]["book 1"]["on"] = None


def assign(*path, value):
    def change(state):
        for key in path[:-1]:
            state = state[key]
        state[path[-1]] = value

    return change


def remove(key):
    return lambda state: state.pop(key)


def event(**changes):
    return {"time": 0, "actor": "LL", "deed": "took", "thing": "book 1", "other": "bookshelf 1", "text": "", **changes}


BROKEN = [
    (assign("version", value=1), "version 1, this is version 2"),
    (remove("version"), "version None"),
    (assign("map", value="Smallville"), "state.map is 'Smallville', but the world's map is 'IrollanValley'"),
    (remove("items"), "state lacks 'items'"),
    (remove("generator"), "the key 'generator'"),
    (assign("itmes", value={}), "state has an unknown key 'itmes'; did you mean 'items'"),
    (assign("time", value=-1), "state.time must be an integer >= 0, got -1"),
    (assign("time", value=True), "state.time must be an integer >= 0, got True"),
    (two_places, r"residents\['AY'\].holding: 'book 1' is in two places, held here and on 'bookshelf 1'"),
    (two_hands, r"residents\['LL'\].holding: 'book 1' is in two places, also held by 'AY'"),
    (nowhere, r"items\['book 1'\]: 'book 1' lies nowhere and nobody holds it"),
    (
        assign("items", "book 1", "on", value="bokshelf 1"),
        r"\['book 1'\].on: unknown furniture 'bokshelf 1'; did you mean 'bookshelf 1'",
    ),
    (assign("items", "book 1", "status", value=["damp", "hot"]), "'book 1' cannot be damp and hot at once"),
    (assign("items", "book 1", "status", value=["wet"]), "unknown status 'wet'"),
    (assign("items", "book 1", "status", value="damp"), "status must be a list, got 'damp'"),
    (assign("people", "outside", value=["AY"]), r"state.people: 'AY' is in 'outside' and in \"AY's Home\""),
    (assign("people", "AY's Home", value=[]), "state.people: 'AY' is nowhere"),
    (assign("people", "AY's Home", value=["AY", "AY"]), "names 'AY' twice"),
    (assign("residents", "AY", "position", value=[0, 0]), 'lies outside "AY\'s Home"'),
    (assign("residents", "AY", "position", value=[float("nan"), 0]), "needs a position"),
    (assign("residents", "AY", "heading", value="north"), "needs a position"),
    (assign("residents", "AY", "seat", value="table 1"), "'table 1' is no seat in \"AY's Home\""),
    (assign("residents", "AY", "seat", value="chair 2"), "'chair 2' is no seat in \"AY's Home\""),
    (assign("residents", "AY", "doing", value="dancing"), "cannot be doing 'dancing'"),
    (assign("residents", "AY", "doing", value="using the book 1"), "cannot be doing 'using the book 1'"),
    (assign("residents", "AY", "doing", value="using the chair 1"), "cannot be doing 'using the chair 1'"),
    (assign("residents", "AY", "doing", value="talking with LL"), "cannot be doing 'talking with LL'"),
    (assign("residents", "AY", "outcome", value="fine"), "outcome must be null or one of"),
    (assign("residents", "AY", "result", value=None), "result must be a string, got None"),
    (assign("residents", "AY", "messages", value=[{"time": 0}]), r"messages\[0\] lacks 'sender'"),
    (assign("residents", "AY", "events", value=[{"time": 0}]), r"events\[0\] lacks 'actor'"),
    (assign("residents", "AY", "events", value=[event(deed="flew")]), r"events\[0\].deed: unknown deed 'flew'"),
    (assign("residents", "AY", "events", value=[event(thing="boko 1")]), "unknown item or furniture 'boko 1'; did"),
    (assign("residents", "AY", "events", value=[event(other="LM")]), "unknown resident, place or furniture 'LM'"),
    (assign("residents", "AY", "events", value=[event(text=None)]), r"events\[0\].text must be a string"),
    (assign("residents", "AY", value=None), r"state.residents\['AY'\] must be a mapping, got None"),
    (
        assign(
            "residents", "AY", "messages", value=[{"time": 0, "sender": "LL", "addressee": "AY", "text": "a" * 2001}]
        ),
        r"messages\[0\].text has 2001 characters; at most 2000 can be said",
    ),
    (assign("generator", value={}), "state.generator lacks 'state'"),
]


@pytest.mark.parametrize(("change", "message"), BROKEN, ids=[message for _, message in BROKEN])
def test_broken_states_are_refused(change, message):
    world = World(seed=0)
    before = world.get_state()
    state = world.get_state()
    change(state)
    with pytest.raises(ValueError, match=message):
        world.set_state(state)
    assert world.get_state() == before


def test_a_seat_is_for_one():
    world = stage(people={"AY": "LL's Home"})
    state = world.get_state()
    for name in ("AY", "LL"):
        state["residents"][name].update(seat="chair 7", doing="using the chair 7")
    with pytest.raises(ValueError, match="'chair 7' is taken by 'AY'"):
        world.set_state(state)
