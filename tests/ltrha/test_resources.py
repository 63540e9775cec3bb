import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ltrha import allocation, allocations, execution_rate, resource_shares, tied_allocations


def test_rate_worked_by_hand():
    # Sigmoid(0) = 1/2; Sigmoid(ln 3) = 3/4; Sigmoid(-ln 3) = 1/4
    np.testing.assert_allclose(execution_rate([0.0, math.log(3), -math.log(3)]), [0.75, 0.875, 0.625])
    assert execution_rate([1.0])[0] == pytest.approx(0.8655, abs=5e-5)


def test_shares_are_of_the_total_however_little_there_is():
    np.testing.assert_allclose(resource_shares([0.125, -0.375]), [0.25, -0.75])
    np.testing.assert_allclose(resource_shares([0.0, 0.0]), [0.0, 0.0])


def test_a_share_has_bounds_whatever_is_owed():
    # 6 and -2 of 8; the plain sum would make them 1.5 and -0.5.
    expected = [0.5 + 0.5 / (1 + math.exp(-0.75)), 0.5 + 0.5 / (1 + math.exp(0.25))]
    np.testing.assert_allclose(execution_rate([6.0, -2.0], share=True), expected)
    # One has all, the other owes all there is.
    np.testing.assert_allclose(execution_rate([-1.0, 0.0], share=True), [0.634471, 0.75], atol=1e-6)
    np.testing.assert_allclose(execution_rate([0.0, 0.0], share=True), [0.75, 0.75])


@pytest.mark.filterwarnings("error")
def test_rate_is_stable_for_huge_amounts():
    np.testing.assert_allclose(execution_rate([1e6, -1e6, 800.0, -800.0]), [1.0, 0.5, 1.0, 0.5])


@pytest.mark.parametrize(("share", "low", "high"), [(False, 0.5, 1.0), (True, 0.634, 0.866)])
@given(amounts=st.lists(st.floats(-1e9, 1e9), max_size=10))
def test_rate_range_and_order(amounts, share, low, high):
    rates = execution_rate(sorted(amounts), share=share)
    assert rates.shape == (len(amounts),)
    assert ((rates >= low) & (rates <= high)).all()
    assert (np.diff(rates) >= 0).all()


def test_rate_errors():
    with pytest.raises(ValueError, match="resources must be finite, got inf for agent 1"):
        execution_rate([0.0, math.inf])
    with pytest.raises(ValueError, match=r"resources must have shape \(n,\)"):
        execution_rate(1.0)


@pytest.mark.parametrize(
    ("n", "expected"),
    [
        (0, []),
        (1, [0]),
        (2, [0, 0]),
        (3, [3, 0, -3]),  # |1 - 3/2| / |3/2 - 1| = 1
        (4, [3, 1, -1, -3]),
        (5, [3, 5 / 3, 0, -5 / 3, -3]),
        (6, [3, 2, 1, -1, -2, -3]),
    ],
)
def test_allocations_worked_by_hand(n, expected):
    np.testing.assert_allclose(allocations(n), expected)
    assert [allocation(rank, n) for rank in range(1, n + 1)] == pytest.approx(expected)


@given(st.integers(0, 60), st.floats(0, 10), st.floats(0, 10))
def test_allocations_properties(n, s_min, more):
    changes = allocations(n, s_min=s_min, s_max=s_min + more)
    assert changes.shape == (n,)
    assert abs(changes.sum()) < 1e-9
    assert (np.diff(changes) <= 1e-12).all()
    np.testing.assert_allclose(changes, -changes[::-1], atol=1e-12)
    if n > 2:
        assert changes[0] == pytest.approx(s_min + more)
        nonzero = np.delete(changes, n // 2) if n % 2 else changes
        assert (np.abs(nonzero) >= s_min - 1e-12).all()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"rank": 0, "n": 6}, r"rank must lie in \[1, 6\] \(1 is best\), got 0"),
        ({"rank": 7, "n": 6}, "got 7"),
        ({"rank": 1, "n": 0}, "n must be at least 1, got 0"),
        ({"rank": 1, "n": 6, "s_min": 4.0}, "s_min=4.0, s_max=3.0"),
        ({"rank": 1, "n": 6, "s_min": -1.0}, "s_min=-1.0"),
        ({"rank": 1, "n": 6, "s_max": math.nan}, "s_max=nan"),
    ],
)
def test_allocation_errors(arguments, message):
    with pytest.raises(ValueError, match=message):
        allocation(**arguments)


@pytest.mark.parametrize(
    ("sizes", "expected"),
    [
        ([], []),
        ([1, 1, 1, 1, 1, 1], [3, 2, 1, -1, -2, -3]),
        ([2, 1, 3], [2.5, 1, -2]),
        ([6], [0]),
        ([1, 4, 1], [3, 0, -3]),
        ([1, 1], [0, 0]),
    ],
)
def test_tied_allocations_worked_by_hand(sizes, expected):
    np.testing.assert_allclose(tied_allocations(sizes), expected)


@given(st.lists(st.integers(1, 9), max_size=12), st.floats(0, 10), st.floats(0, 10))
def test_tied_allocations_properties(sizes, s_min, more):
    changes = tied_allocations(sizes, s_min=s_min, s_max=s_min + more)
    assert abs(changes @ np.array(sizes, dtype=float)) < 1e-9
    assert (np.diff(changes) <= 1e-9).all()


def test_tied_allocations_errors():
    with pytest.raises(ValueError, match=r"at least 1 agent, got the sizes \[2, 0\]"):
        tied_allocations([2, 0])
