"""The example that learns by imitation runs, and what it decides by is what it says."""

import numpy as np
import pytest
from example_files import load_example

from evaluation.ability.submissions import read_submission
from irollan_env.world.observation import Message

torch = pytest.importorskip("torch")

INFO = {
    "goal": "Bring WL to Elm Hall.",
    "sentence": "You are in Elm Hall. Looking around you, you see a door to outside, and the safe 1.",
    "result": "You go to Elm Hall.",
    "messages": (Message(time=3, sender="WL", addressee="AY", text="I come."),),
    "admissible_actions": ("go to outside", "use safe 1"),
    "expert_plan": ("use safe 1", "go to outside"),
}


@pytest.fixture(scope="module")
def attention():
    return load_example("train_attention")


def test_it_hands_in_a_result_for_each_seed(attention, tmp_path):
    out = tmp_path / "attention.json"
    attention.main(["--seeds", "1", "--steps", "20", "--instances", "1", "--families", "gather", "--out", str(out)])
    agent, description, rows = read_submission(out)
    assert agent == "attention"
    assert "20 steps of gather of train, by imitation" in description
    assert [(row.split, row.seed) for row in rows] == [("test_seen", 0), ("test_unseen", 0)]


def test_a_moment_has_what_is_perceived_and_what_was_done(attention):
    texts = attention.Texts()
    now = attention.moment(texts, INFO, ["go to Elm Hall", "use safe 1"])
    found = dict(zip(now.context, now.sorts, strict=True))
    assert found[texts("WL: I come.")] == attention.SAID
    assert found[texts("and the safe 1")] == attention.SEEN
    assert found[texts("You go to Elm Hall.")] == attention.RESULT
    assert [now.ages[-2], now.ages[-1]] == pytest.approx([2 / 60, 1 / 60])
    assert list(now.actions) == [texts("wait"), texts("go to outside"), texts("use safe 1")]


@pytest.mark.parametrize(
    ("plan", "best"),
    [
        (("use safe 1", "go to outside"), 2),
        (('chat with WL: "Come to Elm Hall."',), 3),
        (('chat with WM: "Come to Elm Hall."',), 0),
        ((), 0),
    ],
)
def test_what_the_expert_would_do_is_one_of_the_actions(attention, plan, best):
    actions = ("wait", "go to outside", "use safe 1", "chat with WL: ...")
    assert attention.shown_best({"expert_plan": plan}, actions) == best


def test_scores_do_not_depend_on_what_is_beside_them_but_on_what_was_done(attention):
    torch.manual_seed(0)
    texts = attention.Texts()
    network = attention.Attention(texts)
    before, after = (attention.moment(texts, INFO, past) for past in ([], ["use safe 1", "go to outside"]))
    together = network([before, after]).detach().numpy()
    np.testing.assert_allclose(together[0], network([before]).detach().numpy()[0], rtol=1e-4, atol=1e-5)
    assert not np.allclose(together[0], together[1])


def test_imitation_learns_what_is_shown(attention):
    torch.manual_seed(0)
    texts = attention.Texts()
    network = attention.Attention(texts)
    optimizer = torch.optim.AdamW(network.parameters(), lr=1e-3)
    batch = [(attention.moment(texts, INFO, past), best) for past, best in (([], 2), (["use safe 1"], 1))]
    losses = [attention.learn(network, optimizer, batch) for _ in range(60)]
    assert losses[-1] < 0.1 < losses[0]
