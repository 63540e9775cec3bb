import math
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from itcma_s.emotion.driver import DriverWeights, demand, driver, driver_bias, itcma_driver
from itcma_s.emotion.emotion import LARGEST

EMOTION = st.floats(-LARGEST, LARGEST)


UNLIKE = DriverWeights(pleasure=0.5, arousal=0.2, dominance=0.3)
"""No two weights the same, so that none can stand for another."""


def test_each_emotion_has_the_weight_of_its_own_name():
    # 0.5 * 0.5 + 0.3 * 0.2 + 0.2 * (1 - |0.6 - 0.1|) = 0.25 + 0.06 + 0.1
    assert driver_bias(0.5, 0.6, 0.2, 0.1, UNLIKE) == pytest.approx(0.41)
    # 1 + 0.5 * 0.5 + 0.2 * 0.6 - 0.3 * 0.2
    assert itcma_driver(1.0, 0.5, 0.6, -0.2, UNLIKE) == pytest.approx(1.31)


def test_the_bias_stays_in_range_where_weights_sum_to_a_little_more_than_1():
    more = DriverWeights(pleasure=0.5 + 9e-10, arousal=0.2, dominance=0.3)
    assert driver_bias(LARGEST, LARGEST, LARGEST, LARGEST, more) == 1.0
    more = DriverWeights(pleasure=0.7 + 9e-10, arousal=0.0, dominance=0.3)
    assert driver_bias(-LARGEST, 0.0, -LARGEST, 0.0, more) == -1.0


def test_saturated_emotions():
    # all as strong as they can be, arousal turned over: 0.4 + 0.3 + 0.3 * (1 - 2) = 0.4, and its opposite
    assert driver_bias(LARGEST, LARGEST, LARGEST, -LARGEST) == pytest.approx(0.4)
    assert driver_bias(-LARGEST, -LARGEST, -LARGEST, LARGEST) == pytest.approx(-1.0)
    assert driver_bias(LARGEST, LARGEST, LARGEST, LARGEST) == pytest.approx(1.0)
    assert driver(0.0, demand(1.0, -1.0), 1.0) == 1.0
    assert itcma_driver(0.0, LARGEST, LARGEST, LARGEST) == pytest.approx(1.0)


@given(EMOTION, EMOTION, EMOTION, EMOTION)
def test_bias_and_need_stay_in_range(p, a, d, before):
    bias = driver_bias(p, a, d, before, UNLIKE)
    assert -1.0 <= bias <= 1.0
    assert 0.0 <= demand(bias, -bias) <= 1.0


def test_need_and_driver_by_hand():
    assert demand(0.41, -0.19) == pytest.approx(0.3)
    assert demand(0.41, 0.41) == 0.0  # a local optimum: nothing more to be had
    assert driver(1.5, 0.3, 0.41) == pytest.approx(1.623)
    assert driver(1.5, 0.3, -0.41) == pytest.approx(1.377)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: DriverWeights(pleasure=0.5), "must sum to 1, got 1.1"),
        (lambda: DriverWeights(pleasure=1.3, arousal=-0.3, dominance=0.0), "weight of pleasure must lie in [0, 1]"),
        (lambda: DriverWeights(pleasure=math.nan), "weight of pleasure must lie in [0, 1], got nan"),
        (lambda: driver_bias(1.0, 0.0, 0.0), "pleasure must lie in (-1, 1), got 1.0"),
        (lambda: driver_bias(0.0, 0.0, 0.0, math.nan), "previous_arousal must lie in (-1, 1), got nan"),
        (lambda: demand(1.2, 0.0), "bias must lie in [-1, 1], got 1.2"),
        (lambda: driver(math.inf, 0.1, 0.1), "previous must be a finite number, got inf"),
        (lambda: driver(0.0, 1.1, 0.1), "demand must lie in [0, 1], got 1.1"),
        (lambda: itcma_driver(math.nan, 0.0, 0.0, 0.0), "previous must be a finite number"),
    ],
)
def test_bad_values_are_named(call, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        call()
