import json
import math
import re

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from toy_fields import ToyEmbedder, random_field

from irollan_env.world.observation import Percept
from itcma_s.fields.name_table import NameTable
from itcma_s.fields.phenomenal_field import Field, FieldBatch
from itcma_s.fields.similarity import (
    FieldWeights,
    difference,
    differences,
    distinct_fields,
    field_similarity,
    object_similarity,
    similarity_to_many,
    spherical_similarity,
)
from language_models.embedders.hash_embedder import HashEmbedder

POSITION = st.tuples(st.floats(0, math.pi), st.floats(0, 6.28), st.floats(0, 1e6)).map(np.array)
TABLE = NameTable(ToyEmbedder())


def plain_spherical(p, q, weights):
    azimuth = abs(p[1] - q[1])
    if weights.wrap_azimuth and azimuth > math.pi:
        azimuth = 2 * math.pi - azimuth
    return float(
        1
        - (1 / 3)
        * (
            weights.omega_gamma * math.tanh(abs(p[2] - q[2]))
            + weights.omega_theta * abs(p[0] - q[0]) / math.pi
            + weights.omega_phi * azimuth / (2 * math.pi)
        )
    )


def plain_similarity(fx, fy, table, weights):
    if not len(fx) and not len(fy):
        return 1.0
    total = 0.0
    for i in range(len(fx)):
        best, best_cosine = -1, -1.0
        for j in range(len(fy)):
            cosine = max(0.0, float(table.vectors[fx.ids[i]].astype(float) @ table.vectors[fy.ids[j]].astype(float)))
            cosine = 1.0 if fx.ids[i] == fy.ids[j] else cosine
            if cosine > best_cosine:
                best, best_cosine = j, cosine
        if best >= 0:
            total += weights.omega_name * best_cosine
            total += weights.omega_position * plain_spherical(fx.positions[i], fy.positions[best], weights)
    return total / max(len(fx), len(fy))


def test_each_coordinate_has_the_weight_of_its_own_name(table):
    here, there = np.array([1.0, 0.5, 1.0]), np.array([2.0, 2.5, 1.7])
    apart = {"gamma": math.tanh(0.7), "theta": 1.0 / math.pi, "phi": 2.0 / (2 * math.pi)}
    (cup,) = table.ids(["cup 1"])
    one, other = (Field(np.array([cup], dtype=np.int32), place[None]) for place in (here, there))
    for name, difference_by_hand in apart.items():
        alone = {f"omega_{label}": 1.2 if label == name else 0.0 for label in apart}
        by_hand = 1.0 - 1.2 * difference_by_hand / 3.0
        assert spherical_similarity(here, there, **alone) == pytest.approx(by_hand)
        assert field_similarity(one, other, table, FieldWeights(**alone)) == pytest.approx(0.5 + 0.5 * by_hand)
        # With a weight that is not said, all coordinates count as much.
        least = {key: value for key, value in alone.items() if value}
        rest = sum(value for label, value in apart.items() if label != name)
        assert spherical_similarity(here, there, **least) == pytest.approx(by_hand - rest / 3.0)


def test_the_azimuth_wraps_only_when_asked_to():
    left, right = np.array([1.0, 0.1, 2.0]), np.array([1.0, 2 * math.pi - 0.1, 2.0])
    assert spherical_similarity(left, right) == pytest.approx(1 - (2 * math.pi - 0.2) / (6 * math.pi))
    assert spherical_similarity(left, right, wrap_azimuth=True) == pytest.approx(1 - 0.2 / (6 * math.pi))
    cup = TABLE.ids(["cup 1"])
    one, other = Field(cup, left[None]), Field(cup, right[None])
    assert field_similarity(one, other, TABLE) == pytest.approx(1 - (2 * math.pi - 0.2) / (12 * math.pi))
    wraps = FieldWeights(wrap_azimuth=True)
    assert field_similarity(one, other, TABLE, wraps) == pytest.approx(1 - 0.2 / (12 * math.pi))


