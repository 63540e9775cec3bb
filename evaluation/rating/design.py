"""Who rates what, and in which order: Latin squares, so that order tells nothing about what is rated."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

IntArray: TypeAlias = NDArray[np.int64]


def williams(n: int) -> IntArray:
    """A Williams design: every treatment stands at every place equally often, and follows every other equally often.

    E. J. Williams (1949), Experimental designs balanced for the estimation of residual effects of treatments,
    Australian Journal of Scientific Research A 2, 149-168.

    Args:
        n: How many treatments, at least 1.

    Returns:
        Shape (n, n) for even n and for n = 1, and (2n, n) for other odd n, where one Latin square cannot do it. A row
        is an order. Each block of n rows is a Latin square.

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
    """An order of n treatments for each rater.

    Raters go through the rows of a Williams design, again and again. Chance decides which treatment is which letter of
    the design, and which rater of a Latin square has which of its rows.

    Args:
        n: How many treatments, at least 1.
        raters: How many raters.
        rng: Where the chance comes from.

    Returns:
        Shape (raters, n). After any number of raters the counts of a treatment at the n places differ by at most 1.
        They are equal when ``raters`` is a multiple of n, and so are the counts of who follows whom when it is a
        multiple of the rows of ``williams(n)``.
    """
    rows, letters = williams(n), rng.permutation(n)
    squares = -(-raters // n)
    blocks = [rng.permutation(n) + (square * n) % len(rows) for square in range(squares)]
    picked = np.concatenate(blocks)[:raters] if blocks else np.empty(0, dtype=np.int64)
    orders: IntArray = letters[rows[picked]].astype(np.int64)
    return orders


def deal(n: int, raters: int, rng: np.random.Generator) -> IntArray:
    """One of n things for each rater, each given out equally often, or once more than the others.

    Returns:
        Shape (raters,), values in [0, n).
    """
    dealt: IntArray = rng.permutation(np.arange(raters, dtype=np.int64) % n)
    return dealt


def place_counts(orders: IntArray) -> IntArray:
    """How often each treatment stands at each place: shape (n, n), treatment by place."""
    n = orders.shape[1]
    return np.stack([np.bincount(orders[:, place], minlength=n) for place in range(n)], axis=1)


def succession_counts(orders: IntArray) -> IntArray:
    """How often one treatment is followed at once by another: shape (n, n), first by second."""
    n = orders.shape[1]
    counts = np.zeros((n, n), dtype=np.int64)
    np.add.at(counts, (orders[:, :-1].ravel(), orders[:, 1:].ravel()), 1)
    return counts
