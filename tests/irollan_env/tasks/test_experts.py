"""Instances, and the experts' plans: by what a resident has seen, and the nearest of several ways."""

import itertools
import json
import random

import numpy as np
import pytest

import irollan_env
from irollan_env import World
from irollan_env.tasks import (
    ALONE,
    FAMILIES,
    PER_SPLIT,
    SPLITS,
    AssignedTask,
    AssignedTasks,
    instance_hash,
    instance_map,
    instance_tasks,
)
from irollan_env.tasks.instances import check_number, listed_hashes
from irollan_env.tasks.known import Known
from irollan_env.tasks.planning import Leg, _lacking, _one, _steps, _treated, length, obtain
from irollan_env.tasks.views import Truth


@pytest.mark.parametrize("family", FAMILIES)
def test_instances_are_those_listed(family):
    for split, number in itertools.product(SPLITS, (0, PER_SPLIT - 1)):
        valley = instance_map(split, number)
        residents = valley.tables.residents[:1] if family in ALONE else valley.tables.residents
        found = instance_hash(valley, instance_tasks(family, split, number, residents))
        assert found == listed_hashes(family, split)[number]


def test_all_are_distinct_over_all_splits():
    every = [one for family in FAMILIES for split in SPLITS for one in listed_hashes(family, split)]
    assert len(every) == len(FAMILIES) * len(SPLITS) * PER_SPLIT
    assert len(set(every)) == len(every)


@pytest.mark.parametrize("number", [-1, 500, 1.0, True])
def test_numbers_that_are_none(number):
    with pytest.raises(ValueError, match="the number of an instance must be an integer in"):
        check_number(number)


VALLEY = instance_map("train", 1)


def test_two_worlds_that_look_the_same_are_known_the_same():
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


def test_what_was_seen_is_kept_until_it_is_seen_otherwise():
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


def test_it_goes_through_json():
    world = World(VALLEY, seed=0)
    known = Known(VALLEY.tables, "AY")
    for action in (None, f"leave {world.place_of('AY')}"):
        world.step({"AY": action})
        known.look(world)
    twin = Known(VALLEY.tables, "AY")
    twin.set_state(json.loads(json.dumps(known.get_state())))
    assert twin.get_state() == known.get_state()
    assert twin.unseen(people=False) == known.unseen(people=False)


SPOILT = {
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
def test_what_was_never_saved_is_refused(key, value):
    known = Known(VALLEY.tables, "AY")
    known.look(World(VALLEY, seed=0))
    with pytest.raises(ValueError, match=f"known.{key}"):
        known.set_state({**known.get_state(), key: value})


def test_what_is_known_is_of_the_moment_of_the_world():
    world = World(VALLEY, seed=0)
    state = AssignedTask(instance_tasks("fetch", "train", 1, ("AY",))["AY"], "AY", world).get_state()
    AssignedTasks.from_state({"AY": state}, world)
    world.step({})
    with pytest.raises(
        ValueError, match=r"\['AY'\].known is of \(.*, 0\), and 'AY' is at \(.*, 1\); make both the same"
    ):
        AssignedTasks.from_state({"AY": state}, world)


STATUSES = ((), ("clean",), ("hot",), ("clean", "hot"))


def plainly(view, leg, items, statuses):
    """By the plans themselves, of all that can be had."""
    free = [i for i in items if i not in leg.used and view.where(i) is not None and "eaten" not in view.status(i)]
    plans = [(_treated(view, _one(view, leg, item), item, statuses), item) for item in free]
    if not plans:
        return None
    found, item = min(plans, key=lambda way: (way[0].ends, length(way[0])))
    return found._replace(used=found.used | {item}), item


def check(view):
    """For every kind of thing and all it can be made, from here and after another plan; how many were compared."""
    compared = 0
    for kind in view.near.kinds:
        items, start = view.near.items[kind], Leg((), view.place)
        for statuses in STATUSES:
            best = plainly(view, start, items, statuses)
            if best is None:
                continue
            assert obtain(view, start, items, statuses) == best
            if (after := plainly(view, best[0], items, statuses)) is not None:
                assert obtain(view, best[0], items, statuses) == after
            for item in items:
                where = view.where(item)
                if where is not None:
                    steps = _steps(
                        view, start, item, where, _lacking(view.status(item), statuses), view.ways(start.place)
                    )
                    plan = _treated(view, _one(view, start, item), item, statuses)
                    assert steps == (None if plan.ends else length(plan))
            compared += 1
    return compared


@pytest.mark.parametrize("seed", range(2))
def test_along_random_play(seed):
    env = irollan_env.parallel_env(task="cook", expert_plan=True, instance=seed)
    generator, (_, infos), compared = random.Random(seed), env.reset(seed=seed), 0
    for step in range(50):
        actions = {}
        for name, info in infos.items():
            planned = info["expert_plan"][:1] if generator.random() < 0.5 else ()
            actions[name] = generator.choice([*planned, *planned] or info["admissible_actions"])
        *_, infos = env.step(actions)
        if not env.agents:
            break
        if step % 6 == 0:
            compared += sum(check(Truth(env.world, name)) for name in env.agents)
            compared += sum(check(one.known) for one in env.episodes.tasks.by_resident.values())
    assert compared > 150


def test_what_one_has_does_not_depend_on_who_else_has_a_task():
    together = instance_tasks("fetch", "train", 3, ("AY", "LL", "WM"))
    assert together["LL"] == instance_tasks("fetch", "train", 3, ("LL",))["LL"]
    kinds = [getattr(task, "kind", "") for task in together.values()]
    assert len(set(kinds)) == 3
