"""The null models keep what they say, draw all else equally, and give p-values that hold."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from social_scenes import SIX

from benchmarks.analysis.made_up_societies import DESIGNS, society
from evaluation.measures import actions
from evaluation.social import nulls
from evaluation.social.hypotheses import HYPOTHESES
from evaluation.social.networks import count_turns
from evaluation.social.nulls import p_value
from evaluation.social.samples import Samples, Turns
from evaluation.social.tested_statistics import clique_tests, following, pattern_tests, received


def some_turns(seed, turns=30, people=5):
    rng = np.random.default_rng(seed)
    senders = rng.integers(people, size=turns)
    receivers = (senders + rng.integers(1, people, size=turns)) % people
    return senders, receivers, np.sort(rng.integers(2, size=turns)), rng


def some_presence(senders, receivers, people, rng):
    """Who was there at each turn: the receiver, never the sender, and of the others about half."""
    present = rng.random((len(senders), people)) < 0.5
    turns = np.arange(len(senders))
    present[turns, receivers], present[turns, senders] = True, False
    return present


@settings(max_examples=12, deadline=None)
@given(st.integers(0, 10_000), st.integers(0, 12), st.integers(2, 5))
def test_null_models_keep_what_they_say(seed, turns, people):
    senders, receivers, strata, rng = some_turns(seed, turns, people)
    present = some_presence(senders, receivers, people, rng)
    shuffled = nulls.exchange_receivers(present, receivers, strata, 20, rng)
    for part in (0, 1):
        own = strata == part
        kept = count_turns(senders[own], receivers[own], people)
        counts = count_turns(senders[own], shuffled[:, own], people)
        np.testing.assert_array_equal(counts.sum(axis=1), np.tile(kept.sum(axis=0), (20, 1)))
        np.testing.assert_array_equal(counts.sum(axis=2), np.tile(kept.sum(axis=1), (20, 1)))
    ordered = nulls.exchange_receivers(present, receivers, senders, 20, rng)
    np.testing.assert_array_equal(
        count_turns(senders, ordered, people), np.tile(count_turns(senders, receivers, people), (20, 1, 1))
    )
    listed = [tuple(np.flatnonzero(row)) for row in present]
    drawn = nulls.redraw_receivers(listed, 20, rng)
    assert drawn.shape == (20, turns)
    for samples in (shuffled, ordered, drawn):
        assert present[np.arange(turns), samples].all()


def everybody_there(senders, people):
    return np.arange(people) != senders[:, np.newaxis]


def test_exchanges_reach_every_assignment_to_those_present_equally_often():
    # The last turn had only 1 and 2 to choose from, the first only 1 and 3.
    senders, receivers = np.array([0, 0, 0, 0]), np.array([1, 3, 3, 2])
    present = np.array([[0, 1, 0, 1], [0, 1, 1, 1], [0, 1, 1, 1], [0, 1, 1, 0]], dtype=bool)
    possible = {ways for ways in permutations(receivers) if present[np.arange(4), list(ways)].all()}
    assert len(possible) == 5
    rng = np.random.default_rng(0)
    samples = nulls.exchange_receivers(present, receivers, senders, 3000, rng)
    ways, counts = np.unique(samples, axis=0, return_counts=True)
    assert {tuple(way) for way in ways} == possible
    assert stats.chisquare(counts).pvalue > 1e-3


def test_three_who_turn_in_a_ring_can_be_turned_round():
    # No swap of two is possible here; only the rotation of all three reaches the other way round.
    senders, rng = np.arange(3), np.random.default_rng(0)
    samples = nulls.exchange_receivers(everybody_there(senders, 3), np.array([1, 2, 0]), np.zeros(3, int), 400, rng)
    ways, counts = np.unique(samples, axis=0, return_counts=True)
    assert ways.tolist() == [[1, 2, 0], [2, 0, 1]]
    assert counts.min() > 140


def test_company_is_drawn_from_those_present_equally():
    drawn = nulls.redraw_receivers([[1, 2, 4], [3]], 3000, np.random.default_rng(0))
    assert set(drawn[:, 1]) == {3}
    values, counts = np.unique(drawn[:, 0], return_counts=True)
    assert values.tolist() == [1, 2, 4]
    assert stats.chisquare(counts).pvalue > 1e-3


def test_a_pair_has_nothing_to_shuffle():
    receivers = 1 - np.arange(40) % 2
    present = np.eye(2, dtype=bool)[receivers]
    samples = nulls.exchange_receivers(present, receivers, np.zeros(40, int), 5, np.random.default_rng(0))
    np.testing.assert_array_equal(samples, np.tile(receivers, (5, 1)))


def ranks(outcomes, rng):
    """Where each observed value stands among its samples, ties broken by chance: uniform if the test is exact."""
    found = {}
    for name, (value, permuted) in outcomes.items():
        if not np.isnan(value):
            sign = 1 if HYPOTHESES[name].alternative == "greater" else -1
            milder = np.sum(sign * permuted < sign * value - 1e-9)
            ties = np.sum(np.abs(permuted - value) <= 1e-9)
            found[name] = (len(permuted) - milder - ties + rng.random() * (ties + 1)) / (len(permuted) + 1)
    return found


@pytest.mark.slow
def test_p_values_are_uniform_where_everybody_turns_to_anyone_present():
    """Slow, as only many societies show a distribution; the p-values proper have ties, which make them larger."""
    rng, societies = np.random.default_rng(0), 100
    found, proper = [], []
    for seed in range(societies):
        frame = actions(society(next(iter(DESIGNS)), "none", seed, steps=24))
        held = Turns.of(frame, SIX)
        null = Samples.draw(held, frame["time"].to_numpy(), 19, seed)
        _, leader, outcomes = received(held, null)
        outcomes = outcomes | clique_tests(held, null, leader) | pattern_tests(held, null, 2)
        found.append(ranks(outcomes, rng))
        proper.append({name: p_value(*outcome, HYPOTHESES[name].alternative) for name, outcome in outcomes.items()})
    for test in found[0].keys() - {"leader within the clique"}:
        own = [one[test] for one in found if test in one]
        assert len(own) > 0.7 * societies
        assert stats.kstest(own, "uniform").pvalue > 1e-3, test
        assert sum(one[test] <= 0.05 for one in proper) <= stats.binom(societies, 0.05).ppf(0.999), test


def test_p_values_of_following_are_uniform_for_independent_walkers():
    rng = np.random.default_rng(0)
    p = []
    for seed in range(120):
        # Everyone walks round three places, each from a place and at times of its own.
        where = (rng.integers(3, size=(5, 1)) + np.cumsum(rng.random((5, 60)) < 0.3, axis=1)) % 3
        _, _, outcomes = following(where, 19, seed, 2)
        p.append(ranks(outcomes, rng))
    for test in ("following", "followed leader"):
        assert stats.kstest([one[test] for one in p], "uniform").pvalue > 1e-3, test
