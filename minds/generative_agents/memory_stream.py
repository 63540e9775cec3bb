"""The memory stream, and what of it the present calls up: recency, importance and relevance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from minds.model_client import ModelClient

DECAY = 0.995
"""By which recency falls with each time step since a memory was last called up; the paper's, for each hour."""

Sort = Literal["observation", "reflection", "plan"]


@dataclass(slots=True, kw_only=True)
class Memory:
    """One object of the stream.

    Attributes:
        text: What is remembered, in a sentence.
        sort: What it came of.
        created: The time step in which it was made.
        called_up: The time step in which it was last called up, or made.
        importance: From 1 (mundane) to 10 (poignant), as the model rated it.
        evidence: Places in the stream of the memories that a reflection follows from.
    """

    text: str
    sort: Sort
    created: int
    called_up: int
    importance: int
    evidence: list[int] = field(default_factory=list)


class MemoryStream:
    """All that an agent lived, in order; nothing is forgotten.

    Attributes:
        memories: The oldest first.
    """

    def __init__(self, model: ModelClient) -> None:
        self._client = model
        self._vectors: dict[str, NDArray[np.float64]] = {}
        self.memories: list[Memory] = []

    def add(self, memory: Memory) -> None:
        """Remember something more."""
        self.memories.append(memory)

    async def retrieve(self, query: str, time: int, count: int) -> list[int]:
        """The memories that matter most now, which are called up by that.

        The score is recency + importance + relevance, each scaled to [0, 1] over the stream, with equal weights.

        Args:
            query: What the memories are to be relevant to.
            time: The time step.
            count: How many at most.

        Returns:
            Their places in the stream, the oldest first.
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
        """Score all memories.

        Args:
            query: What the memories are to be relevant to; it and all memories have been embedded.
            time: The time step.

        Returns:
            Shape (len(memories),), in [0, 3].
        """
        recency = DECAY ** np.array([time - memory.called_up for memory in self.memories], dtype=float)
        importance = np.array([memory.importance for memory in self.memories], dtype=float)
        vectors = np.stack([self._vectors[memory.text] for memory in self.memories])
        # Rounded, so that the last bits of a sum, which hang on the processor, decide nothing.
        relevance = np.round(vectors @ self._vectors[query], 4)
        return np.round(scaled(recency) + scaled(importance) + scaled(relevance), 4)

    def texts(self, places: Sequence[int]) -> list[str]:
        """What is remembered at these places."""
        return [self.memories[place].text for place in places]

    async def _embed(self, texts: Sequence[str]) -> None:
        new = [text for text in dict.fromkeys(texts) if text not in self._vectors]
        if new:
            vectors = (await self._client.embed(new)).astype(np.float64)
            self._vectors.update(zip(new, vectors, strict=True))

    def get_state(self) -> list[dict[str, Any]]:
        """The stream as JSON-ready data; vectors are made anew."""
        return [asdict(memory) for memory in self.memories]

    def set_state(self, state: Sequence[Mapping[str, Any]]) -> None:
        """Go on from it."""
        self.memories = [Memory(**memory) for memory in state]


def scaled(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Values from 0 for the least to 1 for the greatest; all 0 where they are the same."""
    span = values.max() - values.min()
    return (values - values.min()) / span if span > 0 else np.zeros_like(values)
