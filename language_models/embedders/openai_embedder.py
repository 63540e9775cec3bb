"""Embeddings from any server that speaks the OpenAI API."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Future
from functools import partial
from typing import Any

import numpy as np

from language_models.embedders.embedding_costs import count
from language_models.embedders.unit_vectors import check_texts
from language_models.loop_thread import LoopThread
from language_models.protocol import FloatArray, ModelError, ModelUnavailable, PromptTooLong
from language_models.remote.address import check_address, find_key
from language_models.remote.responses import as_unusable, usage_of
from language_models.remote.retrying_client import RetryingClient

BATCH = 64
"""Texts of a request at first; half as many where the server refuses so many."""


class OpenAIEmbedder:
    """An embedding model behind an OpenAI-compatible address.

    A server may return a text's vector with other last digits the next time: the first one is kept, and a run uses the
    same vectors throughout. Requests run in an event loop of their own, whose connections stay open: `embed`
    blocks the caller, and `prefetch` can be awaited.

    Attributes:
        name: The address and the model, as in `--embedder openai:ADDRESS#MODEL`.
    """

    def __init__(
        self,
        base_url: str,
        model: str = "",
        *,
        api_key: str | None = None,
        key_variable: str | None = None,
        extra_body: Mapping[str, Any] | None = None,
        **limits: Any,
    ) -> None:
        """Configure the server; nothing is sent yet.

        Args:
            base_url: Address up to and including the version, such as http://127.0.0.1:8000/v1.
            model: Name that the server knows the model by; empty where it has one only.
            api_key: Key sent as bearer token, empty for none; by default it is read from the environment.
            key_variable: The environment variable to read the key from; see ``address.find_key``.
            extra_body: More fields of every request, such as the number of dimensions; they win over those that are
                there.
            limits: Limits and retries, as ``RetryingClient`` takes them.

        Raises:
            ValueError: if an argument is out of its range, or the variable that `key_variable` names is not set.
        """
        check_address(base_url)
        key = find_key(base_url, key_variable, api_key)
        self._client = RetryingClient(base_url.rstrip("/"), key=key, **limits)
        self._model = model
        self._batch = BATCH
        self._extra_body = dict(extra_body or {})
        self.name = f"openai:{self._client.base_url}" + (f"#{model}" if model else "")
        self._known: dict[str, FloatArray] = {}
        self._under_way: dict[str, asyncio.Task[None]] = {}
        self._loop = LoopThread("embeddings")

    @property
    def dimension(self) -> int:
        """Length of a vector; embeds a short text to find out if no vector is known yet."""
        if not self._known:
            self.embed(["a"])
        return len(next(iter(self._known.values())))

    def embed(self, texts: Sequence[str]) -> FloatArray:
        """Return embeddings of shape (len(texts), dimension), float32, each row of length 1.

        Raises:
            ValueError: if texts is one string.
            ModelUnavailable: if the server gives no vectors, or not those requested.
        """
        check_texts(texts)
        if not texts:
            return np.empty((0, self.dimension), dtype=np.float32)
        if (asked := self._ask(texts)) is not None:
            asked.result()
        return np.array([self._known[text] for text in texts])

    async def prefetch(self, texts: Iterable[str]) -> None:
        """Request the vectors of these texts ahead of use.

        Raises:
            ModelUnavailable: as from `embed`.
        """
        if (asked := self._ask(texts)) is not None:
            await asyncio.wrap_future(asked)

    def close(self) -> None:
        """Close the connections, and end the thread that uses them."""
        self._loop.close(self._client.aclose)

    def _ask(self, texts: Iterable[str]) -> Future[None] | None:
        """Request the vectors of unknown texts; return None if all are known."""
        fresh = [text for text in dict.fromkeys(texts) if text not in self._known]
        return self._loop.submit(self._learn(fresh)) if fresh else None

    async def _learn(self, texts: list[str]) -> None:
        """Request vectors of texts, and wait for requests already under way."""
        fresh = [text for text in texts if text not in self._known and text not in self._under_way]
        for start in range(0, len(fresh), self._batch):
            batch = fresh[start : start + self._batch]
            task = asyncio.create_task(self._embed_batch(batch))
            self._under_way.update(dict.fromkeys(batch, task))
            task.add_done_callback(partial(self._landed, batch))
        # A caller that is cancelled stops waiting; others may wait for the same request.
        tasks = {self._under_way[text] for text in texts if text in self._under_way}
        if tasks:
            await asyncio.wait(tasks)
        for task in tasks:
            task.result()

    def _landed(self, batch: list[str], task: asyncio.Task[None]) -> None:
        for text in batch:
            del self._under_way[text]
        if not task.cancelled():
            task.exception()  # Callers raise the error themselves; a cancelled caller is no error.

    async def _embed_batch(self, texts: list[str]) -> None:
        """Request vectors; if the server refuses so many texts at once, request each half of them."""
        body = {"input": texts, **({"model": self._model} if self._model else {}), **self._extra_body}
        try:
            reply = await self._client.send("POST", "/embeddings", body)
        except (ModelError, ModelUnavailable) as error:
            too_many = isinstance(error, ModelError | PromptTooLong) and len(texts) > 1
            count(error.usage, failed=not too_many)
            if not too_many:
                raise ModelUnavailable(str(error), usage=error.usage) from error
            half = -(-len(texts) // 2)
            self._batch = min(self._batch, half)
            await self._embed_batch(texts[:half])
            await self._embed_batch(texts[half:])
            return
        usage = usage_of(reply)
        try:
            rows = self._rows(reply.answer, len(texts))
        except ModelUnavailable:
            count(as_unusable(usage, "holds no embeddings of these texts", reply.answer), failed=True)
            raise
        count(usage, failed=False)
        self._known.update(zip(texts, rows, strict=True))

    def _rows(self, answer: dict[str, Any], texts: int) -> FloatArray:
        """Read the vectors of an answer, in the order of the texts, which is that of the list where it has no indices.

        Raises:
            ModelUnavailable: if they do not match the request.
        """
        try:
            entries = answer["data"]
            if all("index" in entry for entry in entries):
                entries = sorted(entries, key=lambda entry: int(entry["index"]))
            rows = np.array([entry["embedding"] for entry in entries], dtype=np.float64)
            if rows.ndim != 2 or len(rows) != texts:
                raise ValueError(f"shape {rows.shape} for {texts} texts")
            if self._known and rows.shape[1] != self.dimension:
                raise ValueError(f"{rows.shape[1]} numbers a text, where there were {self.dimension} before")
        except (KeyError, TypeError, ValueError) as error:
            raise ModelUnavailable(f"{self.name} gave no embeddings: {error}; use another embedder") from None
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        if not (np.isfinite(lengths).all() and (lengths > 0).all()):
            raise ModelUnavailable(f"{self.name} gave a vector of no length; use another embedder")
        units: FloatArray = (rows / lengths).astype(np.float32)
        return units
