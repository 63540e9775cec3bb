"""One agent among others: the same valley in Gymnasium and in PettingZoo, and behind wrappers."""

from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.utils.env_checker import check_env, data_equivalence

import irollan_env
from irollan_env import Act, Observation
from irollan_env.environments.wrappers import RecordParallelTrajectory, SingleAgent
from irollan_env.tasks import Deliver

SAME: list[tuple[str, Any, dict[str, Any]]] = [
    ("AY", None, {}),
    ("AY", "random", {"reward": "dense", "expert_plan": True}),
    ("LL", "find", {"split": "test_unseen", "expert_plan": True}),
    ("SG", Deliver(kind="book", person="WM"), {"split": "test_seen"}),
]


def alone(shown: tuple[Any, ...]) -> tuple[Any, ...]:
    """What one of many is shown, as the text that the single agent is shown."""
    text = shown[0]["observation"] if isinstance(shown[0], dict) else shown[0]
    return (text, *shown[1:])


@pytest.mark.parametrize(("resident", "task", "options"), SAME)
def test_the_same_seed_is_the_same_episode_in_gymnasium_and_in_pettingzoo(
    resident: str, task: Any, options: dict[str, Any]
) -> None:
    single = gym.make("irollan_env:IrollanValley-v0", resident=resident, task=task, others="idle", **options)
    numbers: Any = "text" if isinstance(task, str) else "numbers"  # of drawn valleys, no number means the same for long
    tasks = task and {resident: task}
    society = irollan_env.parallel_env(task=tasks, actions=numbers, percepts=True, **options)
    generator = np.random.default_rng(0)
    for seed in (3, 4, None):  # the last goes on with the generator
        shown: Any = single.reset(seed=seed)
        observations, infos = society.reset(seed=seed)
        world = single.unwrapped.world  # type: ignore[attr-defined]
        assert world.get_state() == society.world.get_state()
        assert data_equivalence(shown, alone((observations[resident], infos[resident])))
        while society.agents:
            choices = infos[resident]["admissible_actions"]
            action = choices[int(generator.integers(len(choices)))]
            shown = single.step(action)
            everyone = society.step({resident: action})
            assert data_equivalence(shown, alone(tuple(part[resident] for part in everyone)))
            infos = everyone[4]
        assert single.unwrapped.world.get_state() == society.world.get_state()  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("task", "others"), [(None, "random"), (Deliver(kind="book", person="WM"), "scripted"), ("find", "scripted")]
)
def test_who_acts_by_a_policy_does_so_behind_any_environment(task: Any, others: str) -> None:
    numbers: Any = "text" if isinstance(task, str) else "numbers"  # of drawn valleys, no number means the same for long
    valley = irollan_env.parallel_env(actions=numbers, percepts=True, task=task and {"LL": task})
    wrapped = SingleAgent(valley, "LL", others=others)
    single = irollan_env.IrollanValleyEnv(resident="LL", task=task, others=others)
    assert data_equivalence(alone(wrapped.reset(seed=2)), single.reset(seed=2))
    for number in range(40):
        action = single.observe()[1]["admissible_actions"][number % 3]
        shown = single.step(action)
        assert data_equivalence(alone(wrapped.step(action)), shown)
        if shown[2]:
            break


class Silent:
    """A resident whose model does not answer."""

    name = "WL"

    async def act(self, observation: Observation) -> Act:
        return Act(action=None, failure="no answer")

    def get_state(self) -> dict[str, Any]:
        return {}

    def set_state(self, state: Any) -> None: ...


def test_a_failed_decision_is_told_or_an_error(tmp_path: Path) -> None:
    others = {**dict.fromkeys(("SG", "MD", "LL", "WM"), "idle"), "WL": Silent()}
    valley = irollan_env.parallel_env()
    env = SingleAgent(valley, "AY", others=others)
    env.reset(seed=0)
    env.step("wait")
    assert valley.world.observe("WL").outcome == "failed"
    env.close()
    env = SingleAgent(RecordParallelTrajectory(valley, tmp_path / "all.jsonl"), "AY", others=others)
    env.reset(seed=0)
    with pytest.raises(RuntimeError, match="'WL' reached no decision, which RecordParallelTrajectory cannot be told"):
        env.step("wait")
    env.close()


def test_all_others_need_a_way_to_act() -> None:
    with pytest.raises(ValueError, match=r"how each of \['SG', .*\] acts; 'SG' is missing"):
        SingleAgent(irollan_env.parallel_env(), "AY", others={"WL": "idle"})


def test_another_resident_goes_on_with_the_generator() -> None:
    one, other = irollan_env.IrollanValleyEnv(), irollan_env.IrollanValleyEnv(resident="LL")
    one.reset(seed=0)
    other.reset(seed=0)
    assert data_equivalence(one.reset(options={"resident": "LL"}), other.reset())
    assert one.get_state() == other.get_state()


def test_one_agent_of_a_parallel_environment(tmp_path: Path) -> None:
    parallel = RecordParallelTrajectory(irollan_env.parallel_env(max_steps=5), tmp_path / "all.jsonl")
    env = SingleAgent(parallel, "LL", others="scripted")
    check_env(env, skip_render_check=True)
    with pytest.raises(ValueError, match="unknown agent 'Ll'; did you mean 'LL'"):
        SingleAgent(parallel, "Ll")

    def episode(seed: int) -> list[str]:
        env.reset(seed=seed)
        over, seen = False, []
        while not over:
            observation, _, terminated, over, _ = env.step("go to outside")
            assert not terminated
            seen.append(observation["observation"])
        with pytest.raises(ResetNeeded):
            env.step("go to outside")
        return seen

    assert len(episode(0)) == 5
    assert episode(0) == episode(0) != episode(1)
    env.close()