@given(POSITION, POSITION, st.booleans())
def test_spherical_similarity_is_symmetric_and_in_range(a, b, wrap):
    value = float(spherical_similarity(a, b, wrap_azimuth=wrap))
    assert -1e-15 <= value <= 1.0
    assert value == float(spherical_similarity(b, a, wrap_azimuth=wrap))
    assert value == pytest.approx(plain_spherical(a, b, FieldWeights(wrap_azimuth=wrap)), abs=1e-12)


@pytest.mark.parametrize(
    ("name", "alike"),
    [
        ("bed 1", ("book 1", "door 1")),
        ("clothes 3", ("lamp 3", "sofa 3")),
        ("MD's clothes 1", ("AY's clothes 3", "WM's clothes 3")),
        ("sinkbasin 12", ("desk 2", "door 6", "sofa 5")),
    ],
)
def test_of_names_that_are_spelled_equally_alike_the_first_row_is_j_whatever_the_last_bit_of_a_cosine(name, alike):
    """Their cosines are the same number, and lie so near to where it is rounded that a last bit moves it."""
    here, *elsewhere = ([1.0, 0.5 * n, 3.0 * n] for n in range(len(alike) + 1))
    for first in range(len(alike)):
        table = NameTable(HashEmbedder())
        one = Field(table.ids([name]), np.array([here]))
        names = (*alike[first:], *alike[:first])
        other = Field(table.ids(names), np.array(elsewhere))
        cosines = table.cosines(one.ids, other.ids)[0].tolist()
        assert cosines == pytest.approx([cosines[0]] * len(alike), abs=1.1e-5)
        by_hand = 0.5 * max(cosines) + 0.5 * float(spherical_similarity(np.array(here), np.array(elsewhere[0])))
        assert field_similarity(one, other, table) == pytest.approx(by_hand / len(alike), abs=1e-9)
        assert differences(one, [other], table) == [difference(one, other, table)]
        assert similarity_to_many([one], FieldBatch.of([other]), table)[0, 0] == field_similarity(one, other, table)


def test_empty_and_identical_fields(table):
    empty, field = Field.empty(), Field.from_names(["bed 1", "LL"], table)
    assert field_similarity(empty, empty, table) == 1.0
    assert field_similarity(empty, field, table) == field_similarity(field, empty, table) == 0.0
    assert field_similarity(field, field, table) == 1.0
    assert difference(field, field, table) == 0.0
    nowhere_0 = Field(field.ids, np.array([[1.0, 0.5, 2.0], [1.5, 2.5, 3.0]]))
    assert differences(nowhere_0, [empty, nowhere_0], table) == [1.0, 0.0]
    assert object_similarity(empty, field, table).shape == (0, 2)


@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(st.integers(0, 2**32), st.lists(st.integers(0, 40), max_size=6), st.floats(0, 1), st.booleans())
def test_fast_forms_equal_the_plain_one(seed, sizes, omega_name, wrap):
    generator = np.random.default_rng(seed)
    weights = FieldWeights(omega_name=omega_name, omega_position=1.0 - omega_name, wrap_azimuth=wrap)
    queries = [random_field(generator, TABLE, size) for size in (0, 3, 9)]
    fields = [random_field(generator, TABLE, size) for size in sizes]
    many = similarity_to_many(queries, FieldBatch.of(fields), TABLE, weights)
    assert many.shape == (3, len(fields))
    for q, query in enumerate(queries):
        for m, field in enumerate(fields):
            plain = plain_similarity(query, field, TABLE, weights)
            assert field_similarity(query, field, TABLE, weights) == pytest.approx(plain, abs=1e-5)
            assert many[q, m] == pytest.approx(field_similarity(query, field, TABLE, weights), abs=1e-12)
            assert 0.0 <= many[q, m] <= 1.0


