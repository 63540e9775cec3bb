"""Saving and restoring the world."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from project import HELPERS
from staging import stage

from irollan_env import World, get_policy

State = dict[str, Any]


def run(world: World, steps: int, seed: int = 0) -> World:
    generator, policy = np.random.default_rng(seed), get_policy("random")
    for _ in range(steps):
        seen = {name: world.observe(name, with_percepts=False) for name in world.residents}
        world.step({name: policy(observation, generator) for name, observation in seen.items()})
    return world


def test_round_trip_goes_on_exactly() -> None:
    world = run(World(seed=3), 60)
    other = World(seed=99)
    other.set_state(json.loads(json.dumps(world.get_state())))
    assert other.get_state() == world.get_state()
    assert [other.observe(name) for name in other.residents] == [world.observe(name) for name in world.residents]
    assert run(world, 30).get_state() == run(other, 30).get_state()


def test_a_copy_is_independent() -> None:
    world = run(World(seed=3), 60)
    before = world.get_state()
    twin = world.copy()
    assert twin.get_state() == before
    run(twin, 10)
    assert world.get_state() == before
    assert run(world, 10).get_state() == twin.get_state()


SCRIPT = """
import json, os, sys
sys.path[:0] = sys.argv[1].split(os.pathsep)
from irollan_env import World
from test_snapshot import run
print(json.dumps(run(World(seed=7), 40).get_state()))
"""


def test_another_process_gives_the_same_world() -> None:
    here = run(World(seed=7), 40).get_state()
    result = subprocess.run(
        [sys.executable, "-c", SCRIPT, os.pathsep.join([str(HELPERS), os.path.dirname(__file__)])],
        env={**os.environ, "PYTHONHASHSEED": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    there = json.loads(result.stdout)
    assert there == here
    world = World()
    world.set_state(there)
    assert world.get_state() == here


def two_places(state: State) -> None:
    state["residents"]["AY"]["holding"] = ["book 1"]


def two_hands(state: State) -> None:
    state["items"]["book 1"]["on"] = None
    state["residents"]["AY"]["holding"] = ["book 1"]
    state["residents"]["LL"]["holding"] = ["book 1"]


def nowhere(state: State) -> None:
    state["items"]["book 1"]["on"] = None


def assign(*path: Any, value: Any) -> Callable[[State], None]:
    def change(state: State) -> None:
        for key in path[:-1]:
            state = state[key]
        state[path[-1]] = value

    return change


def remove(key: str) -> Callable[[State], None]:
    return lambda state: state.pop(key)


def event(**changes: object) -> State:
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
    (assign("residents", "AY", "events", value=[event(text=None)]), r"events\[0\] needs a time >= 0 and a text"),
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
def test_broken_states_are_refused(change: Callable[[State], None], message: str) -> None:
    world = World(seed=0)
    before = world.get_state()
    state = world.get_state()
    change(state)
    with pytest.raises(ValueError, match=message):
        world.set_state(state)
    assert world.get_state() == before


def test_a_seat_is_for_one() -> None:
    world = stage(people={"AY": "LL's Home"})
    state = world.get_state()
    for name in ("AY", "LL"):
        state["residents"][name].update(seat="chair 7", doing="using the chair 7")
    with pytest.raises(ValueError, match="'chair 7' is taken by 'AY'"):
        world.set_state(state)


def test_no_mapping() -> None:
    with pytest.raises(ValueError, match="a state must be a mapping"):
        World().set_state([])  # type: ignore[arg-type]
