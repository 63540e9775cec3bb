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


SPOILT: dict[str, list[Any]] = {
    "place": ["nowhere", []],
    "time": [True],
    "visited": [3, {"nowhere": 1}],
    "opened": [{"table 1": -1}],
    "answers": [{"LL": 1.5}],
    "open": [True, [["table 1"]]],
    "where": [{"hat 1": ["table 1"]}, {"hat 1": "LL"}, {"nothing": "table 1"}],
    "status": [{"hat 1": 1.5}, {"hat 1": ["blue"]}],
    "people": [{"LL": []}, {"LL": ["nowhere", None]}, {"LL": ["Moss Street", 3]}],
    "heard": [[["LL", "Hello."]], [["LL", None, 0]], [["LL", "Hello.", "0"]]],
}


@pytest.mark.parametrize(("key", "value"), [(key, value) for key, values in SPOILT.items() for value in values])
def test_what_was_never_saved_is_refused(key: str, value: Any) -> None:
    known = Known(VALLEY.tables, "AY")
    known.look(World(VALLEY, seed=0))
    with pytest.raises(ValueError, match=f"known.{key}"):
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
