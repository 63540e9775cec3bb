import math
from itertools import accumulate

import pytest

from itcma_s.emotion.appraisal import AppraisalWeights
from itcma_s.emotion.driver import DriverWeights
from itcma_s.emotion.feelings import Feelings, in_words

WEIGHTS = DriverWeights(pleasure=0.5, arousal=0.2, dominance=0.3)
APPRAISAL = AppraisalWeights(desire_decay=0.5, pain_decay=0.25)
STEPS = (
    ({"met SG": 0.8, "refused": -0.2}, [], None),
    ({"reached the goal": 0.6, "lost resources": -0.3}, [0.9], 0.35),
    ({"ignored": -0.7}, [0.2, 0.8], 0.6),
)


def felt(**kind):
    """The emotion and the driver after each step."""
    feelings = Feelings()
    return [
        (feelings.feel(terms, changes, surprise, weights=APPRAISAL, driver_weights=WEIGHTS, **kind), feelings.driver)
        for terms, changes, surprise in STEPS
    ]


EMOTIONS = (
    # desire 0.8, pain 0.2; then 0.4 + 0.6 and 0.05 + 0.3; then 0.5 and 0.0875 + 0.7
    (math.tanh(0.8) - math.tanh(0.2), 0.0, 0.0),
    (math.tanh(1.0) - math.tanh(0.35), math.tanh(0.9), math.tanh(0.35)),
    (math.tanh(0.5) - math.tanh(0.7875), math.tanh(0.2 / 3 + 0.8 * 2 / 3), math.tanh(0.6)),
)


def test_emotions_of_three_steps_by_hand():
    for (emotion, _), by_hand in zip(felt(), EMOTIONS, strict=True):
        assert emotion == pytest.approx(by_hand, abs=1e-12)


def test_the_driver_of_three_steps_by_hand():
    (p1, a1, d1), (p2, a2, d2), (p3, a3, d3) = EMOTIONS
    first = 0.5 * p1 + 0.3 * d1 + 0.2 * (1 - a1)
    second = 0.5 * p2 + 0.3 * d2 + 0.2 * (1 - abs(a2 - a1))
    third = 0.5 * p3 + 0.3 * d3 + 0.2 * (1 - abs(a3 - a2))
    levels = [abs(first) / 2 * first, abs(second - first) / 2 * second, abs(third - second) / 2 * third]
    assert [level for _, level in felt()] == pytest.approx(list(accumulate(levels)), abs=1e-12)
    sums = [0.5 * p + 0.2 * a + 0.3 * d for p, a, d in EMOTIONS]
    assert [level for _, level in felt(as_itcma=True)] == pytest.approx(list(accumulate(sums)), abs=1e-12)


def test_before_the_first_step_nothing_is_felt():
    feelings = Feelings()
    assert feelings.get_state() == [0.0] * 5
    assert feelings.emotion == (0.0, 0.0, 0.0)
    assert feelings.explanation == {}


def test_what_is_left_of_the_step_before_explains_the_next_one():
    feelings = Feelings()
    for terms, changes, surprise in STEPS[:2]:
        feelings.feel(terms, changes, surprise, weights=APPRAISAL, driver_weights=WEIGHTS)
    # Half of 0.8, and a quarter of 0.2.
    assert feelings.explanation == pytest.approx({**STEPS[1][0], "earlier joys": 0.4, "earlier pains": -0.05})
    assert feelings.emotion == pytest.approx(EMOTIONS[1])


@pytest.mark.parametrize(
    ("emotion", "words"),
    [
        ((0.0, 0.0, 0.0), "calm"),
        ((0.1, 0.15, 0.3), "calm"),
        ((0.11, 0.0, 0.0), "content and calm"),
        ((0.5, 0.0, 0.0), "content and calm"),
        ((0.51, 0.0, 0.0), "happy and calm"),
        ((-0.1, 0.0, 0.0), "calm"),
        ((-0.11, 0.0, 0.0), "unhappy and calm"),
        ((0.0, 0.16, 0.0), "curious"),
        ((0.0, 0.4, 0.0), "curious"),
        ((0.0, 0.41, 0.0), "excited"),
        ((0.0, 0.0, 0.31), "calm and surprised"),
        ((0.6, 0.5, 0.4), "happy, excited and surprised"),
    ],
)
def test_feelings_in_words(emotion, words):
    assert in_words(emotion) == words


@pytest.mark.parametrize("as_itcma", [True, False])
def test_feelings_that_were_saved_go_on_as_they_would_have(as_itcma):
    feelings = Feelings()
    for terms, changes, surprise in STEPS[:2]:
        feelings.feel(terms, changes, surprise, weights=APPRAISAL, driver_weights=WEIGHTS, as_itcma=as_itcma)
    again = Feelings.from_state(feelings.get_state())
    assert again.get_state() == feelings.get_state()
    assert len({round(abs(level), 6) for level in feelings.get_state()}) == 5  # None can stand for another.
    terms, changes, surprise = STEPS[2]
    for one in (feelings, again):
        one.feel(terms, changes, surprise, weights=APPRAISAL, driver_weights=WEIGHTS, as_itcma=as_itcma)
    assert again == feelings
