"""Embeddings of any server that speaks the OpenAI API."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from language_models.address import check_address, find_key
from language_models.patient_client import PatientClient
from language_models.protocol import FloatArray, ModelUnavailable

BATCH = 64
ResultT = TypeVar("ResultT")


class OpenAIEmbedder:
    """An embedding model behind an OpenAI-compatible address.

    The same text may come back with other last digits another time: a run keeps the vectors that it was lived with.

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
        **limits: Any,
    ) -> None:
        """Describe the server; nothing is sent yet.

        Args:
            base_url: Address up to and including the version, such as http://127.0.0.1:8000/v1.
            model: Name that the server knows the model by; empty where it has one only.
            api_key: Key sent as bearer token, empty for none; by default it is read from the environment.
            key_variable: The environment variable that it is read from; see ``language_models.address.find_key``.
            limits: Limits and retries, as ``PatientClient`` takes them.

        Raises:
            ValueError: if an argument is out of its range, or the variable that `key_variable` names is not set.
        """
        check_address(base_url)
        key = find_key(base_url, key_variable, api_key)
        self._client = PatientClient(base_url.rstrip("/"), key=key, **limits)
        self._model = model
        self.name = f"openai:{self._client.base_url}" + (f"#{model}" if model else "")
        self._dimension: int | None = None
        # A society embeds in the middle of its event loop, in which no other can run: a thread of its own can.
        self._worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="embeddings")

    @property
    def dimension(self) -> int:
        """Length of a vector; asked of the server by a text, where none was embedded yet."""
        if self._dimension is None:
            self.embed(["a"])
        assert self._dimension is not None
        return self._dimension

    def embed(self, texts: Sequence[str]) -> FloatArray:
        """Embeddings of shape (len(texts), dimension), float32, each row of length 1.

        Raises:
            ValueError: if texts is one string.
            ModelUnavailable: if the server gives no vectors, or others than those asked for.
        """
        if isinstance(texts, str):
            raise ValueError(f"texts must be a sequence of strings, got the one string {texts!r}; put it into a list")
        if not texts:
            return np.empty((0, self.dimension), dtype=np.float32)
        rows = self._wait_for(self._embed(list(texts)))
        self._dimension = rows.shape[1]
        return rows

    def _wait_for(self, task: Coroutine[Any, Any, ResultT]) -> ResultT:
        return self._worker.submit(asyncio.run, task).result()

    async def _embed(self, texts: list[str]) -> FloatArray:
        try:
            batches = [texts[start : start + BATCH] for start in range(0, len(texts), BATCH)]
            parts = await asyncio.gather(*(self._embed_batch(batch) for batch in batches))
        finally:
            await self._client.aclose()
        rows = np.concatenate(parts)
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        if not (np.isfinite(lengths).all() and (lengths > 0).all()):
            raise ModelUnavailable(f"{self.name} gave a vector of no length; use another embedder")
        units: FloatArray = (rows / lengths).astype(np.float32)
        return units

    async def _embed_batch(self, texts: list[str]) -> NDArray[np.float64]:
        body = {"input": texts, **({"model": self._model} if self._model else {})}
        answer = (await self._client.send("POST", "/embeddings", body)).answer
        try:
            entries = sorted(answer["data"], key=lambda entry: int(entry["index"]))
            rows = np.array([entry["embedding"] for entry in entries], dtype=np.float64)
            if rows.ndim != 2 or len(rows) != len(texts):
                raise ValueError(f"shape {rows.shape} for {len(texts)} texts")
        except (KeyError, TypeError, ValueError) as error:
            raise ModelUnavailable(f"{self.name} gave no embeddings: {error}; use another embedder") from None
        return rows
