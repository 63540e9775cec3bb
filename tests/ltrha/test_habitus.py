import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ltrha import PRIMITIVES, Habitus, Situation, read_action, sign
from ltrha.habitus import softmax
from ltrha.situation import path

ALONE = Situation(place="AY's Home")
CANTEEN = Situation(place="Public Canteen", company=("SG", "LL"), topic=1)
READING = Situation(place="Public Reading Room", company=("WM",), topic=1)


def test_softmax_worked_by_hand():
    assert softmax({"a": 0.0, "b": 0.0}, 1.0) == {"a": 0.5, "b": 0.5}
    assert softmax({"a": 1e4, "b": -1e4}, 0.1) == {"a": 1.0, "b": 0.0}
    assert softmax({}, 1.0) == {}


def test_rewards_shape_tendency_and_partner():
    habitus = Habitus()
    for _ in range(5):
        habitus.learn(CANTEEN, "chat with", "LL", 1.0)
        habitus.learn(CANTEEN, "use", None, -1.0)
    tendency = habitus.tendency(CANTEEN)
    assert tendency.observations == 10
    assert max(tendency.primitives, key=tendency.primitives.get) == "chat with"
    assert min(tendency.primitives, key=tendency.primitives.get) == "use"
    assert tendency.partners["LL"] > 0.8


@pytest.mark.parametrize(
    ("given", "backing", "temperature"), [({}, 2.0, 0.5), ({"backing": 3.0, "temperature": 0.25}, 3.0, 0.25)]
)
def test_a_tendency_worked_by_hand(given, backing, temperature):
    """What is never lived through at a node has the value of its parent there, and 0 at the root."""
    habitus = Habitus(**given)
    habitus.learn(READING, "use", None, 1.0)
    habitus.learn(CANTEEN, "go to", None, 0.5)
    use = went = 0.0
    for _ in range(5):  # the root, and the four levels above where it is and with whom
        use = (1.0 + backing * use) / (1 + backing)
    for _ in range(7):
        went = (0.5 + backing * went) / (1 + backing)
    weights = dict.fromkeys(PRIMITIVES, 1.0)
    weights |= {"use": math.exp(use / temperature), "go to": math.exp(went / temperature)}
    by_hand = {primitive: weight / sum(weights.values()) for primitive, weight in weights.items()}
    assert habitus.tendency(CANTEEN).primitives == pytest.approx(by_hand)


def test_an_unknown_situation_follows_its_parents():
    habitus = Habitus()
    habitus.learn(CANTEEN, "chat with", "LL", 1.0)
    near, far = habitus.tendency(READING), habitus.tendency(ALONE)
    assert near.observations == far.observations == 0
    assert habitus.tendency(CANTEEN).primitives["chat with"] > near.primitives["chat with"]
    assert near.primitives["chat with"] > far.primitives["chat with"] > 1 / 6


def test_path_goes_from_general_to_particular():
    situation = Situation(place="x", company=("WM", "AY"), topic=-1, resources=0, spoken_to=True)
    assert path(situation) == ("in company", "spoken to", "bad mood", "no resources", "in x", "with AY, WM")
    assert path(ALONE)[0] == "alone"
    assert Situation(place="x", company=("WM", "AY")) == Situation(place="x", company=("AY", "WM"))


def test_tree_text():
    habitus = Habitus()
    assert habitus.to_text() == "habitus: nothing learned yet"
    habitus.learn(ALONE, "use", None, -0.5)
    habitus.learn(CANTEEN, "chat with", "LL", 1.0)
    habitus.learn(CANTEEN, "chat with", "SG", 0.5)
    assert habitus.to_text(depth=1) == (
        "habitus: chat with +0.75 (2), use -0.50 (1); partners LL +1.00 (1), SG +0.50 (1)\n"
        "├─ in company: chat with +0.75 (2); partners LL +1.00 (1), SG +0.50 (1)\n"
        "└─ alone: use -0.50 (1)"
    )
    text = habitus.to_text()
    assert len(text.splitlines()) == 1 + 2 * 6
    assert "│     └─ good mood" in text
    with pytest.raises(ValueError, match="got -1"):
        habitus.to_text(depth=-1)


