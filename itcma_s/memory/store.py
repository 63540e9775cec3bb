"""Storage of memories in contiguous arrays, one memory per slot (section 3.2)."""

from __future__ import annotations

import heapq
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
    """Stores memories in the order of their first time step; adding and evicting rebuild nothing.

    One class, since adding, finding and forgetting must keep the same arrays in step.

    Args:
        table: The name table, shared with the fields.
        weights: Weights of names and coordinates in the similarity that memories are sketched for.
        emotion_weight: How much emotional intensity adds to activation, >= 0.
    """

    def __init__(self, table: NameTable, weights: FieldWeights, emotion_weight: float) -> None:
        self._table = table
        self._weights = weights
        self._emotion_weight = emotion_weight
        self._next_id = 0
        # A slot holds one memory, or None after its eviction. Slots and all arrays are in the order of storing.
        self._records: list[Memory | None] = []
        self._slots: dict[int, int] = {}
        self._factors = Rows((), np.float32)  # 1 + emotion_weight x weight; 0 in an empty slot
        self._emotions = Rows((), np.float64)  # the memory's weight
        self._times = Rows((), np.int64)
        self._fields = FieldStore()
        self._sketch = Sketch(self._table, self._weights)
        # By place, a heap of (-last_time, first_time, id); evicted entries are dropped when they reach the top.
        self._latest: dict[str, list[tuple[int, int, int]]] = {}

    def __len__(self) -> int:
        return len(self._slots)

    def __contains__(self, id: object) -> bool:
        return id in self._slots

    def __iter__(self) -> Iterator[Memory]:
        """Iterate over the memories in the order of their first time step."""
        return (self._memory(slot) for slot in self._ordered().tolist())

    def between(self, start: int, stop: int) -> list[Memory]:
        """Return the memories from index `start` up to, not including, index `stop`."""
        return [self._memory(slot) for slot in self._ordered()[start:stop].tolist()]

    def get(self, id: int) -> Memory:
        """Return the memory with the given id.

        Raises:
            KeyError: if there is none.
        """
        return self._memory(self._slot(id))

    def fields(self) -> FieldBatch:
        """Return the fields of all memories, in order, sharing the arrays; valid until they change."""
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
        return self._store(memory, self._next_id)

    def evict(self, id: int) -> None:
        """Forget a memory; amortised O(1).

        Raises:
            KeyError: if there is none with this id.
        """
        slot = self._slot(id)
        del self._slots[id]
        self._records[slot] = None
        self._factors.view[slot] = 0.0
        if len(self._records) > max(64, 2 * len(self._slots)):
            self._compact()

    def last_seen(self, place: str) -> Field | None:
        """Return the field of the latest memory of a place, the first on ties; None without any."""
        heap = self._latest.get(place, [])
        while heap and heap[0][2] not in self._slots:
            heapq.heappop(heap)
        return self._fields[self._slots[heap[0][2]]] if heap else None

    def _alive(self) -> NDArray[np.int64]:
        """Return the slots that hold a memory, in the order of storing."""
        return np.flatnonzero(self._factors.view > 0.0)

    def _ordered(self) -> NDArray[np.int64]:
        """Return the slots that hold a memory, by first time step, then by the order of storing."""
        slots = self._alive()
        times = self._times.view[slots]
        return slots[np.argsort(times, kind="stable")] if (times[1:] < times[:-1]).any() else slots

    def _slot(self, id: int) -> int:
        if id not in self._slots:
            raise KeyError(f"no memory has id {id}; it was evicted, or never stored")
        return self._slots[id]

    def _memory(self, slot: int) -> Memory:
        record = self._records[slot]
        assert record is not None
        return record.stored(record.id, self._fields[slot])

    def _store(self, memory: Memory, id: int) -> int:
        """Put a memory into a new slot."""
        field = memory.field
        if len(field) and field.ids.max() >= len(self._table):
            raise ValueError(
                f"a name of the field has id {field.ids.max()}, the table holds {len(self._table)} names; "
                "make the field with the memory's own table"
            )
        self._next_id = id + 1
        self._slots[id] = len(self._records)
        self._records.append(memory.stored(id, _NO_FIELD))
        self._factors.append(1.0 + self._emotion_weight * memory.weight)
        self._emotions.append(memory.weight)
        self._times.append(memory.first_time)
        self._fields.append(field)
        self._sketch.append(field)
        self._place(memory, id)
        return id

    def _place(self, memory: Memory, id: int) -> None:
        heapq.heappush(self._latest.setdefault(memory.place, []), (-memory.last_time, memory.first_time, id))

    def _compact(self) -> None:
        """Close the gaps that evicted memories left; the copy is amortised over the evictions."""
        alive = self._alive()
        for stored in (self._fields, self._sketch, self._factors, self._emotions, self._times):
            stored.keep(alive)
        self._records = [self._records[slot] for slot in alive.tolist()]
        self._slots, self._latest = {}, {}
        for slot, record in enumerate(self._records):
            if record is not None:
                self._slots[record.id] = slot
                self._place(record, record.id)
