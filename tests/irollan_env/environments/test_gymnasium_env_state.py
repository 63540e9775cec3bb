"""Saving, restoring and copying the whole Gymnasium environment."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from project import HELPERS

from irollan_env import IrollanValleyEnv
from irollan_env.tasks import Deliver

State = dict[str, Any]


def make(**arguments: Any) -> IrollanValleyEnv:
    return IrollanValleyEnv(**{"task": "random", "reward": "dense", "expert_plan": True, "max_steps": 30, **arguments})


def play(env: IrollanValleyEnv, steps: int, seed: int = 0) -> list[Any]:
    """What is seen in some steps of random play, over the ends of episodes."""
    generator, seen = np.random.default_rng(seed), []
    _, info = env.observe()
    for _ in range(steps):
        actions = info["admissible_actions"]
        observation, reward, terminated, truncated, info = env.step(actions[int(generator.integers(len(actions)))])
        seen.append((observation, reward, terminated, truncated, str(info)))
        if terminated or truncated:
            observation, info = env.reset()
            seen.append((observation, str(info)))
    return seen


@pytest.mark.parametrize("others", ["scripted", "random", "neighbour"])
def test_a_restored_environment_goes_on_exactly(others: str) -> None:
    env = make(others=others)
    env.reset(seed=4)
    play(env, 17)
    twin = make(others=others, max_steps=5, task=None, observation="full")
    twin.set_state(json.loads(json.dumps(env.get_state())))
    assert twin.get_state() == env.get_state()
    assert play(twin, 40) == play(env, 40)


SCRIPT = """
import json, os, sys
import numpy as np
sys.path[:0] = sys.argv[1].split(os.pathsep)
from test_gymnasium_env_state import make, play
env = make()
env.reset(seed=4)
play(env, 20)
restored = make()
restored.set_state(json.load(sys.stdin))
for one in (env, restored):
    play(one, 40, seed=1)
print(json.dumps([env.get_state(), restored.get_state()]))
"""


def test_another_process_goes_on_the_same() -> None:
    env = make()
    env.reset(seed=4)
    play(env, 20)
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, os.pathsep.join([str(HELPERS), os.path.dirname(__file__)])],
        input=json.dumps(env.get_state()),
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONHASHSEED": "1"},
    )
    play(env, 40, seed=1)
    assert json.loads(done.stdout) == [env.get_state()] * 2


@pytest.mark.parametrize("family", ["tell", "return"])
def test_a_copy_is_independent(family: str) -> None:
    env = make(task=family)
    env.reset(seed=1)
    play(env, 3)
    before = env.get_state()
    twin = env.copy()
    assert twin.get_state() == before
    ahead = play(twin, 20)
    assert env.get_state() == before
    assert play(env, 20) == ahead


def test_an_episode_that_is_over_stays_over() -> None:
    env = make(max_steps=1)
    env.reset(seed=0)
    env.step("wait")
    twin = make()
    twin.set_state(env.get_state())
    with pytest.raises(gym.error.ResetNeeded):
        twin.step("wait")


def change(*path: str | int, to: Any) -> Callable[[State], None]:
    def apply(state: State) -> None:
        entry: Any = state
        for key in path[:-1]:
            entry = entry[key]
        entry[path[-1]] = to

    return apply


TASK = ("valley", "tasks", "AY")


def of_another(state: State) -> None:
    valley = state["valley"]
    task = valley["tasks"].pop("AY")
    where = next(place for place, people in valley["world"]["people"].items() if "LL" in people)
    valley["tasks"]["LL"] = {**task, "resident": "LL", "known": {**task["known"], "place": where}}


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (change("version", to=1), "state has version 1, this is version 2"),
        (lambda state: state.pop("valley"), "state lacks 'valley'"),
        (change("resident", to="LL"), "state.resident is 'LL', but 'AY' learns here"),
        (change("valley", "version", to=2), "state.valley: state has version 2, this is version 4"),
        (change("valley", "over", to=1), "state.over is 1 at step 1 of 30"),
        (change("valley", "world", "time", to=500), "state.world.time cannot be at step 500 of 30"),
        (change("valley", "settings", "task", to={"AY": "fech"}), "state.settings: unknown task family"),
        (change("valley", "settings", "task", to="fetch"), "state.valley has a task of 'SG', but 'AY' learns here"),
        (change("np_random", to={}), "state.generator lacks 'state'"),
        (change("others", to={}), "state.others must have the states of"),
        (change("others", "LL", "until", to="soon"), "state.others: 'until' of 'LL' must be an integer"),
        (change(*TASK, "resident", to="XX"), r"state.tasks\['AY'\]: unknown resident 'XX'"),
        (change(*TASK, "resident", to="LL"), r"state.tasks\['AY'\].resident is 'LL'; make both the same"),
        (of_another, "state.valley has a task of 'LL', but 'AY' learns here"),
        (change(*TASK, "known", "place", to="outside"), r"state.tasks\['AY'\].known is of \('outside', 1\)"),
        (change(*TASK, "progress", to=[]), r"state.tasks\['AY'\].progress must be a mapping"),
        (change(*TASK, "progress", to={"solved": 99}), "must be a time step or a count in"),
        (change(*TASK, "progress", to={"solved": 1}), "state.over is False at step 1 of 30, with all tasks over"),
        (change(*TASK, "length", to=0), r"state.tasks\['AY'\].length must be an integer >= 1, got 0"),
    ],
)
def test_an_impossible_state_is_refused_and_changes_nothing(spoil: Callable[[State], Any], message: str) -> None:
    env = make(task=Deliver(kind="book", person="WM"))
    env.reset(seed=0)
    env.step("wait")
    before = json.dumps(env.get_state())
    state = json.loads(before)
    spoil(state)
    with pytest.raises(ValueError, match=message):
        env.set_state(state)
    assert json.dumps(env.get_state()) == before


def test_residents_that_cannot_be_copied_say_so() -> None:
    def rooted(self: Any, memo: Any) -> Any:
        raise TypeError("it is rooted")

    methods = dict.fromkeys(("act", "get_state", "set_state"), lambda *_: {})
    env = make(task=None, others=[type("Rooted", (), {"name": "WL", "__deepcopy__": rooted, **methods})()])
    env.reset(seed=0)
    with pytest.raises(TypeError, match="'WL' cannot be copied: it is rooted"):
        env.copy()


@pytest.mark.parametrize("method", ["get_state", "copy", "observe"])
def test_nothing_to_save_before_reset(method: str) -> None:
    with pytest.raises(gym.error.ResetNeeded, match="call reset first"):
        getattr(make(), method)()
