"""Similarity of texts by their embeddings."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from language_models.protocol import Embedder


def cosine_similarities(embedder: Embedder, text: str, others: Sequence[str]) -> NDArray[np.float64]:
    """Compute the cosines of a text with other texts.

    Args:
        embedder: Gives vectors of unit length.
        text: Any text.
        others: Texts.

    Returns:
        Shape (len(others),), in [-1, 1].
    """
    vectors = embedder.embed([text, *others]).astype(np.float64)
    cosines: NDArray[np.float64] = vectors[1:] @ vectors[0]
    return cosines


class TextSimilarity:
    """Cosine similarities of a set of texts embedded in one batch."""

    def __init__(self, embedder: Embedder, texts: Iterable[str]) -> None:
        """Embed texts in one batch.

        Args:
            embedder: Gives vectors of unit length.
            texts: All texts that are compared later; an empty one is similar to nothing.
        """
        listed = [text for text in dict.fromkeys(texts) if text.strip()]
        self._vectors = dict(zip(listed, embedder.embed(listed).astype(np.float64), strict=True)) if listed else {}

    def between(self, one: str, other: str) -> float:
        """Return the cosine of two of the texts.

        Args:
            one: One of the texts.
            other: One of the texts.

        Returns:
            In [-1, 1]; 0 if one is empty.
        """
        if one not in self._vectors or other not in self._vectors:
            return 0.0
        return float(self._vectors[one] @ self._vectors[other])

    def closest(self, ones: Iterable[str], others: Iterable[str]) -> float:
        """Return the largest cosine between texts of two groups.

        Args:
            ones: Some of the texts.
            others: Some of the texts.

        Returns:
            In [-1, 1]; -1 if there is no pair.
        """
        listed = list(others)
        return max((self.between(one, other) for one in ones for other in listed), default=-1.0)
