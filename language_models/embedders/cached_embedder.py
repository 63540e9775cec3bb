"""Embedder with caches, which computes only texts that no cache holds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice
from threading import Lock

import numpy as np

from language_models.disk_error import DiskError
from language_models.embedders.embedding_cache import VARIABLE, EmbeddingCache
from language_models.embedders.unit_vectors import check_texts
from language_models.prefetching import prefetch
from language_models.protocol import Embedder, FloatArray, ModelUnavailable

MOST_KNOWN = 2**15
"""Most texts whose vectors stay in memory, about 100 MB; the oldest leave first, and remain in the caches."""

ALIKE = 0.99
"""Least cosine of two vectors of one text from the same model; servers round differently from call to call."""


class CachedEmbedder:
    """An embedder behind caches, loaded when a text is first missing from all of them.

    A server's model may have changed since a cache was filled. So the first text found in a cache is requested again
    together with the first missing one, and its two vectors are compared.

    Attributes:
        name: The embedder's name.
        model: Cache key of its vectors: its name and the hashes of its files.
    """

    def __init__(
        self,
        name: str,
        model: str,
        build: Callable[[], Embedder],
        caches: Sequence[EmbeddingCache] = (),
        *,
        elsewhere: bool = False,
    ) -> None:
        """Set the embedder and its caches; nothing is loaded.

        Args:
            name: The name of the embedder that `build` loads.
            model: Cache key that separates its vectors from those of other models.
            build: Loads the embedder.
            caches: Searched in this order; vectors found or computed are stored in all of them.
            elsewhere: Whether a server computes the vectors, so that `prefetch` can await them.
        """
        self.name = name
        self.model = model
        self._build = build
        self._caches = list(caches)
        self._optional: dict[EmbeddingCache, Callable[[DiskError], None]] = {}
        self._elsewhere = elsewhere
        self._embedder: Embedder | None = None
        self._witness: tuple[str, FloatArray] | None = None
        self._checked = not elsewhere
        self._known: dict[str, FloatArray] = {}
        self._lock = Lock()

    @property
    def dimension(self) -> int:
        """Length of a vector."""
        for cache in self._caches:
            if (dimension := cache.dimension(self.model)) is not None:
                return dimension
        return self.load().dimension

    def load(self) -> Embedder:
        """Return the embedder, loading it if necessary.

        Raises:
            Exception: whatever ``build`` raises.
        """
        if self._embedder is None:
            self._embedder = self._build()
        return self._embedder

    def add_cache(self, cache: EmbeddingCache, *, on_failure: Callable[[DiskError], None] | None = None) -> None:
        """Search this cache first from now on, and store all known vectors in it.

        Args:
            cache: The cache to read and to fill.
            on_failure: Called once if the cache fails, which is then no longer used. By default the failure is an
                error of the call that needs vectors.
        """
        with self._lock:
            self._caches.insert(0, cache)
            if on_failure is not None:
                self._optional[cache] = on_failure
            self._keep(cache, self._known)

    def remove_cache(self, cache: EmbeddingCache) -> None:
        """Stop using this cache."""
        with self._lock:
            self._caches.remove(cache)

    def embed(self, texts: Sequence[str]) -> FloatArray:
        """Return embeddings of shape (len(texts), dimension), float32, each row of length 1.

        Raises:
            ValueError: if texts is one string.
        """
        check_texts(texts)
        if not texts:
            return np.empty((0, self.dimension), dtype=np.float32)
        with self._lock:
            if fresh := [text for text in dict.fromkeys(texts) if text not in self._known]:
                self._known.update(self._fetch(fresh))
            vectors = np.array([self._known[text] for text in texts])
            for text in list(islice(self._known, max(0, len(self._known) - MOST_KNOWN))):
                del self._known[text]
            return vectors

    async def prefetch(self, texts: Iterable[str]) -> None:
        """Request the vectors of these texts from the server ahead of use.

        Raises:
            ModelUnavailable: if the server gives no vectors, or its model has changed.
        """
        if not self._elsewhere:
            return
        with self._lock:
            fresh = left = [text for text in dict.fromkeys(texts) if text not in self._known]
            for cache in [*self._caches]:
                here = self._find(cache, left)
                left = [text for text in left if text not in here]
        if left:
            await prefetch(self.load(), self._with_witness(left))
        self.embed(fresh)

    def close(self) -> None:
        """Close the embedder if it was loaded; the caller closes the caches."""
        if (close := getattr(self._embedder, "close", None)) is not None:
            close()

    def _fetch(self, texts: list[str]) -> dict[str, FloatArray]:
        """Read vectors from the caches, compute the rest, and add to each cache those that it lacked."""
        found: dict[str, FloatArray] = {}
        lacking: list[tuple[EmbeddingCache, list[str]]] = []
        for cache in [*self._caches]:
            if not (left := [text for text in texts if text not in found]):
                break
            here = self._find(cache, left)
            found.update(here)
            lacking.append((cache, [text for text in left if text not in here]))
        if left := [text for text in texts if text not in found]:
            found.update(zip(left, self._ask(left), strict=True))
        for cache, missing in lacking:
            if missing and cache in self._caches:
                self._keep(cache, {text: found[text] for text in missing})
        return found

    def _ask(self, texts: list[str]) -> FloatArray:
        """Compute the vectors of texts that no cache has.

        Raises:
            ModelUnavailable: if the model differs from the one that filled the caches.
        """
        vectors = self.load().embed(self._with_witness(texts))
        if self._witness is not None and not self._checked:
            text, kept = self._witness
            _check_alike(self.name, text, kept, vectors[-1])
            self._checked = True
        return vectors[: len(texts)]

    def _with_witness(self, texts: list[str]) -> list[str]:
        return texts if self._witness is None or self._checked else [*texts, self._witness[0]]

    def _find(self, cache: EmbeddingCache, texts: Sequence[str]) -> dict[str, FloatArray]:
        try:
            found = cache.find(self.model, texts)
        except DiskError as error:
            self._leave(cache, error)
            return {}
        if found and self._witness is None:
            self._witness = next(iter(found.items()))
        return found

    def _keep(self, cache: EmbeddingCache, vectors: Mapping[str, FloatArray]) -> None:
        try:
            cache.keep(self.model, vectors)
        except DiskError as error:
            self._leave(cache, error)

    def _leave(self, cache: EmbeddingCache, error: DiskError) -> None:
        """Stop using an optional cache that failed."""
        if cache not in self._optional:
            raise error
        self._caches.remove(cache)
        self._optional.pop(cache)(error)


def _check_alike(name: str, text: str, kept: FloatArray, fresh: FloatArray) -> None:
    """Check that two vectors of one text come from the same model.

    Raises:
        ModelUnavailable: if they are not.
    """
    if len(fresh) != len(kept):
        differs = f"{len(fresh)} numbers, and had {len(kept)}"
    elif (cosine := float(np.dot(fresh, kept))) < ALIKE:
        differs = f"a cosine of {cosine:.2f} with the one that was kept"
    else:
        return
    raise ModelUnavailable(
        f"{name} has another model than before: its vector of {text[:80]!r} has {differs}; have it serve that one "
        f"again, or begin a new run with the other one, under another name behind # or another folder as {VARIABLE}"
    )
