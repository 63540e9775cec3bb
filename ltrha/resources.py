"""Resources (section 4.2): their effect on execution rates, and their reallocation by rank."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray


def execution_rate(resources: ArrayLike, *, share: bool = False) -> NDArray[np.float64]:
    """Return the probability with which each agent's action is carried out (Eq. 18).

    Args:
        resources: S of every agent, shape (n,), any finite numbers; they may be negative.
        share: Read S_i as the agent's share of the total instead of the amount itself. Debts count in the total by
            their size, so that a share lies in [-1, 1], and the rate in [0.634, 0.866]; with nothing at all it is 0.

    Returns:
        rate of each agent, shape (n,), each in [0.5, 1]; an agent that starts out with 1 has 0.8655.

    Raises:
        ValueError: if the shape is not (n,), or a value is not finite.

    Departs from the paper: the sentence under Eq. 18 speaks of "a percentage of the total number of resources",
    while the equation has S_i. The equation is the default, the sentence is ``share=True``. Divided by the plain sum,
    in which debts cancel what others have, an amount far below 0 would be a percentage of hundreds.
    """
    amounts = resource_shares(resources) if share else _checked(resources)
    # Sigmoid(S) without overflow: the exponent is never positive.
    small = np.exp(-np.abs(amounts))
    sigmoid = np.where(amounts >= 0.0, 1.0, small) / (1.0 + small)
    return 0.5 + sigmoid / 2.0


def resource_shares(resources: ArrayLike) -> NDArray[np.float64]:
    """Return each agent's share of all resources, S_i / (|S_1| + ... + |S_n|): the resource structure S.

    Args:
        resources: S of every agent, shape (n,), any finite numbers; they may be negative.

    Returns:
        Shape (n,), each in [-1, 1]; all 0 if all resources are 0.

    Raises:
        ValueError: if the shape is not (n,), or a value is not finite.
    """
    amounts = _checked(resources)
    total = float(np.abs(amounts).sum())
    return amounts / total if total > 0.0 else amounts


def allocation(rank: int, n: int, *, s_min: float = 1.0, s_max: float = 3.0) -> float:
    """Return the change of resources of the agent in a given position of the ranking (Eq. 19).

    For n = 6, s_min = 1, s_max = 3, ranks 1 to 6 get +3, +2, +1, -1, -2, -3; for n = 3 they get +3, 0, -3. The
    smallest gain is s_min for even n only: for odd n the equation's |j - n/2| is at least 1/2, so that for n = 5 the
    ranks get +3, +5/3, 0, -5/3, -3. The changes sum to 0.

    Args:
        rank: j, 1 for the agent ranked best, n for the last.
        n: Number of agents that were ranked, at least 1.
        s_min: In [0, s_max].
        s_max: Finite.

    Returns:
        S'_j, in [-s_max, s_max].

    Raises:
        ValueError: if n < 1, the rank is not in [1, n], or 0 <= s_min <= s_max does not hold.

    Departs from the paper: Eq. 19 is defined for n > 2 only (|n/2 - 1| is 0 for n = 2); for fewer agents nothing is
    reallocated. The resource list in appendix A (3, 1, -1, -3, 3, -2) gives 3 twice and 2 never, which Eq. 19 cannot
    produce; the equation is followed.
    """
    if n < 1:
        raise ValueError(f"n must be at least 1, got {n}")
    if not 1 <= rank <= n:
        raise ValueError(f"rank must lie in [1, {n}] (1 is best), got {rank}")
    if not 0.0 <= s_min <= s_max < np.inf:
        raise ValueError(f"0 <= s_min <= s_max must hold, got s_min={s_min!r}, s_max={s_max!r}")
    if n <= 2 or 2 * rank == n + 1:
        return 0.0
    slope = (s_max - s_min) / abs(n / 2 - 1)
    if rank <= n / 2:
        return s_min + abs(rank - n / 2) * slope
    return -(s_min + abs(rank - n / 2 - 1) * slope)


def allocations(n: int, *, s_min: float = 1.0, s_max: float = 3.0) -> NDArray[np.float64]:
    """Return the changes of all ranks, best first (Eq. 19).

    Args:
        n: Number of agents that were ranked, at least 0.
        s_min: In [0, s_max].
        s_max: Finite.

    Returns:
        Shape (n,), non-increasing, summing to 0.

    Raises:
        ValueError: if n < 0, or 0 <= s_min <= s_max does not hold.
    """
    if n < 0:
        raise ValueError(f"n must not be negative, got {n}")
    changes = [allocation(rank, n, s_min=s_min, s_max=s_max) for rank in range(1, n + 1)]
    return np.array(changes, dtype=np.float64)


def tied_allocations(sizes: Sequence[int], *, s_min: float = 1.0, s_max: float = 3.0) -> NDArray[np.float64]:
    """Return the changes of groups of tied agents: the mean of what Eq. 19 gives the group's ranks.

    Args:
        sizes: How many agents each group has, the best group first; each at least 1.
        s_min: In [0, s_max].
        s_max: Finite.

    Returns:
        The change of each agent of a group, shape (groups,), non-increasing. Times the sizes they sum to 0; groups of
        one get what ``allocations`` gives.

    Raises:
        ValueError: if a group is empty, or 0 <= s_min <= s_max does not hold.

    Departs from the paper: Eq. 19 knows no ties.
    """
    if any(size < 1 for size in sizes):
        raise ValueError(f"each group must have at least 1 agent, got the sizes {list(sizes)}")
    changes = allocations(sum(sizes), s_min=s_min, s_max=s_max)
    parts = np.split(changes, np.cumsum(sizes)[:-1]) if sizes else []
    return np.array([math.fsum(part) / part.size for part in parts], dtype=np.float64)


def _checked(resources: ArrayLike) -> NDArray[np.float64]:
    amounts = np.asarray(resources, dtype=np.float64)
    if amounts.ndim != 1:
        raise ValueError(f"resources must have shape (n,), one amount per agent, got shape {amounts.shape}")
    if not np.isfinite(amounts).all():
        index = int(np.flatnonzero(~np.isfinite(amounts))[0])
        raise ValueError(f"resources must be finite, got {float(amounts[index])!r} for agent {index}")
    return amounts
