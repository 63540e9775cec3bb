"""The simple policies choose what the world lets happen."""

import numpy as np
import pytest

from irollan_env import POLICIES, Action, Primitive, World, get_policy
from irollan_env.policies.simple import by_primitive


@pytest.mark.parametrize("name", POLICIES)
def test_a_lone_resident_always_succeeds(name: str) -> None:
    world, policy, generator = World(seed=0), get_policy(name), np.random.default_rng(0)
    for step in range(200):
        resident = world.residents[step % 6]
        action = policy(world.observe(resident, with_percepts=False), generator)
        assert world.step({resident: action})[resident].kind == "executed", action


def test_the_scripted_residents_meet_and_talk() -> None:
    world, policy, generator = World(seed=0), get_policy("scripted"), np.random.default_rng(0)
    places, words = set(), set()
    for _ in range(150):
        seen = {name: world.observe(name, with_percepts=False) for name in world.residents}
        actions = {name: policy(observation, generator) for name, observation in seen.items()}
        places |= {observation.place for observation in seen.values()}
        words |= {
            action.split(": ")[1].split(" ")[0]
            for action in actions.values()
            if action and action.startswith("chat with")
        }
        world.step(actions)
    assert len(places) == 9
    assert '"Hello' in words
    assert any(word.endswith(",") for word in words)  # an answer


def test_unknown_policy() -> None:
    with pytest.raises(ValueError, match="unknown policy 'rnadom'; did you mean 'random'"):
        get_policy("rnadom")


def test_actions_are_found_by_primitive() -> None:
    world, generator = World(seed=0), np.random.default_rng(0)
    for _ in range(30):
        actions = {}
        for name in world.residents:
            admissible = world.admissible(name)
            groups: dict[Primitive, tuple[Action, ...]] = {}
            for action in admissible:
                groups[action.primitive] = (*groups.get(action.primitive, ()), action)
            assert list(by_primitive(admissible).items()) == list(groups.items())
            actions[name] = admissible[int(generator.integers(len(admissible)))]
        world.step(actions)
    assert by_primitive(()) == {}
