import math

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from toy_fields import ToyEmbedder, random_field

from itcma_s.fields.blending import blend, blend_plain
from itcma_s.fields.name_table import NameTable
from itcma_s.fields.phenomenal_field import Field
from itcma_s.fields.similarity import FieldWeights

TABLE = NameTable(ToyEmbedder())
UNIT = st.floats(0.0, 1.0)
JITTER = st.sampled_from([0.0, 1e-9, 1e-6, 1e-3])


@settings(max_examples=200, deadline=None)
@given(st.integers(0, 2**32), st.integers(0, 9), st.integers(0, 9), UNIT, UNIT, UNIT, JITTER, st.booleans())
@example(seed=1, a=0, b=0, threshold=0.5, probability=0.5, omega_name=0.5, jitter=0.0, wrap=False)
@example(seed=1, a=1, b=0, threshold=0.5, probability=1.0, omega_name=0.5, jitter=0.0, wrap=False)
@example(seed=2, a=8, b=8, threshold=1.0, probability=0.5, omega_name=0.3, jitter=0.0, wrap=False)
@example(seed=3, a=8, b=8, threshold=0.0, probability=0.0, omega_name=1.0, jitter=0.0, wrap=False)
@example(seed=4, a=9, b=9, threshold=1.0, probability=1.0, omega_name=0.5, jitter=1e-9, wrap=True)
def test_fast_and_printed_loops_agree_exactly(seed, a, b, threshold, probability, omega_name, jitter, wrap):
    generator = np.random.default_rng(seed)
    fx, fy = (random_field(generator, TABLE, size, names=6, jitter=jitter) for size in (a, b))
    weights = FieldWeights(omega_name=omega_name, omega_position=1.0 - omega_name, wrap_azimuth=wrap)
    one, two = np.random.default_rng(seed), np.random.default_rng(seed)
    fast = blend(fx, fy, TABLE, one, threshold=threshold, probability=probability, weights=weights)
    plain = blend_plain(fx, fy, TABLE, two, threshold=threshold, probability=probability, weights=weights)
    assert fast == plain
    assert one.bit_generator.state == two.bit_generator.state
    assert len(set(fast.rows())) == len(fast)
    assert len(fast) <= a + b


def field(*rows):
    return Field(TABLE.ids(row[0] for row in rows), np.array([row[1:] for row in rows]).reshape(-1, 3))


def mix(fx, fy, threshold=0.85, probability=0.0):
    return blend(fx, fy, TABLE, np.random.default_rng(0), threshold=threshold, probability=probability)


@pytest.mark.parametrize("form", [blend, blend_plain])
def test_an_average_stands_for_the_two_rows_behind_it(form):
    x, y = field(("bed 1", 1.0, 1.0, 2.0)), field(("bed 1", 1.0, 1.0, 2.0 + 1e-6))
    assert len(form(x, y, TABLE, np.random.default_rng(0), probability=1.0)) == 1


@pytest.mark.parametrize("form", [blend, blend_plain])
@pytest.mark.parametrize(("phi", "other"), [(0.0, 2 * math.pi - 1e-9), (2 * math.pi - 1e-9, 0.0), (1e-9, 6.283185307)])
def test_azimuths_are_averaged_by_the_shorter_way_where_they_wrap(form, phi, other):
    x, y = field(("bed 1", 1.0, phi, 2.0)), field(("bed 1", 1.0, other, 2.0))
    z = form(x, y, TABLE, np.random.default_rng(0), probability=0.0, weights=FieldWeights(wrap_azimuth=True))
    ((_, azimuth, _),) = z.positions.tolist()
    assert 0.0 <= azimuth < 2 * math.pi
    assert min(azimuth, 2 * math.pi - azimuth) < 1e-8


@pytest.mark.parametrize("form", [blend, blend_plain])
@pytest.mark.parametrize("phi", [0.5, 3.0, 6.0])
def test_azimuths_that_are_close_have_their_average_between_them_though_they_wrap(form, phi):
    x, y = field(("bed 1", 1.0, phi, 2.0)), field(("bed 1", 1.0, phi + 2e-6, 2.0))
    z = form(x, y, TABLE, np.random.default_rng(0), probability=0.0, weights=FieldWeights(wrap_azimuth=True))
    assert z.positions.tolist() == [[1.0, pytest.approx(phi + 1e-6, abs=1e-12), 2.0]]


@pytest.mark.parametrize("form", [blend, blend_plain])
def test_an_average_has_the_first_name_and_lies_midway_in_each_coordinate(form):
    class NumbersAside(ToyEmbedder):
        """To it, a bed is a bed."""

        def embed(self, texts):
            return super().embed([text.split()[0] for text in texts])

    table = NameTable(NumbersAside())
    x = Field(table.ids(["bed 1"]), np.array([[1.0, 4.0, 2.0]]))
    y = Field(table.ids(["bed 2"]), np.array([[1.000002, 4.000004, 2.0000006]]))
    z = form(x, y, table, np.random.default_rng(0), probability=0.0)
    assert z.names(table) == ("bed 1",)
    np.testing.assert_allclose(z.positions, [[1.000001, 4.000002, 2.0000003]], rtol=0, atol=1e-12)


