"""The example that trains a DRRN runs, and what it learns by is what it says."""

import numpy as np
import pytest
from example_files import load_example

import irollan_env
from evaluation.ability.submissions import read_submission
from irollan_env.tasks import Fetch

torch = pytest.importorskip("torch")

FETCH = Fetch(kind="book", furniture="table", place="AY's Home")


@pytest.fixture(scope="module")
def drrn():
    return load_example("train_drrn")


@pytest.mark.slow
def test_it_hands_in_a_result_for_each_seed(drrn, tmp_path):
    out = tmp_path / "drrn.json"
    options = "--reward sparse --seeds 2 --steps 60 --learning-starts 30 --instances 1 --families gather"
    drrn.main([*options.split(), "--out", str(out)])
    agent, description, rows = read_submission(out)
    assert agent == "drrn-sparse"
    assert "60 steps" in description
    assert "by sparse reward" in description
    assert {(row.family, row.split, row.seed) for row in rows} == {
        ("gather", split, seed) for split in ("test_seen", "test_unseen") for seed in (0, 1)
    }


def test_parts_of_the_sentence(drrn):
    env = irollan_env.IrollanValleyEnv(task=FETCH, others="idle")
    env.reset(seed=0)
    *_, info = env.step("take food 1 from foodshelf 1")
    texts = drrn.Texts()
    goal, place, holding, seen, _ = drrn.encode(texts, info).parts
    assert set(place) == set(texts("You are in AY's Home"))
    assert set(holding) == set(texts("holding the food 1."))
    assert set(texts("table 1 chair bed")) <= set(seen)
    assert set(goal) == set(texts(info["goal"]))


def test_values_do_not_depend_on_what_is_beside_them(drrn):
    torch.manual_seed(0)
    texts = drrn.Texts()
    states = []
    for resident in ("AY", "LL", "WM"):
        env = irollan_env.IrollanValleyEnv(task="fetch", resident=resident)
        states.append(drrn.encode(texts, env.reset(seed=0)[1]))
    network = drrn.DRRN(texts, 16, 16)
    together = network(states, [state.actions for state in states]).detach().numpy()
    for row, state in zip(together, states, strict=True):
        alone = network([state], [state.actions]).detach().numpy()[0]
        np.testing.assert_allclose(row[: len(alone)], alone, rtol=1e-4, atol=1e-5)
        assert (row[len(alone) :] == -np.inf).all()


def test_learning_brings_the_value_of_an_action_to_its_reward(drrn):
    torch.manual_seed(0)
    texts = drrn.Texts()
    env = irollan_env.IrollanValleyEnv(task="fetch")
    state = drrn.encode(texts, env.reset(seed=0)[1])
    network, target = drrn.DRRN(texts, 16, 16), drrn.DRRN(texts, 16, 16)
    batch = [drrn.Transition(state, number, float(number == 1), state, True) for number in range(3)]
    optimizer = torch.optim.Adam(network.parameters(), lr=1e-2)
    for _ in range(60):
        drrn.learn(network, target, optimizer, batch, 0.5)
    values = network([state], [state.actions]).detach().numpy()[0, :3]
    np.testing.assert_allclose(values, [0, 1, 0], atol=0.1)
