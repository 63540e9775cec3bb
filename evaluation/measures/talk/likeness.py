"""How alike texts are, with each text embedded once."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from language_models.protocol import Embedder


class Likeness:
    """Cosines of texts that were embedded together."""

    def __init__(self, embedder: Embedder, texts: Iterable[str]) -> None:
        """Embed texts in one go, each once; an empty one is like nothing."""
        listed = [text for text in dict.fromkeys(texts) if text.strip()]
        self._vectors = dict(zip(listed, embedder.embed(listed).astype(np.float64), strict=True)) if listed else {}

    def between(self, one: str, other: str) -> float:
        """The cosine of two of the texts, in [-1, 1]; 0 with an empty one."""
        if one not in self._vectors or other not in self._vectors:
            return 0.0
        return float(self._vectors[one] @ self._vectors[other])

    def closest(self, ones: Iterable[str], others: Iterable[str]) -> float:
        """The largest cosine between one of the first and one of the second; -1 where there is none."""
        listed = list(others)
        return max((self.between(one, other) for one in ones for other in listed), default=-1.0)