@pytest.mark.parametrize("form", [blend, blend_plain])
def test_all_but_identical_objects_are_identical_to_the_highest_threshold_too(form):
    x, y = field(("bed 1", 1.0, 1.0, 2.0)), field(("bed 1", 1.0, 1.0, 2.0 + 1e-6))
    assert len(form(x, y, TABLE, np.random.default_rng(0), threshold=1.0, probability=0.0)) == 1


@pytest.mark.parametrize("form", [blend, blend_plain])
def test_what_stands_twice_enters_once(form):
    bed, cup = ("bed 1", 1.0, 1.0, 1.0), ("cup 1", 2.0, 4.0, 9.0)
    once = form(field(bed, bed), field(bed, bed), TABLE, np.random.default_rng(0))
    assert once.rows() == field(bed).rows()
    generator, draws = np.random.default_rng(0), np.random.default_rng(0)
    once = form(field(bed, bed), field(cup, cup), TABLE, generator, threshold=1.0, probability=1.0)
    assert once.rows() == field(bed, cup).rows()
    draws.random(2)  # one for each row that is another
    assert generator.bit_generator.state == draws.bit_generator.state


def test_matching_objects_enter_both():
    x, y = field(("bed 1", 1.0, 1.0, 2.0)), field(("bed 1", 1.0, 1.5, 2.0))
    # s = 0.5 + 0.5 * (1 - 0.5 / (6 pi)) = 0.98674
    assert mix(x, y, threshold=0.9867).rows() == x.rows() + y.rows()
    assert mix(x, y, threshold=0.9868).rows() == []


def test_the_first_row_that_reaches_the_threshold_ends_the_search():
    x = field(("bed 1", 1.0, 1.0, 2.0))
    near, same = ("bed 1", 1.0, 1.5, 2.0), ("bed 1", 1.0, 1.0, 2.0)
    assert mix(x, field(near, same)).rows() == [*x.rows(), *field(near).rows()]
    assert mix(x, field(same, near)).rows() == x.rows()


def test_what_matches_nothing_enters_with_probability_r():
    fx = field(*((f"only{n}", 0.0, 0.0, 0.0) for n in range(40)))
    fy = field(*((f"other{n}", math.pi, 6.0, 9.0) for n in range(40)))
    assert len(mix(fx, fy, threshold=1.0, probability=0.0)) == 0
    assert mix(fx, fy, threshold=1.0, probability=1.0).rows() == fx.rows() + fy.rows()
    draws = np.random.default_rng(0).random(80)
    expected = [row for row, draw in zip(fx.rows() + fy.rows(), draws, strict=True) if draw < 0.25]
    assert mix(fx, fy, threshold=1.0, probability=0.25).rows() == expected


@pytest.mark.parametrize("form", [blend, blend_plain])
def test_what_draws_just_the_probability_does_not_enter(form):
    bed, draw = field(("bed 1", 1.0, 1.0, 1.0)), np.random.default_rng(0).random()
    for probability, entered in ((draw, 0), (math.nextafter(draw, 1.0), 1)):
        generator = np.random.default_rng(0)
        assert len(form(bed, Field.empty(), TABLE, generator, probability=probability)) == entered


@pytest.mark.parametrize("form", [blend, blend_plain])
def test_where_nothing_else_is_said_the_threshold_is_085_and_the_probability_03(form):
    fx, fy = (random_field(np.random.default_rng(seed), TABLE, 40, names=30, jitter=0.3) for seed in (3, 4))
    asked = form(fx, fy, TABLE, np.random.default_rng(5), threshold=0.85, probability=0.3)
    assert form(fx, fy, TABLE, np.random.default_rng(5)) == asked


def test_empty_fields():
    bed = field(("bed 1", 1.0, 1.0, 1.0))
    assert mix(Field.empty(), Field.empty()) == Field.empty()
    assert mix(bed, Field.empty(), probability=1.0) == bed
    assert mix(Field.empty(), bed, probability=1.0) == bed
    assert len(mix(bed, Field.empty(), probability=0.0)) == 0


def test_a_blend_is_immutable():
    bed = field(("bed 1", 1.0, 1.0, 1.0))
    with pytest.raises(ValueError, match="read-only"):
        mix(bed, bed).positions[0, 0] = 0.0
    with pytest.raises(ValueError, match="read-only"):
        mix(bed, bed).ids[0] = 1


@pytest.mark.parametrize("form", [blend, blend_plain])
@pytest.mark.parametrize("bad", [-0.1, 1.1, math.nan, math.inf])
def test_bad_parameters_are_named(form, bad):
    empty = Field.empty()
    for name in ("threshold", "probability"):
        with pytest.raises(ValueError, match=f"{name} must lie in"):
            form(empty, empty, TABLE, np.random.default_rng(0), **{name: bad})
