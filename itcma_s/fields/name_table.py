"""Names of objects and their embeddings: the N part of a phenomenal field's rows (Eq. 1 and 2)."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from language_models.prefetching import prefetch
from language_models.protocol import Embedder

IdArray: TypeAlias = NDArray[np.int32]
FloatArray: TypeAlias = NDArray[np.float32]

_SHORT_ROWS = 512
_DECIMALS = 5  # of a cosine: it is the same on every processor, whatever the order of its sums
EQUALLY = np.float32(1.5e-5)
"""Tolerance below which cosines count as tied. The last bit may put exact ties on either side of a rounding boundary,
one step of rounding apart."""


def most_alike(cosines: FloatArray) -> tuple[NDArray[np.int64], FloatArray]:
    """Return the most similar name for each row of cosines: the j of Eq. 4.

    Args:
        cosines: Shape (a, b), b at least 1, as ``NameTable.cosines`` gives them.

    Returns:
        The index among the b names, shape (a,), the first of ties within ``EQUALLY``, so that no last bit decides; and
        the largest cosine, shape (a,).
    """
    most: FloatArray = cosines.max(axis=1)
    return (cosines >= most[:, None] - EQUALLY).argmax(axis=1), most


class NameTable:
    """Table of distinct names and their unit vectors; elsewhere a name is its id, a row in this table.

    The cosines of all pairs are in a Gram matrix that grows with the names, so that comparing two fields is a look-up.
    Beyond ``gram_limit`` names it would cost more than it saves, and cosines are computed on demand.

    One class, since names, vectors and Gram matrix must be kept in step.

    Args:
        embedder: Turns names into vectors of unit length.
        gram_limit: The number of names up to which the Gram matrix is kept; 4096 names take 64 MiB.
    """

    def __init__(self, embedder: Embedder, *, gram_limit: int = 4096) -> None:
        if gram_limit < 0:
            raise ValueError(f"gram_limit must be at least 0, got {gram_limit}; 0 keeps no Gram matrix")
        self._embedder = embedder
        self._gram_limit = gram_limit
        self._clear()

    def _clear(self) -> None:
        self._names: list[str] = []
        self._index: dict[str, int] = {}
        self._batches: list[int] = []
        self._storage: FloatArray = np.empty((0, self._embedder.dimension), dtype=np.float32)
        self._gram: FloatArray = np.empty((0, 0), dtype=np.float32)

    def __len__(self) -> int:
        return len(self._names)

    def __contains__(self, name: object) -> bool:
        return name in self._index

    @property
    def names(self) -> tuple[str, ...]:
        """All names, in the order of their ids."""
        return tuple(self._names)

    @property
    def vectors(self) -> FloatArray:
        """The unit vectors, shape (len(table), dimension), float32, read-only."""
        view = self._storage[: len(self._names)]
        view.flags.writeable = False
        return view

    def ids(self, names: Iterable[str]) -> IdArray:
        """Return the ids of names; new names are embedded, in one batch.

        Args:
            names: Any names, repetitions allowed.

        Returns:
            Shape (len(names),), int32.

        Raises:
            ValueError: if a name is empty, or the embedder gives anything but one unit vector a name.
        """
        names = list(names)
        index = self._index
        if new := [name for name in names if name not in index]:
            self._add(list(dict.fromkeys(new)))
        return np.fromiter(map(index.__getitem__, names), dtype=np.int32, count=len(names))

    async def prefetch(self, names: Iterable[str]) -> None:
        """Fetch the vectors of new names concurrently, before they are added.

        Raises:
            ModelUnavailable: if they come from a server that gives none.
        """
        await prefetch(self._embedder, (name for name in names if name not in self._index))

    def name(self, id: int) -> str:
        """Return the name with the given id.

        Raises:
            IndexError: if there is none.
        """
        if not 0 <= id < len(self._names):
            raise IndexError(f"no name has id {id}, the table holds {len(self._names)} names; restore the table first")
        return self._names[id]

    def distinct(self, ids: IdArray) -> tuple[IdArray, NDArray[np.int64]]:
        """Return the distinct ids in ascending order and the inverse index: ``np.unique`` by look-up.

        Args:
            ids: Shape (a,); ids of the table.

        Returns:
            Shape (u,), int32, and shape (a,), int64.

        Raises:
            IndexError: if an id is not in the table.
        """
        self._check(ids)
        places = np.zeros(len(self._names), dtype=np.int64)
        places[ids] = 1
        unique = np.flatnonzero(places)
        places[unique] = np.arange(len(unique))
        return unique.astype(np.int32), places[ids]

    def names_of(self, ids: IdArray) -> tuple[str, ...]:
        """Return the names with the given ids, in order.

        Raises:
            IndexError: if an id is not in the table.
        """
        self._check(ids)
        return tuple(map(self._names.__getitem__, ids.tolist()))

    def cosines(self, ids_x: IdArray, ids_y: IdArray) -> FloatArray:
        """Return the cosine similarities of names, the Cosin of Eq. 4.

        Args:
            ids_x: Shape (a,).
            ids_y: Shape (b,).

        Returns:
            Shape (a, b), float32, in [0, 1]; exactly 1 for an id with itself.

        Raises:
            IndexError: if an id is not in the table.

        Departs from the paper: negative cosines are clipped at 0, so that similarities stay in [0, 1]; they are rounded
        to 5 decimals, so that names that are equally alike are so on every processor.
        """
        self._check(ids_x)
        self._check(ids_y)
        if self.has_gram and len(self._gram) <= _SHORT_ROWS:
            return self._gram.take(ids_x, axis=0).take(ids_y, axis=1)
        if self.has_gram:  # one by one: whole rows would be copied for a few numbers of each
            places: NDArray[np.int64] = np.add.outer(ids_x * np.int64(len(self._gram)), ids_y)
            return self._gram.ravel().take(places)
        return self._compute(ids_x, ids_y)

    def cosine_rows(self, ids: IdArray) -> FloatArray:
        """Return the cosine similarities of some names with every name of the table, as ``cosines``.

        Args:
            ids: Shape (a,).

        Returns:
            Shape (a, len(table)), float32.

        Raises:
            IndexError: if an id is not in the table.
        """
        self._check(ids)
        if self.has_gram:
            return self._gram[ids, : len(self._names)]
        return self._compute(ids, np.arange(len(self._names), dtype=np.int32))

    def fingerprint(self, count: int) -> str:
        """Return a fingerprint of the first `count` names: 16 hexadecimal digits of their SHA-256.

        Args:
            count: How many names, in [0, len(table)]; those added later do not change it.

        Raises:
            ValueError: if the table has fewer names.
        """
        if not 0 <= count <= len(self._names):
            raise ValueError(f"count must lie in [0, {len(self._names)}], the number of names, got {count}")
        return hashlib.sha256(json.dumps(self._names[:count]).encode()).hexdigest()[:16]

    def get_state(self) -> dict[str, Any]:
        """Return the names and their embedding batches as JSON-ready data, enough to rebuild the table."""
        return {"embedder": self._embedder.name, "names": list(self._names), "batches": list(self._batches)}

    def set_state(self, state: Mapping[str, Any]) -> None:
        """Rebuild the table from ``get_state``, with the same calls of the embedder in the same order.

        Raises:
            ValueError: if it was made with another embedder, or the names and batches do not agree.
        """
        names, batches = list(state["names"]), list(state["batches"])
        if state["embedder"] != self._embedder.name:
            raise ValueError(
                f"the names were embedded by {state['embedder']!r}, this table has {self._embedder.name!r}; "
                "use the same embedder"
            )
        if sum(batches) != len(names) or len(set(names)) != len(names) or any(size < 1 for size in batches):
            raise ValueError(f"{len(names)} names do not fit batches of {batches}; the state is damaged")
        self._clear()
        start = 0
        for size in batches:
            self._add(names[start : start + size])
            start += size

    @property
    def has_gram(self) -> bool:
        """Whether the cosines of all pairs are kept."""
        return len(self._names) <= self._gram_limit

    def _check(self, ids: IdArray) -> None:
        # As unsigned numbers, negative ids are too large as well.
        if ids.size and ids.view(np.uint32).max() >= len(self._names):
            raise IndexError(
                f"ids must lie in [0, {len(self._names)}), got {ids.min()} … {ids.max()}; "
                "a field belongs to the table it was made with"
            )

    def _compute(self, ids_x: IdArray, ids_y: IdArray) -> FloatArray:
        products: FloatArray = self._storage[ids_x] @ self._storage[ids_y].T
        np.maximum(products, np.float32(0.0), out=products)
        np.minimum(products, np.float32(1.0), out=products)
        np.round(products, _DECIMALS, out=products)
        np.putmask(products, ids_x[:, None] == ids_y, 1.0)
        return products

    def _add(self, new: Sequence[str]) -> None:
        for name in new:
            if not isinstance(name, str) or not name.strip():
                raise ValueError(f"a name must be a non-empty string, got {name!r}; name every object of the field")
        vectors = np.asarray(self._embedder.embed(new), dtype=np.float32)
        expected = (len(new), self._embedder.dimension)
        if vectors.shape != expected:
            raise ValueError(f"the embedder must return shape {expected}, got {vectors.shape}; one row a name")
        lengths = np.sqrt(np.einsum("ij,ij->i", vectors, vectors))
        if not np.all(np.abs(lengths - 1.0) < 1e-3):
            worst = int(np.argmax(np.abs(np.nan_to_num(lengths, nan=np.inf) - 1.0)))
            raise ValueError(
                f"the embedder must return vectors of length 1, got {float(lengths[worst]):g} for {new[worst]!r}; "
                "divide by the Euclidean norm"
            )
        old, total = len(self._names), len(self._names) + len(new)
        if total > len(self._storage):
            grown = np.zeros((max(64, 2 * total), self._embedder.dimension), dtype=np.float32)
            grown[:old] = self._storage[:old]
            self._storage = grown
        self._storage[old:total] = vectors
        self._index.update(zip(new, range(old, total), strict=True))
        self._names.extend(new)
        self._batches.append(len(new))
        if self.has_gram:
            self._grow_gram(old, total)
        else:
            self._gram = np.empty((0, 0), dtype=np.float32)

    def _grow_gram(self, old: int, total: int) -> None:
        """Extend the Gram matrix by a block of rows and, by symmetry, columns."""
        if total > len(self._gram):
            capacity = min(max(64, 2 * total), self._gram_limit)
            grown = np.zeros((capacity, capacity), dtype=np.float32)
            grown[:old, :old] = self._gram[:old, :old]
            self._gram = grown
        block = np.clip(self._storage[old:total] @ self._storage[:total].T, 0.0, 1.0).round(_DECIMALS)
        self._gram[old:total, :total] = block
        self._gram[:old, old:total] = block[:, :old].T
        corner = self._gram[old:total, old:total]
        corner[...] = np.maximum(corner, corner.T)
        np.fill_diagonal(corner, 1.0)
