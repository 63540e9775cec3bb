import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.rating.design import balanced_orders, deal, williams


def place_counts(orders):
    """How often each treatment stands at each place, shape (n, n)."""
    n = orders.shape[1]
    return np.stack([np.bincount(orders[:, place], minlength=n) for place in range(n)], axis=1)


def succession_counts(orders):
    """How often one treatment directly follows another, shape (n, n)."""
    counts = np.zeros((orders.shape[1],) * 2, dtype=np.int64)
    np.add.at(counts, (orders[:, :-1].ravel(), orders[:, 1:].ravel()), 1)
    return counts


@pytest.mark.parametrize("n", [1, 2, 3, 4, 7, 10])
def test_a_williams_design_balances_places_and_successions(n):
    design = williams(n)
    assert design.shape == (n if n == 1 or n % 2 == 0 else 2 * n, n)
    times = len(design) // n
    assert (place_counts(design) == times).all()
    followed = succession_counts(design)
    assert (followed == times * (1 - np.eye(n))).all()


def test_the_published_design_of_four():
    assert williams(4).tolist() == [[0, 1, 3, 2], [1, 2, 0, 3], [2, 3, 1, 0], [3, 0, 2, 1]]


def test_no_treatment_is_no_design():
    with pytest.raises(ValueError, match="a design needs at least 1 treatment, got 0"):
        williams(0)


@settings(max_examples=15)
@given(n=st.integers(1, 8), raters=st.integers(1, 60), seed=st.integers(0, 2**32))
def test_orders_are_balanced_for_any_number_of_raters(n, raters, seed):
    orders = balanced_orders(n, raters, np.random.default_rng(seed))
    assert orders.shape == (raters, n)
    assert (np.sort(orders, axis=1) == np.arange(n)).all()
    counts = place_counts(orders)
    assert counts.max() - counts.min() <= 1
    if raters % len(williams(n)) == 0:
        times = raters // n
        assert (counts == times).all()
        assert (succession_counts(orders) == times * (1 - np.eye(n))).all()


def test_chance_decides_the_letters():
    firsts = {tuple(balanced_orders(5, 1, np.random.default_rng(seed))[0]) for seed in range(50)}
    assert len(firsts) > 25


@settings(max_examples=15)
@given(n=st.integers(1, 12), raters=st.integers(0, 60), seed=st.integers(0, 2**32))
def test_runs_are_dealt_out_evenly(n, raters, seed):
    counts = np.bincount(deal(n, raters, np.random.default_rng(seed)), minlength=n)
    assert counts.sum() == raters
    assert counts.max() - counts.min() <= 1
