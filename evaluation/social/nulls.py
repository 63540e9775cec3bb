"""Null models: what else could have happened if the thing that is tested did not exist.

Turns are numbered by time. A null model keeps who turned to somebody, when, and who was there, and gives each turn
another receiver of those; or it keeps each resident's way through the valley and moves it in time. Residents and places
are numbers here.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Booleans = NDArray[np.bool_]
Integers = NDArray[np.int64]

SWEEPS = 10
"""Proposed exchanges per turn between two samples of the same receivers given out anew."""


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


def exchange_receivers(
    present: Booleans, receivers: Integers, strata: Integers, samples: int, rng: np.random.Generator
) -> Integers:
    """Partners and times: in each stratum the same receivers are given out anew, each to a turn at which it was there.

    With the halves of a run for strata, everyone turns and is turned to as often as it did in each half, and who turns
    to whom is shuffled. With the senders for strata, everyone turns to the same residents as often, in another order.

    Two turns exchange their receivers, or three pass them round, wherever all of them get somebody who was there. If
    nobody had a preference beyond what is kept, what was observed would be as likely as any assignment that such
    moves reach. Samples start from a common one that lies as many moves from what was observed as they do from it,
    which makes the p-value exact however many moves there are, and whether or not they reach all assignments (Besag
    and Clifford 1989).

    Args:
        present: Shape (turns, residents): whom the sender could have turned to.
        receivers: Shape (turns,), each present.
        strata: Shape (turns,): turns of the same number exchange their receivers.
        samples: How many.
        rng: Draws.

    Returns:
        Receivers of shape (samples, turns).
    """
    free = present.sum(axis=1) > 1
    groups = [np.flatnonzero(free & (strata == stratum)) for stratum in np.unique(strata)]
    groups = [group for group in groups if len(group) > 1]
    if not groups:
        return np.repeat(receivers[np.newaxis], samples, axis=0)
    start = _exchange(present, receivers[np.newaxis].copy(), groups, rng)
    return _exchange(present, np.repeat(start, samples, axis=0), groups, rng)


def _exchange(present: Booleans, receivers: Integers, groups: Sequence[Integers], rng: np.random.Generator) -> Integers:
    """Take every row along its own chain: in each group as many moves as the largest has turns, times ``SWEEPS``."""
    rows = np.arange(len(receivers))[:, np.newaxis]
    sizes = np.array([len(group) for group in groups])
    starts = np.cumsum(sizes) - sizes
    turns = np.concatenate(groups)
    for _ in range(SWEEPS * int(sizes.max())):
        # No turn is in two groups, so that all groups move at once.
        a, b, c = _three(sizes, len(receivers), rng)
        # With two turns in the group, or by a coin, the third stays out of it.
        c = np.where((rng.random(a.shape) < 0.5) & (sizes > 2), c, a)
        i, j, k = (turns[starts + one] for one in (a, b, c))
        at_i, at_j, at_k = receivers[rows, i], receivers[rows, j], receivers[rows, k]
        # i gets j's receiver, j gets k's, and k gets i's; for two, k is i.
        allowed = present[i, at_j] & present[j, at_k] & ((k == i) | present[k, at_i])
        receivers[rows, k] = np.where(allowed, at_i, at_k)
        receivers[rows, i] = np.where(allowed, at_j, receivers[rows, i])
        receivers[rows, j] = np.where(allowed, at_k, at_j)
    return receivers


def _three(sizes: Integers, samples: int, rng: np.random.Generator) -> tuple[Integers, Integers, Integers]:
    """Three different numbers below each size, per sample, in random order; the third means nothing below a size of 3.

    Args:
        sizes: Shape (groups,), each at least 2.
        samples: How many.
        rng: Draws.

    Returns:
        Three arrays of shape (samples, groups).
    """
    # As rng.integers would draw them, which is slow for several bounds.
    below = np.stack([sizes, sizes - 1, np.maximum(sizes - 2, 1)])[:, np.newaxis]
    a, b, c = (rng.random((3, samples, len(sizes))) * below).astype(np.int64)
    b = (a + 1 + b) % sizes
    low, high = np.minimum(a, b), np.maximum(a, b)
    c = c + (c >= low)
    c = c + (c >= high)
    return a, b, c


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