@pytest.mark.parametrize(("gram_limit", "others"), [(0, 0), (4096, 0), (4096, 600)])
def test_many_fields_of_unlike_sizes_equal_one_by_one(gram_limit, others):
    """So many that they are compared in groups of like size, also where the table has many other names."""
    table, generator = NameTable(ToyEmbedder(), gram_limit=gram_limit), np.random.default_rng(7)
    table.ids(f"other {n}" for n in range(others))
    fields = [random_field(generator, table, int(size)) for size in generator.integers(0, 40, 150)]
    queries = [random_field(generator, table, size) for size in (11, 0, 1)]
    many = similarity_to_many(queries, FieldBatch.of(fields), table)
    plain = [[field_similarity(query, field, table) for field in fields] for query in queries]
    np.testing.assert_allclose(many, plain, atol=1e-12)


def test_more_than_can_be_compared_in_one_go_equals_one_by_one():
    """Wide fields of one size, so many that they are taken some at a time; each name stands in several rows."""
    table, generator = NameTable(ToyEmbedder()), np.random.default_rng(8)
    query = Field.from_names([f"{('table', 'bed', 'cup')[n % 3]} {n}" for n in range(70)], table)
    fields = [random_field(generator, table, 300, names=70) for _ in range(400)]
    many = similarity_to_many([query], FieldBatch.of(fields), table)[0]
    np.testing.assert_allclose(many, [field_similarity(query, field, table) for field in fields], atol=1e-12)


def test_a_field_that_is_too_wide_for_one_go_is_compared_all_the_same():
    table, generator = NameTable(ToyEmbedder()), np.random.default_rng(9)
    query, wide = Field.from_names([f"cup {n}" for n in range(1000)], table), random_field(generator, table, 4100)
    many = similarity_to_many([query], FieldBatch.of([wide]), table)
    assert many[0, 0] == pytest.approx(field_similarity(query, wide, table), abs=1e-12)


def test_nothing_is_like_nothing_and_unlike_everything_else_in_many_fields_too():
    some = Field.from_names(["cup 1"], TABLE)
    many = similarity_to_many([Field.empty()] * 2, FieldBatch.of([some, Field.empty()]), TABLE)
    assert many.tolist() == [[0.0, 1.0]] * 2


def test_weights_that_are_1_but_for_their_rounding_do_not_lift_a_similarity_above_1():
    some, weights = Field.from_names(["cup 1", "bed 1"], TABLE), FieldWeights(omega_name=0.5 + 4e-10)
    assert field_similarity(some, some, TABLE, weights) == 1.0
    assert similarity_to_many([some], FieldBatch.of([some]), TABLE, weights).tolist() == [[1.0]]
    assert differences(some, [some], TABLE, weights) == [0.0]


def test_fields_are_the_same_whose_names_and_positions_are():
    cups, beds = TABLE.ids(["cup 1", "cup 2"]), TABLE.ids(["bed 1", "bed 2"])
    here, there = np.array([[1.0, 0.5, 2.0], [1.5, 2.5, 3.0]]), np.array([[1.0, 0.5, 2.0], [1.5, 2.5, 3.5]])
    one, moved, other = Field(cups, here), Field(cups, there), Field(beds, here)
    again = Field(cups.copy(), here.copy())
    assert distinct_fields([one, again, moved, one, other, moved]) == ([one, moved, other], [0, 0, 1, 0, 2, 1])


@given(st.integers(0, 2**32), st.lists(st.integers(0, 12), max_size=5), st.booleans())
def test_differences_from_a_few_fields_are_those_from_each_to_the_last_bit(seed, sizes, wrap):
    generator, weights = (
        np.random.default_rng(seed),
        FieldWeights(omega_name=0.7, omega_position=0.3, wrap_azimuth=wrap),
    )
    present, *fields = [random_field(generator, TABLE, size) for size in (7, *sizes)]
    fields += fields[::-2]  # who stands still sees the same again
    assert differences(present, fields, TABLE, weights) == [difference(present, f, TABLE, weights) for f in fields]
    assert differences(Field.empty(), fields, TABLE) == [float(len(field) > 0) for field in fields]


def test_fields_taken_out_of_a_batch_are_themselves(table):
    generator = np.random.default_rng(3)
    fields = [random_field(generator, table, size) for size in (2, 0, 5, 1)]
    some = FieldBatch.of(fields).take(np.array([2, 1, 0]))
    assert [some[n] for n in range(3)] == [fields[2], fields[1], fields[0]]
    assert len(some.rows()) == 7


