"""Order of presentation: Latin squares that balance order and carry-over effects over raters."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

IntArray: TypeAlias = NDArray[np.int64]


def williams(n: int) -> IntArray:
    """Build a Williams design: each treatment is at each position, and follows each other one, equally often.

    E. J. Williams (1949), Experimental designs balanced for the estimation of residual effects of treatments,
    Australian Journal of Scientific Research A 2, 149-168.

    Args:
        n: Number of treatments, at least 1.

    Returns:
        One order per row, shape (n, n) for even n and n = 1, and (2n, n) for other odd n. Each block of n rows is a
        Latin square.

    Raises:
        ValueError: if n is below 1.
    """
    if n < 1:
        raise ValueError(f"a design needs at least 1 treatment, got {n}")
    # 0, 1, n-1, 2, n-2, ...: the differences between neighbours are all different.
    first = np.array([(place + 1) // 2 if place % 2 else -(place // 2) for place in range(n)], dtype=np.int64) % n
    square = (first[None, :] + np.arange(n, dtype=np.int64)[:, None]) % n
    return square if n % 2 == 0 or n == 1 else np.vstack([square, square[:, ::-1]])


def balanced_orders(n: int, raters: int, rng: np.random.Generator) -> IntArray:
    """Draw an order of n treatments for each rater, balanced over raters.

    Raters cycle through the rows of a Williams design; treatments and rows within a Latin square are randomised.

    Args:
        n: Number of treatments, at least 1.
        raters: Number of raters.
        rng: Random generator.

    Returns:
        Shape (raters, n). Counts of a treatment at the n positions differ by at most 1; they are equal if ``raters`` is
        a multiple of n, and carry-over is balanced if it is a multiple of the rows of ``williams(n)``.
    """
    rows, letters = williams(n), rng.permutation(n)
    squares = -(-raters // n)
    blocks = [rng.permutation(n) + (square * n) % len(rows) for square in range(squares)]
    picked = np.concatenate(blocks)[:raters] if blocks else np.empty(0, dtype=np.int64)
    orders: IntArray = letters[rows[picked]].astype(np.int64)
    return orders


def deal(n: int, raters: int, rng: np.random.Generator) -> IntArray:
    """Assign one of n things to each rater; the counts of things differ by at most 1.

    Args:
        n: Number of things, at least 1.
        raters: Number of raters.
        rng: Random generator.

    Returns:
        Shape (raters,), values in [0, n).
    """
    dealt: IntArray = rng.permutation(np.arange(raters, dtype=np.int64) % n)
    return dealt
