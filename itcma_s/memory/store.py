"""Storage of memories in contiguous arrays (section 3.2)."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from itcma_s.fields.name_table import NameTable
from itcma_s.fields.phenomenal_field import Field, FieldBatch
from itcma_s.fields.similarity import FieldWeights
from itcma_s.memory.memory import Memory
from itcma_s.memory.rows import FieldStore, Rows
from itcma_s.memory.sketch import Sketch

_NO_FIELD = Field.empty()


class MemoryStore:
    """Stores memories, each with its number in the order of storing as its id; adding one rebuilds nothing.

    Args:
        table: The name table, shared with the fields.
        weights: Weights of names and coordinates in the similarity that memories are sketched for.
        emotion_weight: How much emotional intensity adds to activation, >= 0.
    """

    def __init__(self, table: NameTable, weights: FieldWeights, emotion_weight: float) -> None:
        self._table = table
        self._weights = weights
        self._emotion_weight = emotion_weight
        self._records: list[Memory] = []
        self._factors = Rows((), np.float32)  # 1 + emotion_weight x weight
        self._emotions = Rows((), np.float64)  # the memory's weight
        self._times = Rows((), np.int64)
        self._fields = FieldStore()
        self._sketch = Sketch(self._table, self._weights)
        # By place, the (-last_time, first_time, id) of the memory that reaches latest.
        self._latest: dict[str, tuple[int, int, int]] = {}

    def __len__(self) -> int:
        return len(self._records)

    def __iter__(self) -> Iterator[Memory]:
        """Iterate over the memories in the order of their first time step."""
        return (self._memory(id) for id in self._ordered().tolist())

    def between(self, start: int, stop: int) -> list[Memory]:
        """Return the memories from index `start` up to, not including, index `stop`, by first time step."""
        return [self._memory(id) for id in self._ordered()[start:stop].tolist()]

    def fields(self) -> FieldBatch:
        """Return the fields of all memories, by first time step, sharing the arrays; valid until they change."""
        return self._fields.batch.take(self._ordered())

    def append(self, memory: Memory) -> int:
        """Add a memory; amortised O(the rows of its field).

        Args:
            memory: Any memory; its own id does not matter.

        Returns:
            Its id in this store.

        Raises:
            ValueError: if a name of its field is not in the table.
        """
        field, id = memory.field, len(self)
        if len(field) and field.ids.max() >= len(self._table):
            raise ValueError(
                f"a name of the field has id {field.ids.max()}, the table holds {len(self._table)} names; "
                "make the field with the memory's own table"
            )
        self._records.append(memory.stored(id, _NO_FIELD))
        self._factors.append(1.0 + self._emotion_weight * memory.weight)
        self._emotions.append(memory.weight)
        self._times.append(memory.first_time)
        self._fields.append(field)
        self._sketch.append(field)
        reached = (-memory.last_time, memory.first_time, id)
        self._latest[memory.place] = min(reached, self._latest.get(memory.place, reached))
        return id

    def last_seen(self, place: str) -> Field | None:
        """Return the field of the latest memory of a place, the first on ties; None without any."""
        return self._fields[self._latest[place][2]] if place in self._latest else None

    def _all(self) -> NDArray[np.int64]:
        """Return all ids."""
        return np.arange(len(self))

    def _ordered(self) -> NDArray[np.int64]:
        """Return all ids, by first time step, then in the order of storing."""
        return np.argsort(self._times.view, kind="stable")

    def _memory(self, id: int) -> Memory:
        return self._records[id].stored(id, self._fields[id])
