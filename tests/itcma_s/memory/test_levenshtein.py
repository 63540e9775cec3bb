import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from toy_fields import ToyEmbedder, random_field

from itcma_s.fields.name_table import NameTable
from itcma_s.fields.phenomenal_field import Field
from itcma_s.memory.levenshtein import best_window, best_window_plain, edit_distance, window_distances

TABLE = NameTable(ToyEmbedder())


def brute_force(costs):
    """The cheapest way to pair members in order; whoever is not paired costs 1."""
    p, q = costs.shape
    best = float(p + q)
    for pairs in range(1, min(p, q) + 1):
        for rows in itertools.combinations(range(p), pairs):
            for columns in itertools.combinations(range(q), pairs):
                substituted = sum(costs[i, j] for i, j in zip(rows, columns, strict=True))
                best = min(best, substituted + p + q - 2 * pairs)
    return best


def test_edit_distance_by_hand():
    assert edit_distance([[0.0, 1.0], [1.0, 0.0]]) == 0.0
    # kitten -> sitting with unit costs: 3
    costs = [[float(a != b) for b in "sitting"] for a in "kitten"]
    assert edit_distance(costs) == 3.0
    # leaving out the first, substituting at 0.1 and adding the last costs 2.1; substituting both costs 2
    assert edit_distance([[1.0, 1.0], [0.1, 1.0]]) == 2.0
    assert edit_distance([[1.0, 0.9, 1.0], [0.1, 1.0, 0.2]]) == pytest.approx(2.1)  # substitute 0.9 and 0.2, add one
    assert edit_distance([]) == 0.0


@given(st.integers(0, 2**32), st.integers(1, 4), st.integers(1, 4))
def test_edit_distance_is_the_cheapest_pairing(seed, p, q):
    costs = np.random.default_rng(seed).random((p, q))
    assert edit_distance(costs) == pytest.approx(brute_force(costs))


@given(st.integers(0, 2**32), st.integers(1, 6), st.integers(1, 15))
def test_all_windows_at_once_equal_one_by_one(seed, p, m):
    costs = np.random.default_rng(seed).random((p, m))
    q = min(p, m)
    expected = [edit_distance(costs[:, start : start + q]) for start in range(m - q + 1)]
    assert window_distances(costs).tolist() == expected


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32), st.integers(1, 4), st.integers(0, 8))
def test_fast_form_equals_the_plain_one(seed, length, remembered):
    generator = np.random.default_rng(seed)
    channel = [random_field(generator, TABLE, int(generator.integers(0, 6))) for _ in range(length)]
    memory = [random_field(generator, TABLE, int(generator.integers(0, 6))) for _ in range(remembered)]
    fast, plain = best_window(channel, memory, TABLE), best_window_plain(channel, memory, TABLE)
    if plain is None or fast is None:
        assert fast is plain is None
        return
    assert fast.distance == pytest.approx(plain.distance, abs=1e-9)
    assert fast.stop - fast.start == plain.stop - plain.start == min(length, remembered)
    window = [memory[n] for n in range(fast.start, fast.stop)]
    again = best_window_plain(channel, window, TABLE)
    assert again is not None
    assert again.distance == pytest.approx(plain.distance, abs=1e-9)


def test_a_stretch_lived_before_is_found_and_the_first_of_two():
    generator = np.random.default_rng(4)
    memory = [random_field(generator, TABLE, 5) for _ in range(20)]
    window = best_window(memory[7:12], memory, TABLE)
    assert window is not None
    assert (window.start, window.stop) == (7, 12)
    twice = best_window(memory[7:12], memory + memory, TABLE)
    assert twice == window
    assert best_window_plain(memory[7:12], memory + memory, TABLE) == window


@pytest.mark.parametrize("form", [best_window, best_window_plain])
def test_nothing_remembered_and_nothing_perceived(form):
    assert form([Field.empty()], [], TABLE) is None
    assert form([], [Field.empty()], TABLE) is None
