"""Long-term memory: what is remembered, and what of it the present activates (section 3.2, the M of Eq. 5 and 6)."""

from __future__ import annotations

import base64
import heapq
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from itcma_s.channel import Frame
from itcma_s.emotion import check_emotion, check_finite, check_range, linear_weights
from itcma_s.names import IdArray, NameTable
from itcma_s.phenomenal_field import (
    DEFAULT_WEIGHTS,
    Field,
    FieldBatch,
    Weights,
    similarity_to_many,
    spherical_similarity,
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Memory:
    """One memory: a frame, or a segment of frames compressed into one.

    Attributes:
        id: Its number in long-term memory, never used twice; -1 outside of it.
        first_time: Time step of its first frame.
        last_time: Time step of its last frame, at least first_time.
        place: Where it was.
        field: What the resident had before it.
        actions: What it did.
        results: The world's answer to each action.
        said: What was said, in short.
        weight: Emotional intensity |PAD| at the (key) frame, in [0, sqrt(3)).
        arousal: Arousal at the (key) frame, in (-1, 1).
        frames: How many frames it stands for, at least 1.

    Raises:
        ValueError: if a value lies outside its range, or actions and results are not as many.
    """

    id: int = -1
    first_time: int
    last_time: int
    place: str
    field: Field
    actions: tuple[str, ...] = ()
    results: tuple[str, ...] = ()
    said: tuple[str, ...] = ()
    weight: float = 0.0
    arousal: float = 0.0
    frames: int = 1

    def __post_init__(self) -> None:
        if not 0 <= self.first_time <= self.last_time:
            raise ValueError(
                f"a memory's times must be in order from 0 on, got {self.first_time} to {self.last_time}; "
                "compress frames oldest first"
            )
        if len(self.actions) != len(self.results):
            raise ValueError(
                f"each action needs one result, got {len(self.actions)} actions and {len(self.results)} results; "
                "use an empty string where the result is not known"
            )
        check_range("weight", self.weight, 0.0, math.sqrt(3.0), "use emotional_intensity to compute it")
        check_emotion("arousal", self.arousal)
        if self.frames < 1:
            raise ValueError(f"a memory stands for at least 1 frame, got {self.frames}; do not store empty ones")

    @classmethod
    def from_frame(cls, frame: Frame) -> Memory:
        """The memory of a single frame, nothing compressed."""
        return cls(
            first_time=frame.time,
            last_time=frame.time,
            place=frame.place,
            field=frame.field,
            actions=(frame.action,) if frame.action else (),
            results=(frame.result,) if frame.action else (),
            said=frame.said,
            weight=frame.intensity,
            arousal=frame.arousal,
        )

    def result_of(self, action: str) -> str | None:
        """The world's answer to an action; None when it was not done here."""
        return self.results[self.actions.index(action)] if action in self.actions else None


class _Rows:
    """A growing array: appending is amortised O(1)."""

    def __init__(self, width: tuple[int, ...], dtype: type[np.generic]) -> None:
        self._data: NDArray[Any] = np.zeros((0, *width), dtype=dtype)
        self.size = 0

    @property
    def view(self) -> NDArray[Any]:
        return self._data[: self.size]

    def extend(self, rows: NDArray[Any]) -> None:
        total = self.size + len(rows)
        if total > len(self._data):
            grown = np.zeros((max(64, total + total // 2), *self._data.shape[1:]), dtype=self._data.dtype)
            grown[: self.size] = self.view
            self._data = grown
        self._data[self.size : total] = rows
        self.size = total

    def append(self, row: float) -> None:
        self.extend(np.array([row], dtype=self._data.dtype))

    def keep(self, rows: NDArray[Any]) -> None:
        kept = self.view[rows]
        self.size = len(kept)
        self._data[: self.size] = kept


class _Sketch:
    """Foretells how alike the present and every memory are, by one look-up for each row remembered.

    A row is sketched as its name and the cell of space that it lies in. For a query, a table tells for each name and
    cell what such a row adds to the sum of Eq. 4 when the rows of the same name match, which they do nearly always.
    That sum is exact but for the size of the cells and for names of the present that a memory lacks: each counts as a
    middling match.
    """

    GAMMA, THETA, PHI = 16, 4, 16  # cells per coordinate
    CELLS = GAMMA * THETA * PHI
    STEP = 0.27  # of log(1 + gamma): cells grow from 0.3 m at the resident to 18 m at 57 m, the last one is open

    def __init__(self, table: NameTable, weights: Weights) -> None:
        self._table = table
        self._weights = weights
        self._gamma = np.expm1((np.arange(self.GAMMA) + 0.5) * self.STEP)
        self._theta = (np.arange(self.THETA) + 0.5) * (math.pi / self.THETA)
        self._phi = (np.arange(self.PHI) + 0.5) * (2.0 * math.pi / self.PHI)

    def sketch(self, field: Field) -> tuple[IdArray, NDArray[np.int16]]:
        """Names and cells of a field's rows, the first of each name; one row of name -1 for an empty field."""
        if not len(field):
            return np.full(1, -1, dtype=np.int32), np.zeros(1, dtype=np.int16)
        ids, first = np.unique(field.ids, return_index=True)
        theta, phi, gamma = field.positions[first].T
        cells = np.minimum(np.log1p(gamma) / self.STEP, self.GAMMA - 1).astype(np.int16)
        cells = cells * self.THETA + np.minimum(theta * (self.THETA / math.pi), self.THETA - 1).astype(np.int16)
        cells = cells * self.PHI + np.minimum(phi * (self.PHI / (2.0 * math.pi)), self.PHI - 1).astype(np.int16)
        return ids, cells

    def scores(
        self,
        channel: Sequence[Field],
        frame_weights: NDArray[np.float64],
        ids: IdArray,
        cells: NDArray[np.int16],
        starts: NDArray[np.int64],
        counts: NDArray[np.int64],
    ) -> NDArray[np.float32]:
        """Foretold similarities to a channel.

        Args:
            channel: The present's fields.
            frame_weights: Their weights, summing to 1.
            ids: Names of all sketched rows, memory by memory.
            cells: Their cells.
            starts: Shape (m,): first sketched row of each memory.
            counts: Shape (m,): number of rows of each memory's field.

        Returns:
            Shape (m,), float32.
        """
        query = FieldBatch.of(channel)
        rows = float(frame_weights @ query.counts)
        if not len(query.ids):
            alike: NDArray[np.float32] = (counts == 0).astype(np.float32)
            return alike
        omega = self._weights
        of_row = np.repeat(frame_weights, query.counts)
        order = np.argsort(query.ids, kind="stable")
        unique, first = np.unique(query.ids[order], return_index=True)
        theta, phi, gamma = query.positions[order].T[:, :, None]
        share = (of_row[order] * (omega.omega_position / 3.0))[:, None]
        azimuth = np.abs(phi - self._phi)
        if omega.wrap_azimuth:
            azimuth = np.minimum(azimuth, 2.0 * math.pi - azimuth)
        losses = (
            np.tanh(np.abs(gamma - self._gamma)) * (omega.omega_gamma * share),
            np.abs(theta - self._theta) * (omega.omega_theta / math.pi * share),
            azimuth * (omega.omega_phi / (2.0 * math.pi) * share),
        )
        lost = [np.add.reduceat(loss, first, axis=0).astype(np.float32) for loss in losses]
        present = np.add.reduceat(of_row[order], first)
        # A name that a memory lacks will match another there; the next best matches in the present tell how well.
        cosines = self._table.cosines(unique, unique)
        np.fill_diagonal(cosines, 0.0)
        second = cosines.argmax(axis=1)
        place = query.positions[order][first]
        apart = spherical_similarity(place, place[second], *omega.coordinates, wrap_azimuth=omega.wrap_azimuth)
        missing = omega.omega_name * float(cosines.max(axis=1).mean()) + omega.omega_position * float(apart.mean())
        # A block of cells that are 0 for all other names, then one for each name of the query.
        table = np.zeros((1 + len(unique), self.GAMMA, self.THETA * self.PHI), dtype=np.float32)
        angles = (lost[1][:, :, None] + lost[2][:, None, :]).reshape(len(unique), 1, -1)
        gain = (present * (1.0 - missing)).astype(np.float32)[:, None]
        np.subtract((gain - lost[0])[:, :, None], angles, out=table[1:])
        block = np.zeros(len(self._table) + 1, dtype=np.int32)  # the last for the name -1
        block[unique] = np.arange(1, len(unique) + 1, dtype=np.int32) * self.CELLS
        index = block[ids]
        index += cells
        sums: NDArray[np.float32] = np.add.reduceat(table.reshape(-1).take(index, mode="clip"), starts)
        sums += np.float32(missing * rows)
        sums /= np.maximum(counts, rows).astype(np.float32)
        return sums


class LongTermMemory:
    """All memories of a resident, and their activation by the present.

    Activation runs in two stages. Coarse: every remembered row is looked up in a table made from the present, which
    foretells FieldSim (Eq. 4) closely. Exact: FieldSim for a shortlist of the best. Fields lie in contiguous arrays;
    nothing is rebuilt when a memory is added, replaced or evicted. Memories are in the order of their first time step.

    Args:
        table: Where names stand; shared with the fields.
        weights: Weights of names and coordinates in the similarity.
        emotion_weight: How much emotional intensity adds to activation, >= 0.
        shortlist: How many memories are compared exactly, at least 1; one in a thousand where that is more.
        capacity: The number of memories beyond which the weakest (the one stored first, on ties) is evicted; None for
            no end.

    Raises:
        ValueError: if a parameter lies outside its range.
    """

    def __init__(
        self,
        table: NameTable,
        *,
        weights: Weights = DEFAULT_WEIGHTS,
        emotion_weight: float = 0.2,
        shortlist: int = 32,
        capacity: int | None = None,
    ) -> None:
        check_range(
            "emotion_weight", check_finite("emotion_weight", emotion_weight), 0.0, math.inf, "0 ignores emotion"
        )
        if shortlist < 1:
            raise ValueError(f"shortlist must be at least 1, got {shortlist}; at least one memory is compared exactly")
        if capacity is not None and capacity < 1:
            raise ValueError(f"capacity must be at least 1, got {capacity}; None keeps every memory")
        self._table = table
        self._weights = weights
        self._emotion_weight = emotion_weight
        self._shortlist = shortlist
        self._capacity = capacity
        self._sketch = _Sketch(table, weights)
        self._clear()

    def _clear(self) -> None:
        self._next_id = 0
        # A slot holds one memory, or none any more. Slots are in the order of storing, and so are all rows.
        self._records: list[Memory | None] = []
        self._slots: dict[int, int] = {}
        self._factors = _Rows((), np.float32)  # 1 + emotion_weight x weight; 0 in an empty slot
        self._starts = _Rows((), np.int64)
        self._counts = _Rows((), np.int64)
        self._ids = _Rows((), np.int32)
        self._positions = _Rows((3,), np.float64)
        self._sketch_starts = _Rows((), np.int64)
        self._sketch_ids = _Rows((), np.int32)
        self._sketch_cells = _Rows((), np.int16)
        self._done: dict[tuple[str, str], list[int]] = {}
        self._weakest: list[tuple[float, int]] = []  # a heap, kept only when there is a capacity

    def __len__(self) -> int:
        return len(self._slots)

    def __contains__(self, id: object) -> bool:
        return id in self._slots

    def __iter__(self) -> Iterator[Memory]:
        """The memories in their order."""
        return (self._memory(slot) for slot in self._ordered())

    def get(self, id: int) -> Memory:
        """The memory with an id.

        Raises:
            KeyError: if there is none.
        """
        return self._memory(self._slot(id))

    def fields(self) -> FieldBatch:
        """The fields of all memories, in their order; shares the memory's arrays."""
        return self._batch.take(np.array(self._ordered(), dtype=np.int64))

    def append(self, memory: Memory) -> int:
        """Add a memory; amortised O(1), or O(log n) when there is a capacity.

        Args:
            memory: Any memory; its own id does not matter.

        Returns:
            Its id in here.

        Raises:
            ValueError: if a name of its field is not in the table.
        """
        id = self._store(memory, self._next_id)
        while self._capacity is not None and len(self._slots) > self._capacity:
            weakest = heapq.heappop(self._weakest)[1]
            if weakest in self._slots:
                self.evict(weakest)
        return id

    def replace(self, ids: Sequence[int], memory: Memory) -> int:
        """Put one memory into the place of others, as compression does.

        Args:
            ids: The memories that it replaces, at least one.
            memory: What replaces them; it is ordered by its first time step, as they were.

        Returns:
            Its id, a new one.

        Raises:
            ValueError: if there is no id, one occurs twice, or a name of the field is not in the table.
            KeyError: if there is no memory with one of the ids.
        """
        if not ids or len(set(ids)) != len(ids):
            raise ValueError(f"ids must be distinct and at least one, got {list(ids)}; append what replaces nothing")
        for id in ids:
            self._slot(id)
        self._check(memory.field)
        for id in ids:
            self.evict(id)
        return self.append(memory)

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

    def last_done(self, place: str, action: str) -> Memory | None:
        """The memory, stored last, in which an action was done in a place; None when it never was."""
        ids = self._done.get((place, action), [])
        while ids and ids[-1] not in self._slots:
            ids.pop()
        return self.get(ids[-1]) if ids else None

    def activate(
        self, primal_impression: Field, retention: Sequence[Field] = (), *, top: int = 1
    ) -> list[tuple[Memory, float]]:
        """The memories that the present calls up, M(PI^t, Re^t) (Eq. 5 and 6).

        activation = (sum over the frames n = 1 … t of the channel of w_n FieldSim(f_n, memory)) (1 + omega |PAD|), with
        omega the ``emotion_weight`` and w_n = 2n / (t (t + 1)), so that the primal impression, the last, weighs most.

        Args:
            primal_impression: PI^t.
            retention: Re^t, oldest first.
            top: How many memories at most, at least 1.

        Returns:
            Memories and their activations, >= 0, the strongest first, the earliest first on ties; empty when nothing is
            remembered.

        Raises:
            ValueError: if top is below 1.

        Departs from the paper: it names M without a formula, and says that the index is weighted by the emotional
        intensity at the time. The product, and the weighted sum over the channel, after Eq. 11, are this project's.
        """
        if top < 1:
            raise ValueError(f"top must be at least 1, got {top}; it is how many memories are called up")
        channel = [*retention, primal_impression]
        return self._strongest(channel, self._candidates(channel, max(self._shortlist, top, len(self) // 1000)), top)

    def activate_exhaustively(
        self, primal_impression: Field, retention: Sequence[Field] = (), *, top: int = 1
    ) -> list[tuple[Memory, float]]:
        """The definition of ``activate``: every memory is compared exactly. Slow."""
        slots = np.array(sorted(self._slots.values()), dtype=np.int64)
        return self._strongest([*retention, primal_impression], slots, top)

    def get_state(self) -> dict[str, Any]:
        """A JSON-ready dictionary; ids of names are those of the table, whose state is to be restored first.

        Rows are written as base64 of little-endian int32 (names) and float64 (positions), so that they are exact.
        """
        slots = np.array(sorted(self._slots.values()), dtype=np.int64)
        names = [field.name for field in fields(Memory) if field.name != "field"]
        rows = _row_indices(self._starts.view[slots], self._counts.view[slots])
        return {
            "next_id": self._next_id,
            "rows": self._counts.view[slots].tolist(),
            "memories": [{name: _plain(getattr(self._records[slot], name)) for name in names} for slot in slots],
            "ids": base64.b64encode(self._ids.view[rows].astype("<i4").tobytes()).decode("ascii"),
            "positions": base64.b64encode(self._positions.view[rows].astype("<f8").tobytes()).decode("ascii"),
        }

    def set_state(self, state: Mapping[str, Any]) -> None:
        """Restore what ``get_state`` described, after any JSON round trip; activations are the same as before.

        Raises:
            ValueError: if the rows do not fit the memories.
        """
        ids = np.frombuffer(base64.b64decode(state["ids"]), dtype="<i4").astype(np.int32)
        positions = np.frombuffer(base64.b64decode(state["positions"]), dtype="<f8").astype(np.float64).reshape(-1, 3)
        counts = state["rows"]
        if not (len(counts) == len(state["memories"]) and sum(counts) == len(ids) == len(positions)):
            raise ValueError(
                f"{len(state['memories'])} memories of {sum(counts)} rows do not fit {len(ids)} names and "
                f"{len(positions)} positions; the state is damaged"
            )
        self._clear()
        start = 0
        for entry, count in zip(state["memories"], counts, strict=True):
            rows = slice(start, start + count)
            values: dict[str, Any] = {
                key: tuple(value) if isinstance(value, list) else value for key, value in entry.items()
            }
            self._store(Memory(**values, field=Field(ids[rows], positions[rows])), values["id"])
            start += count
        self._next_id = state["next_id"]

    @property
    def _batch(self) -> FieldBatch:
        return FieldBatch(self._ids.view, self._positions.view, self._starts.view, self._counts.view)

    def _ordered(self) -> list[int]:
        records = ((slot, self._records[slot]) for slot in self._slots.values())
        return [key[2] for key in sorted((m.first_time, m.id, slot) for slot, m in records if m is not None)]

    def _slot(self, id: int) -> int:
        if id not in self._slots:
            raise KeyError(f"no memory has id {id}; it was compressed into another, evicted, or never stored")
        return self._slots[id]

    def _memory(self, slot: int) -> Memory:
        record = self._records[slot]
        assert record is not None
        return _with(record, record.id, self._batch[slot])

    def _check(self, field: Field) -> None:
        if len(field) and field.ids.max() >= len(self._table):
            raise ValueError(
                f"a name of the field has id {field.ids.max()}, the table holds {len(self._table)} names; "
                "make the field with the memory's own table"
            )

    def _store(self, memory: Memory, id: int) -> int:
        """Put a memory into a new slot."""
        self._check(memory.field)
        self._next_id = id + 1
        self._slots[id] = len(self._records)
        self._records.append(_with(memory, id, _NO_FIELD))
        self._factors.append(1.0 + self._emotion_weight * memory.weight)
        self._starts.append(self._ids.size)
        self._counts.append(len(memory.field))
        self._ids.extend(memory.field.ids)
        self._positions.extend(memory.field.positions)
        ids, cells = self._sketch.sketch(memory.field)
        self._sketch_starts.append(self._sketch_ids.size)
        self._sketch_ids.extend(ids)
        self._sketch_cells.extend(cells)
        self._index(memory, id)
        return id

    def _index(self, memory: Memory, id: int) -> None:
        for action in memory.actions:
            self._done.setdefault((memory.place, action), []).append(id)
        if self._capacity is not None:
            heapq.heappush(self._weakest, (memory.weight, id))

    def _compact(self) -> None:
        """Close the gaps that evicted memories left; a copy, paid for by the evictions since the last."""
        alive = np.array(sorted(self._slots.values()), dtype=np.int64)
        counts = self._counts.view[alive]
        rows = _row_indices(self._starts.view[alive], counts)
        sketched = np.diff(self._sketch_starts.view, append=self._sketch_ids.size)[alive]
        sketch_rows = _row_indices(self._sketch_starts.view[alive], sketched)
        for array, kept in (
            (self._ids, rows),
            (self._positions, rows),
            (self._sketch_ids, sketch_rows),
            (self._sketch_cells, sketch_rows),
            (self._factors, alive),
            (self._counts, alive),
            (self._starts, alive),
            (self._sketch_starts, alive),
        ):
            array.keep(kept)
        self._starts.view[:] = np.cumsum(counts) - counts
        self._sketch_starts.view[:] = np.cumsum(sketched) - sketched
        self._records = [self._records[slot] for slot in alive.tolist()]
        self._slots, self._done, self._weakest = {}, {}, []
        for slot, record in enumerate(self._records):
            if record is not None:
                self._slots[record.id] = slot
                self._index(record, record.id)

    def _candidates(self, channel: Sequence[Field], size: int) -> NDArray[np.int64]:
        """Slots of the shortlist, in the order of storing."""
        if len(self._slots) <= size:
            return np.array(sorted(self._slots.values()), dtype=np.int64)
        scores = self._sketch.scores(
            channel,
            linear_weights(len(channel)),
            self._sketch_ids.view,
            self._sketch_cells.view,
            self._sketch_starts.view,
            self._counts.view,
        )
        scores = np.where(self._factors.view > 0.0, scores * self._factors.view, -np.inf)
        bound = np.partition(scores, len(scores) - size)[len(scores) - size]
        better = np.flatnonzero(scores > bound)
        equal = np.flatnonzero(scores == bound)[: size - len(better)]
        return np.sort(np.concatenate((better, equal)))

    def _strongest(self, channel: Sequence[Field], slots: NDArray[np.int64], top: int) -> list[tuple[Memory, float]]:
        """Exact activations of the memories in some slots, and the strongest of them."""
        if not len(slots):
            return []
        records = [record for slot in slots.tolist() if (record := self._records[slot]) is not None]
        similarities = similarity_to_many(channel, self._batch.take(slots), self._table, self._weights)
        frame_weights = linear_weights(len(channel))
        activations = np.einsum("n,nm->m", frame_weights, similarities)
        activations *= 1.0 + self._emotion_weight * np.array([record.weight for record in records])
        times = np.array([record.first_time for record in records])
        order = np.lexsort((times, -activations))[:top]
        return [(self._memory(int(slots[n])), float(activations[n])) for n in order]


def _row_indices(starts: NDArray[np.int64], counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Indices of the rows of several fields, one after the other."""
    ends = np.cumsum(counts)
    result: NDArray[np.int64] = np.repeat(starts - (ends - counts), counts) + np.arange(int(counts.sum()))
    return result


_NO_FIELD = Field.empty()


def _with(memory: Memory, id: int, field: Field) -> Memory:
    """The same memory with another id and field; it was checked when it was made."""
    copy = object.__new__(Memory)
    for name in Memory.__slots__:
        object.__setattr__(copy, name, getattr(memory, name))
    object.__setattr__(copy, "id", id)
    object.__setattr__(copy, "field", field)
    return copy


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value
