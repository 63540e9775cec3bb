"""Test statistics of a run, and their values in samples of the null models."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from itertools import pairwise

import numpy as np
import pandas as pd
from scipy import stats

from evaluation.measures.turns import answered
from evaluation.social import nulls
from evaluation.social.following import count_follows
from evaluation.social.networks import (
    Floats,
    Integers,
    centralisation,
    communities,
    correlation,
    count_turns,
    linearity,
    mutual_excess,
    pearson,
    reciprocity,
    strongest_clique,
)
from evaluation.social.nulls import p_value
from evaluation.social.samples import Samples, Turns
from irollan_env.random_streams import stream

TestValues = Mapping[str, tuple[float, Floats]]
"""Per test the observed statistic and its values under the null model."""


def received(held: Turns, null: Samples) -> tuple[dict[str, Floats], int | None, TestValues]:
    """Test the excess of turns received over the null model of company.

    p-values are adjusted for all residents (max-T).

    Args:
        held: The turns.
        null: Samples of the null models.

    Returns:
        Columns by name with one value per resident (expected, p_sought, p_left_out), the resident with the largest
        excess (None without turns), and the tests.
    """
    n, undefined = held.residents, np.full(len(null.company), np.nan)
    nothing = np.full(n, np.nan)
    if held.size == 0:
        residents = {"expected": np.zeros(n), "p_sought": nothing, "p_left_out": nothing}
        return (
            residents,
            None,
            dict.fromkeys(("leader", "left out", "centralisation", "linearity"), (np.nan, undefined)),
        )
    counts, samples, expected = held.counts(), held.counts(null.company), held.expected().sum(axis=0)
    excess = (counts.sum(axis=0) - expected) / held.size
    permuted = (samples.sum(axis=1) - expected) / held.size
    most, least = permuted.max(axis=1), permuted.min(axis=1)
    residents = {
        "expected": expected,
        "p_sought": np.array([p_value(value, most) for value in excess]),
        "p_left_out": np.array([p_value(value, least, "less") for value in excess]),
    }
    tests = {
        "leader": (float(excess.max()), most),
        "left out": (float(excess.min()), least),
        "centralisation": (float(centralisation(counts)), centralisation(samples)),
        "linearity": (float(linearity(counts)), linearity(samples)),
    }
    return residents, int(excess.argmax()), tests


def clique_tests(held: Turns, null: Samples, leader: int | None) -> TestValues:
    """Test the strength of the strongest clique, and of the strongest around the leader.

    Args:
        held: The turns.
        null: Samples of the null models.
        leader: The resident with the largest excess of turns; None without turns.

    Returns:
        Per test the observed statistic and its values under the null model.
    """
    undefined = np.full(len(null.company), np.nan)
    if leader is None:
        tests = ("clique", "clique around the leader", "clique beyond popularity", "leader within the clique")
        return dict.fromkeys(tests, (np.nan, undefined))
    counts, expected = held.counts(), held.expected()
    by_company, by_partners = held.counts(null.company), held.counts(null.partners)
    ties = mutual_excess(counts, expected)
    permuted = mutual_excess(by_company, expected)
    leaders = (by_company - expected).sum(axis=1).argmax(axis=1)
    # The observation counts as one of the samples, so that all are standardised alike.
    popular = (counts + by_partners.sum(axis=0)) / (1 + len(by_partners))
    beyond, permuted_beyond = mutual_excess(counts, popular), mutual_excess(by_partners, popular)

    def strengths(networks: Floats) -> Floats:
        return np.array([strongest_clique(one)[1] for one in networks]) / held.size

    around = np.array([strongest_clique(one, int(who))[1] for one, who in zip(permuted, leaders, strict=True)])
    members, held_together = strongest_clique(ties, leader)
    return {
        "clique": (strongest_clique(ties)[1] / held.size, strengths(permuted)),
        "clique around the leader": (held_together / held.size, around / held.size),
        "clique beyond popularity": (strongest_clique(beyond)[1] / held.size, strengths(permuted_beyond)),
        "leader within the clique": (
            standing_out(held, leader, members - {leader}, null.coins) if members else (np.nan, undefined)
        ),
    }


def standing_out(held: Turns, leader: int, others: Collection[int], coins: Floats) -> tuple[float, Floats]:
    """Test the lead of a leader over its closest rival in the clique.

    Two members are compared by the turns of all others that went to one of them when both were present. The closest
    rival has the largest p-value in a two-sided sign test, so that leading over it is leading over all (Berger 1982).

    Args:
        held: The turns.
        leader: The leader.
        others: The other members, at least one.
        coins: One uniform number per sample, in [0, 1).

    Returns:
        The leader's share of the turns to it or its closest rival, and per sample the larger share of the two if each
        of these turns goes to either with equal probability; one half without such turns.
    """
    both = {other: _compared(held, leader, other) for other in others}
    p = {other: min(1.0, 2 * float(stats.binom.sf(won - 1, of, 0.5))) for other, (won, of) in both.items()}
    rival = max(sorted(others), key=p.__getitem__)
    won, of = both[rival]
    if of == 0:
        return 0.5, np.full(len(coins), 0.5)
    drawn = stats.binom.ppf(coins, of, 0.5)
    return won / of, np.asarray(np.maximum(drawn, of - drawn) / of)


def _compared(held: Turns, leader: int, other: int) -> tuple[int, int]:
    """Count turns of others when both were present: those to the leader, and those to the leader or the member."""
    pair = {leader, other}
    chosen = [
        receiver
        for sender, receiver, present in zip(held.senders, held.receivers, held.present, strict=True)
        if sender not in pair and receiver in pair and pair <= set(present)
    ]
    return chosen.count(leader), len(chosen)


def pattern_tests(held: Turns, null: Samples, window: int) -> TestValues:
    """Test reciprocity, modularity, answering, and persistence of ties.

    Args:
        held: The turns.
        null: Samples of the null models.
        window: Time steps within which a turn is an answer, at least 1.

    Returns:
        Per test the observed statistic and its values under the null model.
    """
    counts, partners = held.counts(), held.counts(null.partners)

    def replies(receivers: Integers) -> Floats:
        flags = answered(held.times, held.senders, receivers, window)
        return flags.mean(axis=-1) if held.size else np.full(flags.shape[:-1], np.nan)

    def similarity(receivers: Integers, bounds: Floats) -> list[Floats]:
        part = held.parts(bounds)
        cut = [
            count_turns(held.senders[part == k], receivers[..., part == k], held.residents)
            for k in range(len(bounds) + 1)
        ]
        return [correlation(one, other) for one, other in pairwise(cut)]

    def firming(receivers: Integers) -> Floats:
        first, _, last = similarity(receivers, null.quarters)
        return last - first

    def stability(receivers: Integers) -> Floats:
        return similarity(receivers, null.half)[0]

    def both(statistic: Callable[[Integers], Floats], receivers: Integers) -> tuple[float, Floats]:
        return float(statistic(held.receivers)), statistic(receivers)

    return {
        "reciprocity": (float(reciprocity(counts)), reciprocity(partners)),
        "communities": (communities(counts)[1], np.array([communities(one)[1] for one in partners])),
        "answering": both(replies, null.times),
        "stability": both(stability, null.partners),
        "change": both(stability, null.times),
        "firming": both(firming, null.times),
    }


def following(where: Integers, permutations: int, seed: int, window: int) -> tuple[Floats, Floats, TestValues]:
    """Test how often residents are followed; p-values are adjusted for all residents (max-T).

    Args:
        where: Places by resident and time step, from ``paths``.
        permutations: Samples of the null model, at least 1.
        seed: Seed of the samples.
        window: Time steps within which a move counts as following, at least 1.

    Returns:
        How often each resident (row) was followed by each other one, the p-value of each resident, and the tests.
    """
    n, steps = where.shape
    shifts = nulls.shift_paths(n, steps, permutations, stream(seed, "social paths"))
    # In slices, so that long runs of many residents fit into memory.
    slices = np.array_split(shifts, max(1, permutations * n * n * steps // 2**24))
    permuted = [count_follows(where, one, window) for one in slices]
    follows, chances = count_follows(where, window=window)
    by_chance, could = (np.concatenate(parts).sum(axis=2) for parts in zip(*permuted, strict=True))
    followed, followable = follows.sum(axis=1), chances.sum(axis=1)
    # The observation counts as one of the samples, so that all are standardised alike.
    rate = (followed + by_chance.sum(axis=0)) / np.maximum(followable + could.sum(axis=0), 1)
    excess = followed - rate * followable
    most = (by_chance - rate * could).max(axis=1)
    total = could.sum(axis=1)
    share = np.divide(by_chance.sum(axis=1), total, out=np.zeros_like(total), where=total > 0)
    defined = chances.any()
    return (
        follows,
        np.array([p_value(value if defined else np.nan, most) for value in excess]),
        {
            "following": (float(follows.sum() / chances.sum()) if defined else np.nan, share),
            "followed leader": (float(excess.max()) if defined else np.nan, most),
        },
    )


def resource_tests(residents: pd.DataFrame, permutations: int, seed: int) -> TestValues:
    """Test rank correlations of resources with interaction and with time alone.

    Filtered turns count, because residents with more resources are filtered less often (Eq. 18).

    Args:
        residents: One row per resident: resources, tried, time_alone.
        permutations: Samples of the null model, at least 1.
        seed: Seed of the samples.

    Returns:
        Per test the observed statistic and its values under the null model.
    """
    orders = nulls.shuffle_labels(len(residents), permutations, stream(seed, "social labels"))
    resources = stats.rankdata(residents["resources"], nan_policy="propagate")
    values_of = {}
    for test, values in (
        ("resources of the sociable", residents["tried"]),
        ("resources of the lonely", residents["time_alone"]),
    ):
        ranks = stats.rankdata(values)
        values_of[test] = (float(pearson(resources, ranks)), pearson(resources, ranks[orders]))
    return values_of
