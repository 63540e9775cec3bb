"""What embeddings at an address cost, added up for whoever has them asked for."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from language_models.protocol import Usage
from language_models.transcript.calls import ModuleUsage


class EmbeddingCosts:
    """A sum that grows as requests come back.

    Attributes:
        total: All of them; a call is a request for up to 64 texts.
    """

    def __init__(self, total: ModuleUsage) -> None:
        """Begin with what was spent before."""
        self.total = total


_COUNTED_IN: ContextVar[EmbeddingCosts | None] = ContextVar("embedding_costs", default=None)


@contextmanager
def counted_in(costs: EmbeddingCosts) -> Iterator[None]:
    """Within this, in this task and those that it begins, requests are counted here.

    Several runs may share an embedder: what two of them need at once is counted for the one that asked first.
    """
    token = _COUNTED_IN.set(costs)
    try:
        yield
    finally:
        _COUNTED_IN.reset(token)


def count(usage: Usage, *, failed: bool) -> None:
    """Count a request, where anybody counts."""
    if (costs := _COUNTED_IN.get()) is not None:
        costs.total = costs.total.plus_usages([usage], ["failed" if failed else "ok"])
