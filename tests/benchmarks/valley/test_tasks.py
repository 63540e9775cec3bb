"""The audit plays what it says, and its guesser never looks."""

import pytest

from benchmarks.valley.tasks import _Guess, _Guesser, _handed_in, measure, played_by_oracles
from evaluation.ability.task_protocol import play
from irollan_env import World
from irollan_env.tasks import TOGETHER, instance_map, instance_tasks


def test_a_line_of_the_audit():
    row = measure("fetch", 1)
    assert row["distinct"] == "2000 of 2000"
    assert row["in_two_splits"] == 0
    assert row["expert"].startswith("100% of ")
    assert row["blind"].startswith("0% of ")
    assert row["guess"] == "0% of 1 [0.0%, 79.3%]"


def test_what_was_handed_in_is_what_is_played():
    handed_in = _handed_in("expert", "fetch")
    assert handed_in is not None
    assert handed_in.steps[:2] == next(play("expert", ["fetch"], 2, splits=("test_unseen",))).steps
    assert _handed_in("guess", "fetch") is None


@pytest.mark.parametrize("family", TOGETHER)
def test_oracles_solve_together_what_none_of_them_solves_alone(family):
    for split in ("train", "test_unseen"):
        for number in range(3):
            assert played_by_oracles(family, split, number) is not None
    for name in instance_map("train", 0).tables.residents:
        assert played_by_oracles(family, "train", 0, playing=[name], limit=60) is None


def test_the_guesser_plans_once_and_then_shuts_its_eyes():
    valley = instance_map("test_seen", 0)
    task = instance_tasks("fetch", "test_seen", 0, ("AY",))["AY"]
    seen = World(valley, seed=0).observe("AY")
    one, two = _Guesser("AY", task, 0), _Guesser("AY", task, 0)
    plan = [one.act(seen, {}) for _ in range(30)]
    assert plan == [two.act(seen, {}) for _ in range(30)]
    assert plan[-1] is None
    assert any(action and action.startswith("put ") for action in plan)


def test_the_guesser_does_not_know_where_things_lie():
    world = World(instance_map("test_seen", 0), seed=0)
    guess, items = _Guess(world, "AY", 0), world.map.tables.items
    assert [guess.where(item) for item in items] == [where for where, _ in guess.whereabouts(items)]
    assert sum(guess.where(item) == world.where_is(item) for item in items) < len(items) / 4
