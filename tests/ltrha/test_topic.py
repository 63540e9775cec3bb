import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ltrha import topic, topics

EMOTION = st.floats(-1.0, 1.0)


@given(st.lists(st.tuples(EMOTION, EMOTION), max_size=12))
def test_range_and_plain_definition(felt):
    value = topic([p for p, _ in felt], [a for _, a in felt])
    assert -1.0 <= value <= 1.0
    if felt:
        assert value == pytest.approx(sum(p * (a + 1) / 2 for p, a in felt) / len(felt), abs=1e-12)


@pytest.mark.parametrize(
    ("pleasure", "arousal", "message"),
    [
        ([1.7], [0.0], r"pleasure must lie in \[-1, 1\], got 1.7 for agent 0; pass it through tanh"),
        ([0.0, -1.7], [0.0, 0.0], r"pleasure must lie in \[-1, 1\], got -1.7 for agent 1"),
        ([0.0, 0.0], [0.0, math.nan], r"arousal must lie in \[-1, 1\], got nan for agent 1"),
        ([0.0], [0.0, 0.0], "got 1 and 2 values; give one of each"),
        (np.zeros((2, 2)), [0.0], r"pleasure must have shape \(n,\), one value per agent, got shape \(2, 2\)"),
    ],
)
def test_errors(pleasure, arousal, message):
    with pytest.raises(ValueError, match=message):
        topic(pleasure, arousal)


def test_topics_cover_every_locale():
    places = {"AY": "canteen", "SG": "canteen", "MD": "home"}
    emotions = {"AY": (0.8, 0.5), "SG": (-0.4, -0.5), "MD": (0.5, 0.0)}
    assert topics(["canteen", "home", "outside"], places, emotions) == pytest.approx(
        {"canteen": 0.25, "home": 0.25, "outside": 0.0}
    )


def test_topics_errors():
    with pytest.raises(ValueError, match="'AY' is in 'moon', which is none of the locales"):
        topics(["home"], {"AY": "moon"}, {"AY": (0.0, 0.0)})
    with pytest.raises(ValueError, match="no emotion was given for 'AY'"):
        topics(["home"], {"AY": "home"}, {})
