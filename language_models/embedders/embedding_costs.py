"""Cost of remote embeddings, summed for the run that requests them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from language_models.protocol import Usage
from language_models.transcript.calls import ModuleUsage


class EmbeddingCosts:
    """Running sum of what embedding requests cost.

    Attributes:
        total: The sum; a call is one request for up to 64 texts.
    """

    def __init__(self, total: ModuleUsage) -> None:
        """Start from an earlier total."""
        self.total = total


_COUNTED_IN: ContextVar[EmbeddingCosts | None] = ContextVar("embedding_costs", default=None)


@contextmanager
def counted_in(costs: EmbeddingCosts) -> Iterator[None]:
    """Add the embedding requests of this task, and of the tasks that it starts, to `costs`.

    Several runs may share an embedder: a text that two of them need at once counts for the first to request it.
    """
    token = _COUNTED_IN.set(costs)
    try:
        yield
    finally:
        _COUNTED_IN.reset(token)


def count(usage: Usage, *, failed: bool) -> None:
    """Add a request to the current sum, if there is one."""
    if (costs := _COUNTED_IN.get()) is not None:
        costs.total = costs.total.plus_usages([usage], ["failed" if failed else "ok"])
