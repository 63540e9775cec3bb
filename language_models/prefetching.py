"""Prefetching of embeddings, so that a remote embedder does not block the event loop."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable

from language_models.protocol import Embedder


async def prefetch(embedder: Embedder, texts: Iterable[str]) -> None:
    """Request the vectors of some texts ahead of use, in as few requests as possible.

    `embed` is called in the midst of numeric code, where nothing can be awaited: waiting for a server there blocks
    everything on the event loop. An embedder that may be remote has a method `prefetch`, which is awaited; one
    in this process has nothing to wait for, and is not called here.

    Args:
        embedder: Any embedder.
        texts: The texts about to be embedded; ignored for an embedder in this process.

    Raises:
        ModelUnavailable: if the server gives no vectors.
    """
    ahead: Callable[[Iterable[str]], Awaitable[None]] | None = getattr(embedder, "prefetch", None)
    if ahead is not None:
        await ahead(texts)
