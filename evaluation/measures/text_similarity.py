"""Texts compared by what they mean."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from language_models.protocol import Embedder


def cosine_similarities(embedder: Embedder, text: str, others: Sequence[str]) -> NDArray[np.float64]:
    """Cosines of a text with others, each in [-1, 1]."""
    vectors = embedder.embed([text, *others]).astype(np.float64)
    cosines: NDArray[np.float64] = vectors[1:] @ vectors[0]
    return cosines


def share_below(value: float, others: ArrayLike) -> float:
    """The share of other values that lie below one, ties counting half (McGraw and Wong 1992).

    Args:
        value: The one.
        others: The others, in any order.

    Returns:
        In [0, 1], 0.5 by chance; not a number without others.
    """
    values = np.asarray(others, dtype=np.float64)
    # Cosines of the same two texts may differ in the last digits.
    ties = np.isclose(values, value, rtol=0, atol=1e-9)
    return float(((values < value) & ~ties).mean() + 0.5 * ties.mean()) if values.size else np.nan
