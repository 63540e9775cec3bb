"""Null models, and p-values by permutation.

A null model keeps the sender, the time and the residents present of each turn and redraws its receiver; or it keeps
each resident's path and shifts it in time. Residents and places are indices.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

Booleans = NDArray[np.bool_]
Integers = NDArray[np.int64]
Alternative = Literal["greater", "less"]

SWEEPS = 10
"""Proposed exchanges per turn between the common start and a sample."""


def redraw_receivers(present: Sequence[Sequence[int]], samples: int, rng: np.random.Generator) -> Integers:
    """Sample the null model of company: each turn goes to a random resident present, with equal probability.

    Args:
        present: Residents present at each turn, at least one.
        samples: Number of samples.
        rng: Random generator.

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
    """Sample the null models of partners and times: permute receivers within strata, among turns where present.

    With halves of the run as strata, the out- and in-strength of everyone is kept in each half. With senders as strata,
    everyone keeps its receivers, in another order.

    A Markov chain exchanges the receivers of two turns, or rotates those of three, if all remain present. Under the
    null hypothesis all assignments that it reaches are equally likely. Samples start from a common state as many moves
    from the observation as from each sample, which makes the p-value exact for any number of moves (Besag and Clifford
    1989).

    Args:
        present: Shape (turns, residents): residents present.
        receivers: Shape (turns,), each present.
        strata: Shape (turns,): stratum of each turn.
        samples: Number of samples.
        rng: Random generator.

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
    """Run a Markov chain per row: ``SWEEPS`` times the turns of the largest group as moves in each group."""
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
    """Draw three distinct numbers below each size, per sample; the third is meaningless for sizes below 3.

    Args:
        sizes: Shape (groups,), each at least 2.
        samples: Number of samples.
        rng: Random generator.

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
    """Sample the null model of paths: rotate each resident's path by a random number of steps.

    Args:
        residents: Number of residents.
        steps: Time steps of the run.
        samples: Number of samples.
        rng: Random generator.

    Returns:
        Rotations in [0, steps), shape (samples, residents).
    """
    return rng.integers(steps, size=(samples, residents))


def shuffle_labels(size: int, samples: int, rng: np.random.Generator) -> Integers:
    """Sample the null model of labels: random permutations of the residents.

    Args:
        size: Number of residents.
        samples: Number of samples.
        rng: Random generator.

    Returns:
        Shape (samples, size): permutations of 0 to size - 1.
    """
    return rng.permuted(np.repeat(np.arange(size)[np.newaxis], samples, axis=0), axis=1)


def p_value(observed: float, permuted: ArrayLike, alternative: Alternative = "greater") -> float:
    """Compute the p-value of a permutation test, (1 + b) / (1 + m).

    The observation counts as one of the permutations, so that no p-value is 0 and none is too small (Davison and
    Hinkley 1997, section 4.2; Phipson and Smyth 2010).

    Args:
        observed: The statistic; if it is not a number, nor is the p-value.
        permuted: Samples of it under the null model, shape (m,); undefined ones count as extreme.
        alternative: Whether large or small values are extreme.

    Returns:
        In [1 / (1 + m), 1], or not a number.
    """
    if np.isnan(observed):
        return np.nan
    values = np.asarray(permuted, dtype=np.float64)
    # Sums of the same numbers in another order differ in the last digits; they are ties.
    slack = 1e-9 * max(1.0, abs(observed))
    milder = values < observed - slack if alternative == "greater" else values > observed + slack
    return float((1 + np.sum(~milder)) / (1 + values.size))