def test_the_tree_tells_first_what_was_best_on_average_not_what_was_done_most():
    habitus = Habitus()
    for reward in (0.5, 0.75, 0.25):
        habitus.learn(CANTEEN, "chat with", "LL", reward)
    habitus.learn(CANTEEN, "chat with", "SG", 1.0)
    for primitive in ("use", "leave", "leave"):
        habitus.learn(CANTEEN, primitive, None, 0.75)
    assert habitus.to_text(depth=0) == (
        "habitus: leave +0.75 (2), use +0.75 (1), chat with +0.62 (4); partners SG +1.00 (1), LL +0.50 (3)"
    )


SITUATIONS = st.builds(
    Situation,
    place=st.sampled_from(["a", "b"]),
    company=st.sets(st.sampled_from(["LL", "SG"])).map(tuple),
    topic=st.sampled_from([-1, 0, 1]),
    resources=st.sampled_from([-1, 0, 1]),
    spoken_to=st.booleans(),
)


@given(st.lists(st.tuples(SITUATIONS, st.sampled_from(PRIMITIVES), st.floats(-3, 3)), max_size=15), SITUATIONS)
def test_tendencies_are_probabilities_and_the_state_round_trips(lived, asked):
    habitus = Habitus(backing=1.5, temperature=0.3)
    for situation, primitive, reward in lived:
        partner = situation.company[0] if situation.company and primitive == "chat with" else None
        habitus.learn(situation, primitive, partner, reward)
    tendency = habitus.tendency(asked)
    assert sum(tendency.primitives.values()) == pytest.approx(1)
    assert set(tendency.partners) == set(asked.company)
    assert not asked.company or sum(tendency.partners.values()) == pytest.approx(1)
    assert habitus.observations == len(lived)

    other = Habitus()
    other.set_state(json.loads(json.dumps(habitus.get_state())))
    assert other.get_state() == habitus.get_state()
    assert other.tendency(asked) == tendency
    assert other.to_text() == habitus.to_text()


def test_preferences_over_actions():
    habitus = Habitus()
    uses, chats = ["use bed 1", "use chair 1"], ["chat with LL: ...", "chat with SG: ..."]
    gifts = ["put book 1 in/on SG", "put book 1 in/on LL", "put book 1 in/on table 2"]
    actions = ["go to outside", *uses, *chats, *gifts]
    by_hand = {"go to outside": 1 / 4, **dict.fromkeys((*uses, *chats), 1 / 8), **dict.fromkeys(gifts, 1 / 12)}
    assert habitus.preferences(CANTEEN, actions) == pytest.approx(by_hand)
    habitus.learn(CANTEEN, "chat with", "LL", 1.0)
    preferences = habitus.preferences(CANTEEN, actions)
    assert sum(preferences.values()) == pytest.approx(1)
    assert preferences["chat with LL: ..."] > preferences["chat with SG: ..."] > preferences["use bed 1"]
    assert habitus.preferences(CANTEEN, []) == {}


@pytest.mark.parametrize(
    ("action", "expected"),
    [
        ('chat with LL: "put it in/on SG: now"', ("chat with", "LL")),
        ("put book 1 in/on SG", ("put", "SG")),
        ("put SG's clothes 1 in/on table 1", ("put", "table 1")),
        ("take book 1 from SG", ("take", None)),
        ("leave SG", ("leave", None)),
        ("go to SG's Home", ("go to", None)),
        ("use bed 1", ("use", None)),
    ],
)
def test_read_action(action, expected):
    assert read_action(action) == expected


def test_errors():
    habitus = Habitus()
    with pytest.raises(ValueError, match="partner 'LL' was not there"):
        habitus.learn(ALONE, "chat with", "LL", 0.0)
    with pytest.raises(ValueError, match="reward must be finite, got nan"):
        habitus.learn(ALONE, "use", None, float("nan"))
    with pytest.raises(ValueError, match="is none of the six actions"):
        read_action("dance")
    with pytest.raises(ValueError, match=r"topic of a situation must be -1, 0 or 1, got 0\.4"):
        Situation(place="x", topic=0.4)
    with pytest.raises(ValueError, match="temperature must be positive"):
        Habitus(temperature=0.0)
    with pytest.raises(ValueError, match="not a state of a habitus"):
        habitus.set_state({"backing": 1.0})


def test_sign():
    assert [sign(value) for value in (-0.1, 0.0, 3.0)] == [-1, 0, 1]
