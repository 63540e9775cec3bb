"""Memory stream, with retrieval by recency, importance and relevance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from minds.model_client import ModelClient

DECAY = 0.995
"""Decay of recency per time step since a memory was last retrieved; the paper has this factor per hour."""

Sort = Literal["observation", "reflection", "plan"]


@dataclass(slots=True, kw_only=True)
class Memory:
    """One entry of the memory stream.

    Attributes:
        text: The memory, in a sentence.
        sort: Its origin.
        created: The time step in which it was created.
        called_up: The time step in which it was last retrieved, or created.
        importance: From 1 (mundane) to 10 (poignant), as the model rated it.
        evidence: Indices in the stream of the memories that a reflection is based on.
    """

    text: str
    sort: Sort
    created: int
    called_up: int
    importance: int
    evidence: list[int] = field(default_factory=list)


class MemoryStream:
    """An agent's memories in order; none is ever removed.

    Attributes:
        memories: The oldest first.
    """

    def __init__(self, model: ModelClient) -> None:
        self._client = model
        self._vectors: dict[str, NDArray[np.float64]] = {}
        self.memories: list[Memory] = []

    def add(self, memory: Memory) -> None:
        """Append a memory."""
        self.memories.append(memory)

    async def retrieve(self, query: str, time: int, count: int) -> list[int]:
        """Return the highest-scored memories, and mark them as retrieved.

        The score is recency + importance + relevance, each scaled to [0, 1] over the stream, with equal weights.

        Args:
            query: Text to which relevance is measured.
            time: The time step.
            count: Most memories to return.

        Returns:
            Their indices in the stream, the oldest first.
        """
        if not self.memories:
            return []
        await self._embed([query, *(memory.text for memory in self.memories)])
        scores = self.scores(query, time)
        best = sorted(np.argsort(-scores, kind="stable")[:count].tolist())
        for place in best:
            self.memories[place].called_up = time
        return best

    def scores(self, query: str, time: int) -> NDArray[np.float64]:
        """Score all memories by recency, importance and relevance.

        Args:
            query: Text to which relevance is measured; it and all memories have been embedded.
            time: The time step.

        Returns:
            Shape (len(memories),), in [0, 3].
        """
        recency = DECAY ** np.array([time - memory.called_up for memory in self.memories], dtype=float)
        importance = np.array([memory.importance for memory in self.memories], dtype=float)
        vectors = np.stack([self._vectors[memory.text] for memory in self.memories])
        # Rounded, so that the last bits of a sum, which depend on the processor, decide nothing.
        relevance = np.round(vectors @ self._vectors[query], 4)
        return np.round(scaled(recency) + scaled(importance) + scaled(relevance), 4)

    def texts(self, places: Sequence[int]) -> list[str]:
        """Return the texts of the memories at these indices."""
        return [self.memories[place].text for place in places]

    async def _embed(self, texts: Sequence[str]) -> None:
        new = [text for text in dict.fromkeys(texts) if text not in self._vectors]
        if new:
            vectors = (await self._client.embed(new)).astype(np.float64)
            self._vectors.update(zip(new, vectors, strict=True))

    def get_state(self) -> list[dict[str, Any]]:
        """Return the stream as JSON-ready data, without vectors, which are computed anew."""
        return [asdict(memory) for memory in self.memories]

    def set_state(self, state: Sequence[Mapping[str, Any]]) -> None:
        """Restore a state from `get_state`."""
        self.memories = [Memory(**memory) for memory in state]


def scaled(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Scale values to [0, 1] by minimum and maximum; all 0 if they are equal."""
    span = values.max() - values.min()
    return (values - values.min()) / span if span > 0 else np.zeros_like(values)
