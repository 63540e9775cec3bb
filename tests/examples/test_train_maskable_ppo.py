"""The example that trains MaskablePPO runs, and its policy scores slots by what they say."""

import numpy as np
import pytest
from example_files import load_example

from evaluation.ability.submissions import read_submission

torch = pytest.importorskip("torch")
pytest.importorskip("sb3_contrib")


@pytest.fixture(scope="module")
def ppo():
    return load_example("train_maskable_ppo")


def test_it_hands_in_a_result_for_each_seed(ppo, tmp_path):
    out = tmp_path / "ppo.json"
    ppo.main(["--seeds", "1", "--steps", "32", "--instances", "1", "--families", "gather", "--out", str(out)])
    agent, description, rows = read_submission(out)
    assert agent == "ppo-dense"
    assert "32 steps of gather of train, by dense reward" in description
    assert [(row.split, row.seed) for row in rows] == [("test_seen", 0), ("test_unseen", 0)]


def test_a_slot_is_scored_by_its_text_wherever_it_stands(ppo):
    info = {"goal": "Bring a cup to WM.", "result": "", "sentence": "You are in Elm Hall."}
    actions = ["wait", "take cup 1 from table 1", "go to outside"]
    torch.manual_seed(0)
    scores = ppo.Scores(None)
    one, other = (
        scores({key: torch.tensor(value[None]) for key, value in ppo.vectors({**info, "slot_actions": order}).items()})
        .detach()
        .numpy()[0]
        for order in (actions, [actions[0], actions[2], actions[1]])
    )
    np.testing.assert_allclose(one[[0, 1, 2]], other[[0, 2, 1]], rtol=1e-5)
    assert one[1] != pytest.approx(one[2])
    np.testing.assert_allclose(one[ppo.SLOTS :], other[ppo.SLOTS :])
