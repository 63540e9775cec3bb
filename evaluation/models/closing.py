"""Close the connections of models and embedders, and free their memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from language_models.protocol import Embedder, LanguageModel


async def close_connections(models: Iterable[LanguageModel]) -> None:
    """Close the connections of models; call it in the event loop in which they were used."""
    for one in models:
        if (aclose := getattr(one, "aclose", None)) is not None:
            await aclose()


def release_models(models: Iterable[LanguageModel]) -> None:
    """Free the memory of models; does nothing for models that were released before."""
    for one in models:
        if (close := getattr(one, "close", None)) is not None:
            close()


@contextmanager
def closing_embedder(embedder: Embedder) -> Iterator[None]:
    """Close the connections of an embedder at the end of a block; a later call opens them again."""
    try:
        yield
    finally:
        if (close := getattr(embedder, "close", None)) is not None:
            close()
