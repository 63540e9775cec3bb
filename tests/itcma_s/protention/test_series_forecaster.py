"""Numeric forecasts of what is in sight: which series are asked about, and what becomes of the answers."""

import math
import sys

import numpy as np
import pytest
from scenes import EMBEDDER

from itcma_s.fields.name_table import NameTable
from itcma_s.fields.phenomenal_field import Field
from itcma_s.memory.channel import Moment
from itcma_s.protention.geometric_rule import cartesian, spherical
from itcma_s.protention.series_forecaster import SHORTEST, SeriesForecaster, fracast_weights, histories

TABLE = NameTable(EMBEDDER)


class GoesOn:
    """Foretells that each series makes its last step again; its other quantiles are far off."""

    quantiles = (0.1, 0.5, 0.9)

    def __init__(self):
        self.asked = []

    def forecast_batch(self, context, *, horizon):
        self.asked.append(context)
        following = 2 * context[:, -1] - context[:, -2]
        return np.stack([following - 100, following, following + 100], axis=1)[:, None].repeat(horizon, axis=1)


def field(**points):
    """Names with underscores for spaces -> x, y, z in metres."""
    names = [name.replace("_", " ") for name in points]
    return Field(TABLE.ids(names), spherical(np.array(list(points.values()), dtype=float).reshape(-1, 3)))


def moment(*frames):
    return Moment(retention=frames[:-1], present=frames[-1], imagination=frames[-1], driver=0.0)


def points(of):
    return dict(zip(of.names(TABLE), np.round(cartesian(of.positions), 6).tolist(), strict=True))


BED = {"bed_1": (0, 3, -0.5)}
WALK = moment(field(LL=(1, 0, 0), **BED), field(LL=(2, 1, 0), **BED), field(LL=(3, 2, 0), **BED))


def test_series_are_filled_with_the_place_where_a_thing_was_last_and_before_it_was_seen_with_its_first():
    one = moment(field(cup_1=(9, 9, 9)), field(LL=(1, 0, 0)), field(), field(LL=(3, 0, 1)))
    x, y, z = histories(one)
    np.testing.assert_allclose(x, [1, 1, 1, 1, 1, 1, 1, 3], atol=1e-9)
    np.testing.assert_allclose(y, np.zeros(SHORTEST), atol=1e-9)
    np.testing.assert_allclose(z, [0] * 7 + [1], atol=1e-9)
    long = moment(*(field(LL=(number, 0, 0)) for number in range(10)))
    np.testing.assert_allclose(histories(long)[0], np.arange(10), atol=1e-9)


def test_what_moves_is_foretold_by_the_median_and_what_stands_stays():
    model = GoesOn()
    (here,) = SeriesForecaster("toy", model).forecast(WALK, ["chat with LL: ..."], TABLE)
    assert here is not None
    assert points(here) == {"LL": [4, 3, 0], "bed 1": [0, 3, -0.5]}
    # x and y of LL move alike, so that they are one series, in [0, 1]
    ((asked,),) = model.asked
    np.testing.assert_allclose(asked, [0, 0, 0, 0, 0, 0, 0.5, 1], atol=1e-9)


def test_where_nothing_moves_or_is_the_model_is_not_asked():
    model = GoesOn()
    for still in (moment(field(**BED)), moment(field(**BED), field(**BED)), moment(Field.empty())):
        (here,) = SeriesForecaster("toy", model).forecast(still, ["use bed 1"], TABLE)
        assert here is not None
        assert points(here) == points(still.present)
    assert SeriesForecaster("toy", model).forecast(WALK, [], TABLE) == []
    assert model.asked == []


def test_it_says_nothing_of_other_places_and_refuses_what_is_no_action():
    model = GoesOn()
    forecaster = SeriesForecaster("toy", model)
    assert forecaster.forecast(WALK, ["go to SG's Home", "leave LL's Home"], TABLE) == [None, None]
    assert model.asked == []
    away, stays, take = forecaster.forecast(WALK, ["go to SG's Home", "leave LL", "take cup 1 from bed 1"], TABLE)
    assert away is None
    assert stays is not None
    assert stays == take  # a series has no place for the action
    assert forecaster.forecast(WALK, ["chat with LL: ..."], TABLE) == [stays]
    assert len(model.asked) == 1
    other = moment(field(**BED), field(LL=(1, 0, 0), bed_1=(0, 2, 0)))
    assert forecaster.forecast(other, ["leave LL"], TABLE) != [stays]
    assert len(model.asked) == 2
    with pytest.raises(ValueError, match="none of the six actions"):
        forecaster.forecast(WALK, ["dance"], TABLE)


@pytest.mark.parametrize("wrong", [math.nan, math.inf])
def test_an_answer_that_is_no_position_is_refused(wrong):
    class Broken(GoesOn):
        def forecast_batch(self, context, *, horizon):
            return np.full((len(context), horizon, 3), wrong)

    with pytest.raises(ValueError, match="toy foretold a position that is not finite"):
        SeriesForecaster("toy", Broken()).forecast(WALK, ["use bed 1"], TABLE)


def test_without_the_package_the_error_says_how_to_install_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "fracast", None)
    for ask in (fracast_weights, SeriesForecaster.fracast):
        with pytest.raises(ImportError, match=r"fracast, which is not installed; python -m pip install .*\[forecast\]"):
            ask()


def test_fracast_foretells_and_its_answers_shift_and_grow_with_a_series():
    pytest.importorskip("fracast")
    assert fracast_weights().is_file()
    forecaster = SeriesForecaster.fracast()
    assert forecaster.name == "fracast"
    (here,) = forecaster.forecast(WALK, ["use bed 1"], TABLE)
    assert here is not None
    found = points(here)
    assert found["bed 1"] == [0, 3, -0.5]
    x, y, z = found["LL"]
    assert 1 <= x <= 5
    assert y == pytest.approx(x - 1, abs=1e-5)
    assert z == 0
    # Asked about the series as they are, it says the same.
    plain = forecaster._model.forecast_batch(histories(WALK)[:2], horizon=1)[:, 0, 4]
    np.testing.assert_allclose(plain, [x, y], atol=1e-3)
