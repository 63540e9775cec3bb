import gymnasium
import numpy as np
import pytest
from pettingzoo import ParallelEnv
from pettingzoo.test import parallel_api_test
from weighted_ranker import WeightedRanker

from ltrha import LTRHA, Matrix
from ltrha.pettingzoo_wrapper import LTRHAParallelWrapper

NAMES = ["a", "b", "c"]


class Rooms(ParallelEnv):
    """Three agents; action 1 goes to the other of two rooms, action 0 waits."""

    metadata = {"name": "rooms"}  # noqa: RUF012

    def __init__(self):
        self.possible_agents = list(NAMES)
        self.observation_spaces = {name: gymnasium.spaces.Discrete(2) for name in NAMES}
        self.action_spaces = {name: gymnasium.spaces.Discrete(2) for name in NAMES}
        self.seen = []

    def observation_space(self, agent):
        return self.observation_spaces[agent]

    def action_space(self, agent):
        return self.action_spaces[agent]

    def reset(self, seed=None, options=None):
        self.agents = list(NAMES)
        self.room = dict.fromkeys(NAMES, 0)
        return dict(self.room), self._infos()

    def step(self, actions):
        self.seen.append(dict(actions))
        for name, action in actions.items():
            self.room[name] ^= int(action)
        nobody = dict.fromkeys(NAMES, False)
        return dict(self.room), dict.fromkeys(NAMES, 0.0), nobody, nobody, self._infos()

    def _infos(self):
        return {name: {"place": f"room {room}"} for name, room in self.room.items()}


def wrapped(seed=0, **settings):
    def framework():
        matrix = Matrix(WeightedRanker({"a": 3, "b": 2}))
        return LTRHA(NAMES, ["room 0", "room 1"], matrix, np.random.default_rng(seed), **settings)

    return LTRHAParallelWrapper(
        Rooms(), framework, wait=0, describe=lambda a: "go to the other room" if a else "use chair"
    )


def test_api():
    env = wrapped()
    parallel_api_test(env, num_cycles=20)
    env.close()


def test_filter_topics_and_resources():
    env = wrapped()
    _, infos = env.reset()
    assert infos["a"] == {"place": "room 0", "filtered": False, "resources": 1.0, "topic": 0.0}
    env.feel("a", pleasure=0.8, arousal=0.5, goal="meet the others")
    some = False
    for step in range(1, 12):
        *_, infos = env.step(dict.fromkeys(NAMES, 1))
        for name in NAMES:
            assert env.unwrapped.seen[-1][name] == (0 if infos[name]["filtered"] else 1)
            some |= infos[name]["filtered"]
        assert infos["a"]["resources"] == 1 + 3 * step
        assert infos["c"]["resources"] == 1 - 3 * step
        together = [name for name in NAMES if infos[name]["place"] == infos["a"]["place"]]
        assert infos["a"]["topic"] == pytest.approx(0.6 / len(together))
    assert some
    env.close()


def test_reset_begins_anew():
    env = wrapped()
    runs = []
    for _ in range(2):
        env.reset()
        runs.append([env.step(dict.fromkeys(NAMES, 1))[4] for _ in range(10)])
    assert runs[0] == runs[1]
    env.close()


def test_errors():
    env = wrapped()
    env.reset()
    with pytest.raises(ValueError, match="'z' is not among the agents"):
        env.feel("z", pleasure=0, arousal=0)
    with pytest.raises(ValueError, match="arousal must lie in"):
        env.feel("a", pleasure=0, arousal=2)
    with pytest.raises(ValueError, match="standing_decides must be 'execution' here"):
        wrapped(standing_decides="turns")
    env.unwrapped._infos = lambda: {name: {} for name in NAMES}
    with pytest.raises(ValueError, match="must have the key 'place'"):
        env.reset()
    env.close()
