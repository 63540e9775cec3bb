"""Models and embedders closed: connections where they were used, and what else they hold."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from language_models.protocol import Embedder, LanguageModel


async def close_connections(models: Iterable[LanguageModel]) -> None:
    """Close the connections of models that have any; to be called in the event loop that they were used in."""
    for one in models:
        if (aclose := getattr(one, "aclose", None)) is not None:
            await aclose()


def release_models(models: Iterable[LanguageModel]) -> None:
    """Free what models hold besides connections; nothing is left to free where that was done before."""
    for one in models:
        if (close := getattr(one, "close", None)) is not None:
            close()


@contextmanager
def closing_embedder(embedder: Embedder) -> Iterator[None]:
    """After this, an embedder has no connections any more; what asks it again opens them anew."""
    try:
        yield
    finally:
        if (close := getattr(embedder, "close", None)) is not None:
            close()
