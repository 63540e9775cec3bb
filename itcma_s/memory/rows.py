"""Growing arrays, and a store of fields in them: the storage of long-term memory."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from itcma_s.fields.phenomenal_field import Field, FieldBatch


class Rows:
    """A growing array with amortised O(1) appending."""

    def __init__(self, width: tuple[int, ...], dtype: type[np.generic]) -> None:
        self._data: NDArray[Any] = np.zeros((0, *width), dtype=dtype)
        self.size = 0

    @property
    def view(self) -> NDArray[Any]:
        """The rows as a shared view, valid until the next change."""
        return self._data[: self.size]

    def extend(self, rows: NDArray[Any]) -> None:
        """Add rows at the end."""
        total = self.size + len(rows)
        if total > len(self._data):
            grown = np.zeros((max(64, total + total // 2), *self._data.shape[1:]), dtype=self._data.dtype)
            grown[: self.size] = self.view
            self._data = grown
        self._data[self.size : total] = rows
        self.size = total

    def append(self, row: float) -> None:
        """Add one row of one number."""
        self.extend(np.array([row], dtype=self._data.dtype))


class Runs:
    """Start and length of consecutive runs of rows."""

    def __init__(self) -> None:
        self._starts = Rows((), np.int64)
        self._counts = Rows((), np.int64)

    @property
    def starts(self) -> NDArray[np.int64]:
        """First row of each run."""
        return self._starts.view

    @property
    def counts(self) -> NDArray[np.int64]:
        """Number of rows of each run."""
        return self._counts.view

    def append(self, count: int) -> None:
        """Add a run of `count` rows at the end."""
        end = self._starts.view[-1] + self._counts.view[-1] if self._starts.size else 0
        self._starts.append(end)
        self._counts.append(count)


class FieldStore:
    """Stores fields in contiguous arrays, numbered in the order of adding."""

    def __init__(self) -> None:
        self._runs = Runs()
        self._ids = Rows((), np.int32)
        self._positions = Rows((3,), np.float64)

    def __getitem__(self, number: int) -> Field:
        rows = slice(start := int(self._runs.starts[number]), start + int(self._runs.counts[number]))
        ids, positions = self._ids.view[rows].copy(), self._positions.view[rows].copy()
        ids.flags.writeable = positions.flags.writeable = False
        return Field.trusted(ids, positions)

    @property
    def counts(self) -> NDArray[np.int64]:
        """Number of rows of each field."""
        return self._runs.counts

    @property
    def batch(self) -> FieldBatch:
        """All fields as one batch that shares the arrays, valid until the next change."""
        return FieldBatch(self._ids.view, self._positions.view, self._runs.starts, self._runs.counts)

    def append(self, field: Field) -> None:
        """Add a field; amortised O(its rows)."""
        self._runs.append(len(field))
        self._ids.extend(field.ids)
        self._positions.extend(field.positions)
