import math
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from itcma_s.emotion.appraisal import AppraisalWeights, explained, feel

LEVEL = st.floats(0, 1e6)


def test_levels_leak_and_gain_by_hand():
    # 0.8 * 1 + 0.5 + 0.15, and 0.7 * 0.5 + 0.4
    terms = {"met SG": 0.5, "SG spoke to me": 0.15, "filtered": -0.4}
    assert feel(1.0, 0.5, terms, AppraisalWeights()) == pytest.approx((1.45, 0.75))
    assert feel(1.0, 0.5, {}, AppraisalWeights()) == pytest.approx((0.8, 0.35))
    assert feel(0.0, 0.0, {}, AppraisalWeights()) == (0.0, 0.0)
    assert feel(1.0, 1.0, {}, AppraisalWeights(desire_decay=0.0, pain_decay=1.0)) == (0.0, 1.0)


def test_what_is_left_of_earlier_steps_is_a_term_of_its_own():
    terms = {"met WM": 0.5, "filtered": -0.4}
    assert explained(1.0, 0.5, terms, AppraisalWeights()) == {**terms, "earlier joys": 0.8, "earlier pains": -0.35}
    assert explained(0.0, 0.0, terms, AppraisalWeights()) == terms
    assert explained(0.0, 0.0, {}, AppraisalWeights()) == {}


@given(LEVEL, LEVEL, st.dictionaries(st.text(max_size=3), st.floats(-10, 10), max_size=6))
def test_the_terms_add_up_to_desire_and_pain(desire, pain, terms):
    values = explained(desire, pain, terms, AppraisalWeights()).values()
    sums = sum(value for value in values if value > 0), -sum(value for value in values if value < 0)
    assert sums == pytest.approx(feel(desire, pain, terms, AppraisalWeights()), rel=1e-9, abs=1e-9)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"answered": -0.1}, "answered must be finite and at least 0, and a decay at most 1, got -0.1"),
        ({"given": math.nan}, "given must be finite and at least 0, and a decay at most 1, got nan"),
        ({"pain_decay": 1.1}, "pain_decay must be finite and at least 0, and a decay at most 1, got 1.1"),
        ({"new_place": math.inf}, "new_place must be finite and at least 0, and a decay at most 1, got inf"),
    ],
)
def test_bad_worth_is_named(values, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        AppraisalWeights(**values)
