"""Null models: what else could have happened if the thing that is tested did not exist.

Turns are numbered by time. A null model keeps who turned to somebody and when, and gives each turn another receiver; or
it keeps each resident's way through the valley and moves it in time. Residents and places are numbers here.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.int64]

SWEEPS = 10
"""Proposed exchanges per turn between two samples of the null model of the same marginals."""


def redraw_receivers(present: Sequence[Sequence[int]], samples: int, rng: np.random.Generator) -> Integers:
    """Company: each turn goes to any of those who were there, all equally likely.

    It keeps who turns to somebody, when and where. Whom everybody turns to is free.

    Args:
        present: Per turn those that the sender could have turned to, at least one.
        samples: How many.
        rng: Draws.

    Returns:
        Receivers of shape (samples, turns).
    """
    if not present:
        return np.empty((samples, 0), dtype=np.int64)
    sizes = np.array([len(one) for one in present])
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    everyone = np.array([person for one in present for person in one], dtype=np.int64)
    receivers: Integers = everyone[starts + rng.integers(sizes, size=(samples, len(present)))]
    return receivers


def shuffle_partners(
    senders: Integers, receivers: Integers, strata: Integers, samples: int, rng: np.random.Generator
) -> Integers:
    """Partners: who turned to whom is shuffled, and in each stratum everyone turns and is turned to as often as it did.

    Two turns exchange their receivers, or three pass them round, wherever nobody comes to turn to itself. With both
    kinds of moves every such assignment can be reached (Aoki and Takemura 2005), and all are equally likely. Samples
    start from a common one that lies as many moves from what was observed as they do from it, which makes the p-value
    exact however many moves there are (Besag and Clifford 1989).

    Args:
        senders: Shape (turns,).
        receivers: Shape (turns,), none its own sender.
        strata: Shape (turns,): turns of the same number are shuffled among themselves, those of a part of the run.
        samples: How many.
        rng: Draws.

    Returns:
        Receivers of shape (samples, turns).
    """
    groups = [np.flatnonzero(strata == stratum) for stratum in np.unique(strata)]
    groups = [group for group in groups if len(group) > 1]
    start = _exchange(senders, receivers[np.newaxis].copy(), groups, rng)
    return _exchange(senders, np.repeat(start, samples, axis=0), groups, rng)


def _exchange(senders: Integers, receivers: Integers, groups: Sequence[Integers], rng: np.random.Generator) -> Integers:
    """Take every row as many steps along its own chain as the groups have turns, times ``SWEEPS``."""
    rows = np.arange(len(receivers))
    for group in groups:
        size = len(group)
        for _ in range(SWEEPS * size):
            a, b, c = _three(size, len(rows), rng)
            # With two turns in the group, or by a coin, the third stays out of it.
            c = np.where((rng.random(len(rows)) < 0.5) & (size > 2), c, a)
            i, j, k = group[a], group[b], group[c]
            at_i, at_j, at_k = receivers[rows, i], receivers[rows, j], receivers[rows, k]
            two = k == i
            # i gets j's receiver, j gets k's, and k gets i's; for two, k is i.
            allowed = (senders[i] != at_j) & (senders[j] != at_k) & (two | (senders[k] != at_i))
            ok = rows[allowed]
            receivers[ok, k[allowed]] = at_i[allowed]
            receivers[ok, i[allowed]] = at_j[allowed]
            receivers[ok, j[allowed]] = at_k[allowed]
    return receivers


def _three(size: int, samples: int, rng: np.random.Generator) -> tuple[Integers, Integers, Integers]:
    """Three different numbers below size, per sample, in random order; the third means nothing if there are but two."""
    a = rng.integers(size, size=samples)
    b = (a + 1 + rng.integers(size - 1, size=samples)) % size
    c = rng.integers(max(size - 2, 1), size=samples)
    low, high = np.minimum(a, b), np.maximum(a, b)
    c = c + (c >= low)
    c = c + (c >= high)
    return a, b, c


def shuffle_times(senders: Integers, receivers: Integers, samples: int, rng: np.random.Generator) -> Integers:
    """Times: each sender turns to the same residents as often and at the same moments, in another order.

    It keeps the whole matrix of who turned to whom, and when each turned to somebody.

    Args:
        senders: Shape (turns,).
        receivers: Shape (turns,).
        samples: How many.
        rng: Draws.

    Returns:
        Receivers of shape (samples, turns).
    """
    shuffled = np.repeat(receivers[np.newaxis], samples, axis=0)
    for sender in np.unique(senders):
        own = np.flatnonzero(senders == sender)
        shuffled[:, own] = rng.permuted(shuffled[:, own], axis=1)
    return shuffled


def shift_paths(residents: int, steps: int, samples: int, rng: np.random.Generator) -> Integers:
    """Paths: each resident walks the same way, but begins it at another step and closes it to a ring.

    It keeps where each resident goes, for how long and in which order, and breaks who walks after whom.

    Returns:
        Per sample and resident how many steps its path is moved by, shape (samples, residents), each in [0, steps).
    """
    return rng.integers(steps, size=(samples, residents))


def shuffle_labels(size: int, samples: int, rng: np.random.Generator) -> Integers:
    """Labels: one of two lists of values, one value a resident, in another order.

    Returns:
        Shape (samples, size): permutations of 0 to size - 1.
    """
    return rng.permuted(np.repeat(np.arange(size)[np.newaxis], samples, axis=0), axis=1)
