"""Long-term memory and its activation by the present (section 3.2, the M of Eq. 5 and 6)."""

from __future__ import annotations

import base64
import math
from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from itcma_s.checks import check_finite, check_range
from itcma_s.emotion.emotion import linear_weights
from itcma_s.fields.name_table import NameTable
from itcma_s.fields.phenomenal_field import Field, FieldBatch
from itcma_s.fields.similarity import DEFAULT_WEIGHTS, FieldWeights, distinct_fields, similarity_to_many
from itcma_s.memory.memory import Memory
from itcma_s.memory.store import MemoryStore
from itcma_s.parameters import DEFAULTS


class LongTermMemory(MemoryStore):
    """Stores all memories of a resident and activates the ones most similar to the present.

    Activation runs in two stages. Coarse: a ``Sketch`` of every memory estimates FieldSim (Eq. 4) closely. Exact:
    FieldSim for a shortlist of the best. Memories are in the order of their first time step.

    Args:
        table: The name table, shared with the fields.
        weights: Weights of names and coordinates in the similarity.
        emotion_weight: How much emotional intensity adds to activation, >= 0.
        shortlist: How many memories are compared exactly, at least 1; one in a thousand where that is more.

    Raises:
        ValueError: if a parameter lies outside its range.
    """

    def __init__(
        self,
        table: NameTable,
        *,
        weights: FieldWeights = DEFAULT_WEIGHTS,
        emotion_weight: float = DEFAULTS.emotion_weight,
        shortlist: int = DEFAULTS.activation_shortlist,
    ) -> None:
        check_range(
            "emotion_weight", check_finite("emotion_weight", emotion_weight), 0.0, math.inf, "0 ignores emotion"
        )
        if shortlist < 1:
            raise ValueError(f"shortlist must be at least 1, got {shortlist}; at least one memory is compared exactly")
        super().__init__(table, weights, emotion_weight)
        self._shortlist = shortlist

    def activate(
        self, primal_impression: Field, retention: Sequence[Field] = (), *, top: int = 1
    ) -> list[tuple[Memory, float]]:
        """Return the memories that the present activates, M(PI^t, Re^t) (Eq. 5 and 6).

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
        present = _weighted([*retention, primal_impression])
        return self._strongest(*present, self._candidates(*present, max(self._shortlist, top, len(self) // 1000)), top)

    def activate_exhaustively(
        self, primal_impression: Field, retention: Sequence[Field] = (), *, top: int = 1
    ) -> list[tuple[Memory, float]]:
        """Return the result of ``activate`` by comparing every memory exactly: the slow reference.

        Args:
            primal_impression: PI^t.
            retention: Re^t, oldest first.
            top: The most memories to return, at least 1.
        """
        return self._strongest(*_weighted([*retention, primal_impression]), self._all(), top)

    def get_state(self) -> dict[str, Any]:
        """Return the state as JSON-ready data; ids refer to the name table, which must be restored first.

        Rows are written as base64 of little-endian int32 (names) and float64 (positions), so that they are exact.
        """
        names = [field.name for field in fields(Memory) if field.name != "field"]
        kept = self._fields.batch
        return {
            "next_id": len(self),
            "rows": kept.counts.tolist(),
            "memories": [{name: _plain(getattr(record, name)) for name in names} for record in self._records],
            "ids": base64.b64encode(kept.ids.astype("<i4").tobytes()).decode("ascii"),
            "positions": base64.b64encode(kept.positions.astype("<f8").tobytes()).decode("ascii"),
        }

    def set_state(self, state: Mapping[str, Any]) -> None:
        """Restore a state from ``get_state``, also after a JSON round trip; activations stay the same.

        Raises:
            ValueError: if the rows do not fit the memories, ids do not count from 0, or a memory is not valid;
                nothing is changed then.
        """
        ids = np.frombuffer(base64.b64decode(state["ids"], validate=True), dtype="<i4").astype(np.int32)
        positions = (
            np.frombuffer(base64.b64decode(state["positions"], validate=True), dtype="<f8")
            .astype(np.float64)
            .reshape(-1, 3)
        )
        counts = state["rows"]
        if not (len(counts) == len(state["memories"]) and sum(counts) == len(ids) == len(positions)):
            raise ValueError(
                f"{len(state['memories'])} memories of {sum(counts)} rows do not fit {len(ids)} names and "
                f"{len(positions)} positions; the state is damaged"
            )
        numbers = [entry["id"] for entry in state["memories"]]
        if numbers != list(range(state["next_id"])):
            raise ValueError(
                f"ids of memories must count up to next_id = {state['next_id']}, got {numbers}; the state is damaged"
            )
        restored = LongTermMemory(
            self._table, weights=self._weights, emotion_weight=self._emotion_weight, shortlist=self._shortlist
        )
        start = 0
        for entry, count in zip(state["memories"], counts, strict=True):
            rows = slice(start, start + count)
            values: dict[str, Any] = {
                key: tuple(value) if isinstance(value, list) else value for key, value in entry.items()
            }
            restored.append(Memory(**values, field=Field(ids[rows], positions[rows])))
            start += count
        self.__dict__.update(restored.__dict__)

    def _candidates(self, channel: FieldBatch, frame_weights: NDArray[np.float64], size: int) -> NDArray[np.int64]:
        """Return the ids of the shortlist, in the order of storing."""
        if len(self) <= size:
            return self._all()
        scores = self._sketch.scores(channel, frame_weights, self._fields.counts) * self._factors.view
        bound = np.partition(scores, len(scores) - size)[len(scores) - size]
        better = np.flatnonzero(scores > bound)
        equal = np.flatnonzero(scores == bound)[: size - len(better)]
        return np.sort(np.concatenate((better, equal)))

    def _strongest(
        self, channel: FieldBatch, frame_weights: NDArray[np.float64], ids: NDArray[np.int64], top: int
    ) -> list[tuple[Memory, float]]:
        """Compute the exact activations of the memories with the given ids, and return the strongest."""
        if not len(ids):
            return []
        similarities = similarity_to_many(channel, self._fields.batch.take(ids), self._table, self._weights)
        activations = np.einsum("n,nm->m", frame_weights, similarities)
        activations *= 1.0 + self._emotion_weight * self._emotions.view[ids]
        order = np.lexsort((self._times.view[ids], -activations))[:top]
        return [(self._memory(int(ids[n])), float(activations[n])) for n in order]


def _weighted(channel: Sequence[Field]) -> tuple[FieldBatch, NDArray[np.float64]]:
    """Return the distinct fields of a channel and their weights; equal fields add up their weights."""
    fields, which = distinct_fields(channel)
    weights = np.bincount(which, weights=linear_weights(len(channel)))
    return FieldBatch.of(fields), weights.astype(np.float64, copy=False)


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value
