"""The audit plays what it says, and its guesser never looks."""

from __future__ import annotations

from benchmarks.valley.tasks import _Guesser, _handed_in, measure, oracle_length
from evaluation.ability.task_protocol import play
from irollan_env import World
from irollan_env.tasks import instance_map, instance_tasks


def test_a_line_of_the_audit() -> None:
    row = measure("fetch", 1)
    assert row["distinct"] == "2000 of 2000"
    assert row["in_two_splits"] == 0
    assert row["expert"].startswith("100% of ")
    assert row["blind"].startswith("0% of ")
    assert row["guess"] == "0% of 1 [0.0%, 79.3%]"


def test_what_was_handed_in_is_what_is_played() -> None:
    handed_in = _handed_in("expert", "fetch")
    assert handed_in is not None
    assert handed_in.steps[:2] == next(play("expert", ["fetch"], 2, splits=("test_unseen",))).steps
    assert _handed_in("guess", "fetch") is None


def test_an_oracle_needs_longer_for_more() -> None:
    errands = [oracle_length("errands", "test_seen", number) for number in range(3)]
    assert min(errands) > oracle_length("fetch", "test_seen", 0) >= 4


def test_the_guesser_plans_once_and_then_shuts_its_eyes() -> None:
    valley = instance_map("test_seen", 0)
    task = instance_tasks("fetch", "test_seen", 0, ("AY",))["AY"]
    seen = World(valley, seed=0).observe("AY")
    one, two = _Guesser("AY", task, 0), _Guesser("AY", task, 0)
    plan = [one.act(seen, {}) for _ in range(30)]
    assert plan == [two.act(seen, {}) for _ in range(30)]
    assert plan[-1] is None
    assert any(action and action.startswith("put ") for action in plan)
