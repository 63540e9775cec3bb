"""Embedder of hashed character n-grams, which needs no model."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np

from language_models.embedders.unit_vectors import check_texts, unit_rows
from language_models.protocol import FloatArray


class HashEmbedder:
    """Hashes character n-grams, so that texts with similar spelling get similar vectors; meaning is ignored.

    For tests and runs without weights. Each n-gram of the lower-cased text, with marks at its ends, adds 1 or -1 at a
    place that its hash names; counts are scaled to length 1.

    Attributes:
        name: Name in manifests.
        dimension: Length of a vector.
    """

    def __init__(self, dimension: int = 256, *, sizes: Sequence[int] = (2, 3, 4)) -> None:
        """Set the length of the vectors and of the n-grams.

        Args:
            dimension: Length of a vector, at least 1.
            sizes: Lengths of the n-grams in characters, at least one, each at least 1.

        Raises:
            ValueError: if the dimension or a size is below 1, or there is no size.
        """
        if dimension < 1:
            raise ValueError(f"dimension must be at least 1, got {dimension}")
        if not sizes or min(sizes) < 1:
            raise ValueError(f"sizes must be lengths of n-grams, at least 1 each, got {list(sizes)}")
        self.name = f"hash-{dimension}"
        self.dimension = dimension
        self._places = [_Places(size, dimension) for size in sizes]
        self._known: dict[str, FloatArray] = {}

    def embed(self, texts: Sequence[str]) -> FloatArray:
        """Return embeddings of shape (len(texts), dimension), float32, each row of length 1."""
        check_texts(texts)
        if not texts:
            return np.empty((0, self.dimension), dtype=np.float32)
        if fresh := [text for text in dict.fromkeys(texts) if text not in self._known]:
            self._known.update(zip(fresh, self._compute(fresh), strict=True))
        return np.array([self._known[text] for text in texts])

    def _compute(self, texts: list[str]) -> FloatArray:
        both = np.array([np.bincount(self._counted_at(text), minlength=2 * self.dimension) for text in texts])
        counts = both[:, : self.dimension] - both[:, self.dimension :]
        counts[~counts.any(axis=1), 0] = 1  # All n-grams cancelled each other out.
        return unit_rows(counts)

    def _counted_at(self, text: str) -> list[int]:
        marked = f"\x02{text.lower()}\x03"
        return [
            places[marked[start : start + places.size]]
            for places in self._places
            for start in range(max(1, len(marked) - places.size + 1))
        ]


class _Places(dict[str, int]):
    """Maps each n-gram of one length to a bucket; buckets from `dimension` on count as -1."""

    def __init__(self, size: int, dimension: int) -> None:
        super().__init__()
        self.size, self._dimension = size, dimension

    def __missing__(self, gram: str) -> int:
        text = f"{self.size}:{gram}".encode("utf-8", "surrogatepass")
        number = int.from_bytes(hashlib.blake2b(text, digest_size=8).digest(), "big")
        place = self[gram] = (number >> 1) % self._dimension + (0 if number & 1 else self._dimension)
        return place
