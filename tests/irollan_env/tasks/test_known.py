"""What an expert knows is what its resident has seen."""

import json
from typing import Any

import numpy as np
import pytest

from irollan_env import World
from irollan_env.tasks import AssignedTask, AssignedTasks, instance_map, instance_tasks
from irollan_env.tasks.known import Known
from irollan_env.tasks.views import Truth

VALLEY = instance_map("train", 1)


def test_two_worlds_that_look_the_same_are_known_the_same() -> None:
    world = World(VALLEY, seed=0)
    task = instance_tasks("fetch", "train", 1, ("AY",))["AY"]
    state = world.get_state()
    hidden = [name for name in VALLEY.tables.items if not world.is_open(str(world.where_is(name)))]
    closed = [name for f, name in enumerate(VALLEY.tables.furniture) if VALLEY.tables.closes[f]]
    generator = np.random.default_rng(0)
    for item in hidden:
        state["items"][item]["on"] = closed[int(generator.integers(len(closed)))]
    other = World(VALLEY, seed=0)
    other.set_state(state)
    one, two = AssignedTask(task, "AY", world), AssignedTask(task, "AY", other)
    for _ in range(4):
        assert one.expert_plan == two.expert_plan
        action = one.expert_plan[0]
        for each, assigned in ((world, one), (other, two)):
            each.step({"AY": action})
            assigned.advance(each, (), {})
        if world.sentence("AY") != other.sentence("AY"):
            break


def test_what_was_seen_is_kept_until_it_is_seen_otherwise() -> None:
    world = World(VALLEY, seed=0)
    known = Known(VALLEY.tables, "AY")
    known.look(world)
    home = world.place_of("AY")
    assert known.knows(home)
    assert known.place_of("SG") is None
    assert Truth(world, "AY").place_of("SG") == world.place_of("SG")
    piece = next(name for place, name in known.unseen(people=False) if place == home and name)
    inside = [item for item in VALLEY.tables.items if world.where_is(item) == piece]
    world.step({"AY": f"use {piece}"})
    known.look(world)
    assert [known.where(item) for item in inside] == [piece] * len(inside)
    assert (home, piece) not in known.unseen(people=False)
    world.step({"AY": f"leave {home}"})
    known.look(world)
    assert [known.where(item) for item in inside] == [piece] * len(inside)


def test_it_goes_through_json() -> None:
    world = World(VALLEY, seed=0)
    known = Known(VALLEY.tables, "AY")
    for action in (None, f"leave {world.place_of('AY')}"):
        world.step({"AY": action})
        known.look(world)
    twin = Known(VALLEY.tables, "AY")
    twin.set_state(json.loads(json.dumps(known.get_state())))
    assert twin.get_state() == known.get_state()
    assert twin.unseen(people=False) == known.unseen(people=False)


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("place", "nowhere", "known.place names what is not there: 'nowhere'"),
        ("place", [], r"known.place names what is not there: \[\]"),
        ("time", True, "known.time must be a time step >= 0, got True"),
        ("visited", 3, "known.visited must be a mapping, got 3"),
        ("visited", {"nowhere": 1}, "known.visited names what is not there: 'nowhere'"),
        ("opened", {"table 1": -1}, r"known.opened\['table 1'\] must be a time step >= 0, got -1"),
        ("answers", {"LL": 1.5}, r"known.answers\['LL'\] must be a time step >= 0, got 1.5"),
        ("open", True, "known.open must be a list, got True"),
        ("open", [["table 1"]], r"known.open names what is not there: \['table 1'\]"),
        ("where", {"hat 1": ["table 1"]}, r"known.where names what is not there: \['table 1'\]"),
        ("where", {"hat 1": "LL"}, "known.where names what is not there: 'LL'"),
        ("where", {"nothing": "table 1"}, "known.where names what is not there: 'nothing'"),
        ("status", {"hat 1": 1.5}, "known.status must be a list, got 1.5"),
        ("status", {"hat 1": ["blue"]}, "known.status names what is not there: 'blue'"),
        ("people", {"LL": []}, r"known.people\['LL'\] must be a list of 2, got \[\]"),
        ("people", {"LL": ["nowhere", None]}, "known.people names what is not there: 'nowhere'"),
        ("heard", [["LL", "Hello."]], "known.heard must be a list of 3, got"),
        ("heard", [["LL", None, 0]], "known.heard must hold texts, got None"),
        ("heard", [["LL", "Hello.", "0"]], "known.heard must be a time step >= 0, got '0'"),
    ],
)
def test_what_was_never_saved_is_refused(key: str, value: Any, message: str) -> None:
    world = World(VALLEY, seed=0)
    known = Known(VALLEY.tables, "AY")
    known.look(world)
    with pytest.raises(ValueError, match=message):
        known.set_state({**known.get_state(), key: value})


def test_what_is_known_is_of_the_moment_of_the_world() -> None:
    world = World(VALLEY, seed=0)
    state = AssignedTask(instance_tasks("fetch", "train", 1, ("AY",))["AY"], "AY", world).get_state()
    AssignedTasks.from_state({"AY": state}, world)
    world.step({})
    with pytest.raises(
        ValueError, match=r"\['AY'\].known is of \(.*, 0\), and 'AY' is at \(.*, 1\); make both the same"
    ):
        AssignedTasks.from_state({"AY": state}, world)