def test_object_similarity_is_field_similarity_of_single_rows(table):
    generator = np.random.default_rng(0)
    fx, fy = random_field(generator, table, 5), random_field(generator, table, 4)
    weights = FieldWeights(omega_name=0.7, omega_position=0.3)
    similarity = object_similarity(fx, fy, table, weights)
    for i in range(5):
        for j in range(4):
            x, y = (Field(f.ids[n : n + 1], f.positions[n : n + 1]) for f, n in ((fx, i), (fy, j)))
            assert similarity[i, j] == pytest.approx(field_similarity(x, y, table, weights), abs=1e-15)


def test_from_percepts(table):
    percepts = (
        Percept(name="LL", kind="person", theta=1.5, phi=0.25, gamma=2.0),
        Percept(name="book 1", kind="item", theta=1.0, phi=2 * math.pi, gamma=0.0, held=True),
    )
    field = Field.from_percepts(percepts, table)
    assert field.names(table) == ("LL", "book 1")
    assert field.positions.tolist() == [[1.5, 0.25, 2.0], [1.0, 0.0, 0.0]]
    assert field.named_rows(table) == (("LL", 1.5, 0.25, 2.0), ("book 1", 1.0, 0.0, 0.0))
    assert len(Field.from_percepts((), table)) == 0


def test_from_names_stands_on_a_circle(table):
    field = Field.from_names(["a", "b", "c", "d"], table)
    assert field.positions[:, 1].tolist() == [0.0, math.pi / 2, math.pi, 3 * math.pi / 2]
    assert set(field.positions[:, 0]) == {math.pi / 2}
    assert set(field.positions[:, 2]) == {1.0}
    assert len(Field.from_names([], table)) == 0


def test_a_field_is_immutable_and_survives_json(table):
    source = np.array([[1.0, 0.1, 0.3]])
    field = Field(table.ids(["a"]), source)
    source[0, 0] = 2.0
    assert field.positions[0, 0] == 1.0
    with pytest.raises(ValueError, match="read-only"):
        field.positions[0, 0] = 2.0
    assert Field.from_state(json.loads(json.dumps(field.get_state()))) == field
    assert Field.from_state(Field.empty().get_state()) == Field.empty()
    assert field != Field.empty()


@pytest.mark.parametrize(
    ("ids", "positions", "message"),
    [
        ([0], [[math.nan, 0, 0]], "theta of row 0 must lie in [0, pi], got nan"),
        ([0, 1], [[1, 0, 0], [1, 0, math.inf]], "gamma of row 1 must lie in [0, inf), got inf"),
        ([0], [[3.2, 0, 0]], "theta of row 0 must lie in [0, pi], got 3.2"),
        ([0], [[1, 2 * math.pi, 0]], "phi of row 0 must lie in [0, 2 pi)"),
        ([0], [[1, -0.1, 0]], "phi of row 0 must lie in [0, 2 pi), got -0.1"),
        ([0], [[1, 0, -1]], "gamma of row 0 must lie in [0, inf), got -1.0"),
        ([0, 1], [[1, 0, 0]], "one name and one position"),
        ([-1], [[1, 0, 0]], "ids must be at least 0, got -1"),
    ],
)
def test_bad_fields_are_named(ids, positions, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        Field(np.array(ids, dtype=np.int32), np.array(positions))


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"omega_name": 0.6}, "omega_name + omega_position must be 1, got 1.1"),
        ({"omega_name": 1.5, "omega_position": -0.5}, "omega_name must lie in [0, 1], got 1.5"),
        ({"omega_name": math.nan}, "omega_name must lie in [0, 1], got nan"),
        ({"omega_gamma": 2.0}, "must be at most 3, got 4.0"),
        ({"omega_phi": math.inf}, "omega_phi must lie in [0, 3], got inf"),
    ],
)
def test_bad_weights_are_named(values, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        FieldWeights(**values)
