"""Who else lives in a single-agent environment."""

import asyncio
from collections.abc import Mapping
from typing import Any

import pytest

from irollan_env import Act, IrollanValleyEnv, Observation, SyncResident, World, get_policy


class Walker:
    """A resident that thinks for a while, and goes out and in."""

    def __init__(self, name: str, fails_at: int = -1) -> None:
        self.name, self.fails_at, self.steps = name, fails_at, 0

    async def act(self, observation: Observation) -> Act:
        await asyncio.sleep(0)
        assert observation.percepts
        self.steps += 1
        if observation.time == self.fails_at:
            return Act(action=None, failure="no answer")
        return Act(action=next(action for action in observation.admissible if action.startswith("go to ")))

    def get_state(self) -> dict[str, Any]:
        return {"steps": self.steps}

    def set_state(self, state: Mapping[str, Any]) -> None:
        self.steps = state["steps"]


def world_of(env: IrollanValleyEnv) -> World:
    return env.world


def test_residents_of_ones_own_live_there_alone() -> None:
    walker = Walker("WL")
    env = IrollanValleyEnv(resident="LL", others=[walker])
    env.reset(seed=0)
    assert world_of(env).residents == ("WL", "LL")
    env.step("wait")
    assert world_of(env).place_of("WL") == "outside"
    assert walker.steps == 1
    env.reset(seed=0)
    assert walker.steps == 0  # each episode starts it as it came
    env.close()


def test_residents_act_where_a_loop_runs_already() -> None:
    async def inside() -> str:
        env = IrollanValleyEnv(others=[Walker("WL")])
        env.reset(seed=0)
        env.step("wait")
        place = world_of(env).place_of("WL")
        env.close()
        return place

    assert asyncio.run(inside()) == "outside"


def test_a_failed_decision_is_one_in_the_world() -> None:
    env = IrollanValleyEnv(others=[Walker("WL", fails_at=0)])
    env.reset(seed=0)
    env.step("wait")
    assert world_of(env).observe("WL").outcome == "failed"
    env.close()


class Careless(Walker):
    """One that returns the text of its action, as nothing else in the valley does."""

    async def act(self, observation: Observation) -> Act:
        return "wait"  # type: ignore[return-value]


def test_an_act_that_is_none_is_said_plainly() -> None:
    env = IrollanValleyEnv(others=[Careless("WL")])
    env.reset(seed=0)
    for decide in (lambda: env.step("wait"), lambda: SyncResident(Careless("WL")).act(world_of(env).observe("WL"))):
        with pytest.raises(TypeError, match=r"'WL' must return an Act, got 'wait'; return Act\(action='wait'\)"):
            decide()
    env.close()


def test_each_its_own_way() -> None:
    ways = {"WL": "idle", "SG": get_policy("random"), "MD": Walker("MD")}
    env = IrollanValleyEnv(resident="AY", others=ways)
    env.reset(seed=0)
    for _ in range(5):
        env.step("wait")
    assert world_of(env).residents == ("AY", "SG", "MD", "WL")
    assert world_of(env).place_of("WL") == "WL's Home"
    env.close()
    alone = IrollanValleyEnv(others={})
    alone.reset(seed=0)
    assert world_of(alone).residents == ("AY",)


def test_who_learns_is_the_first_that_is_left() -> None:
    assert IrollanValleyEnv(others=[Walker("AY")]).resident == "SG"


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"others": [Walker("XX")]}, ValueError, "unknown resident 'XX'"),
        ({"others": [Walker("WL"), Walker("WL")]}, ValueError, "others name 'WL' twice"),
        ({"others": [Walker("WL")], "resident": "WL"}, ValueError, "'WL' is among the others, and cannot learn too"),
        ({"others": {"WL": Walker("SG")}}, ValueError, "the resident given for 'WL' is named 'SG'"),
        ({"others": {"WL": "skripted"}}, ValueError, "unknown policy 'skripted'; did you mean 'scripted'"),
        ({"others": {"WL": 3}}, TypeError, "'WL' must act by a policy"),
        ({"others": 3}, TypeError, "others must be a policy"),
        ({"others": ["WL"]}, TypeError, "others must be a policy"),
    ],
)
def test_impossible_others(arguments: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        IrollanValleyEnv(**arguments)
