import math
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from itcma_s.emotion.emotion import LARGEST, arousal, dominance, emotional_intensity, leak, linear_weights, pleasure

LEVELS = st.floats(0.0, math.inf)


@given(LEVELS, LEVELS)
def test_pleasure_stays_inside_its_open_range(desire, pain):
    assert -1.0 < pleasure(desire, pain) < 1.0
    assert pleasure(desire, pain) == -pleasure(pain, desire)


def test_saturated_pleasure_is_the_largest_float_below_1():
    assert pleasure(1e9, 0.0) == LARGEST < 1.0
    assert pleasure(0.0, math.inf) == -LARGEST
    assert math.nextafter(LARGEST, 2.0) == 1.0


def test_arousal_weighs_recent_frames_most():
    # t = 4: weights 2n / 12 = 1/6, 2/6, 3/6; 0.6/6 + 0.3 * 2/6 + 0.9 * 3/6 = 0.1 + 0.1 + 0.45 = 0.65
    assert arousal([0.6, 0.3, 0.9]) == pytest.approx(math.tanh(0.65), abs=1e-15)
    # t = 2: the one weight is 2 * 1 / (2 * 1) = 1
    assert arousal([0.25]) == pytest.approx(math.tanh(0.25), abs=1e-15)
    assert arousal([1.0] * 4) == pytest.approx(math.tanh(1.0))


@given(st.integers(1, 300))
def test_linear_weights_sum_to_1_and_rise(count):
    weights = linear_weights(count)
    assert weights.sum() == pytest.approx(1.0)
    assert all(weights[n] < weights[n + 1] for n in range(count - 1))
    assert weights[0] == pytest.approx(2.0 / (count * (count + 1)))
    with pytest.raises(ValueError, match="read-only"):
        weights[0] = 1.0  # all who ask share them


def test_intensity_is_the_euclidean_length():
    # sqrt(0.04 + 0.09 + 0.36) = sqrt(0.49)
    assert emotional_intensity(-0.2, 0.3, 0.6) == pytest.approx(0.7)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: pleasure(math.nan, 0.0), "desire must lie in [0, inf], got nan"),
        (lambda: pleasure(0.0, -0.1), "pain must lie in [0, inf], got -0.1"),
        (lambda: arousal([0.5, 1.5]), "differences must lie in [0, 1], got [0.5, 1.5]"),
        (lambda: arousal([math.nan]), "differences must lie in [0, 1]"),
        (lambda: arousal([[0.5]]), "differences must be one-dimensional, got shape (1, 1)"),
        (lambda: dominance(math.inf), "difference must lie in [0, 1], got inf"),
        (lambda: emotional_intensity(1.0, 0.0, 0.0), "pleasure must lie in (-1, 1), got 1.0"),
        (lambda: leak(math.inf, 0.0, 0.5), "level must be a finite number, got inf"),
        (lambda: leak(0.0, -1.0, 0.5), "gain must lie in [0, inf], got -1.0"),
        (lambda: leak(0.0, 1.0, 1.5), "decay must lie in [0, 1], got 1.5"),
        (lambda: linear_weights(-1), "count must be at least 0, got -1"),
    ],
)
def test_bad_values_are_named(call, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        call()
