"""Pool of llama.cpp servers in this process, and of threads that wait for their answers."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import cycle
from pathlib import Path
from threading import local
from typing import Any

from language_models.local.cancellable_request import CancellableRequest
from language_models.local.llama_server import available_cores, let_begin, serve

SLOTS = 12
"""Default number of concurrent requests when they share batches."""
MOST_COPIES, BYTES_OF_COPIES = 8, 2**30
"""How often a file is loaded, at most, where each request is computed by itself, and how large that may be together."""


class LlamaPool:
    """Serves concurrent requests from one GGUF file.

    In exact mode, each request is computed by itself, by a llama.cpp that does nothing else meanwhile, from an
    empty cache: the same request then has the same answer, whatever was asked before it or is asked beside it.
    Otherwise requests share batches and what was read before, with which llama.cpp rounds differently.

    Attributes:
        exact: Whether each request is computed by itself.
        slots: How many requests run at once.
        servers: The llama.cpp servers; each also speaks the OpenAI API, at its `listening_address` + "/v1" on loopback.
        context: Tokens that each request may take, prompt and answer together.
        trained: Tokens that the model was trained with, as its file says.
    """

    def __init__(
        self,
        path: Path,
        *,
        exact: bool,
        slots: int | None,
        threads: int | None,
        context: int | None,
        usual: int,
        adapter: Path | None,
    ) -> None:
        """Load the file.

        Args:
            path: A GGUF file.
            exact: Whether each request is computed by itself.
            slots: Requests that run at once; None for ``SLOTS``, or as many as ``slots_by_themselves`` says.
            threads: CPU threads of all together; None for as many as there are cores.
            context: See ``llama_server.serve``.
            usual: See ``llama_server.serve``.
            adapter: See ``llama_server.serve``.

        Raises:
            FileNotFoundError: if there is no such file.
            ValueError: if it is no GGUF file, llama.cpp cannot load it, or a number is out of range.
            ModuleNotFoundError: if llama.cpp is not installed; the message has the command that installs it.
        """
        cores = available_cores() if threads is None else threads
        self.exact = exact
        self.slots = slots if slots is not None else slots_by_themselves(path, cores) if exact else SLOTS
        # `serve` rejects numbers below 1.
        shared = {"slots": self.slots, "threads": cores}
        alone = {"slots": min(self.slots, 1), "threads": min(cores, max(1, cores // max(1, self.slots)))}
        served = [
            serve(
                path,
                context=context,
                usual=usual,
                adapter=adapter,
                caches=not exact,
                **(alone if exact else shared),
            )
            for _ in range(max(1, self.slots) if exact else 1)
        ]
        self.servers = [one.server for one in served]
        self.context, self.trained = served[0].context, served[0].trained
        self._asked: set[str] = set()
        self._requests: set[CancellableRequest] = set()
        self._own = local()
        self._workers = ThreadPoolExecutor(
            # Where it is exact, as many as there are servers: each worker asks one, which has then nothing else to do.
            max_workers=self.slots if exact else 2 * self.slots,
            thread_name_prefix="llama",
            initializer=self._take_server,
            initargs=(cycle([server.listening_address for server in self.servers]),),
        )

    async def ask(self, path: str, body: dict[str, Any] | None, bias: str = "") -> dict[str, Any]:
        """Send a request to the loopback address, which allows it to be cancelled.

        Args:
            path: The part of the URL after the address.
            body: Sent as JSON by POST; None for GET.
            bias: A `logit_bias` to send along, as JSON.

        Raises:
            OSError: if there is no connection, or the request was cancelled.
            HTTPException: if the answer breaks off.
            ValueError: if it is no JSON object.
        """
        text = None if body is None else json.dumps(body)
        if text is not None and bias:
            text = f'{text[:-1]}, "logit_bias": {bias}}}'
        request = CancellableRequest(path, text)
        self._requests.add(request)
        try:
            return await asyncio.get_running_loop().run_in_executor(self._workers, self._run, request, path)
        finally:
            request.cancel()
            self._requests.discard(request)

    def close(self) -> None:
        """Cancel all requests, and release the threads, the loopback addresses and the weights."""
        for request in list(self._requests):
            request.cancel()
        self._workers.shutdown(cancel_futures=True)
        for server in self.servers:
            if server.listening_address not in self._asked:
                let_begin(server)
        self.servers.clear()

    def _take_server(self, addresses: Iterator[str]) -> None:
        self._own.address = next(addresses)

    def _run(self, request: CancellableRequest, path: str) -> dict[str, Any]:
        answer = request.run(self._own.address)
        if "completion" in path:
            self._asked.add(self._own.address)
        return answer


def slots_by_themselves(path: Path, cores: int) -> int:
    """Return how many requests run at once in exact mode: one per core where the file is small."""
    size = path.stat().st_size if path.is_file() else BYTES_OF_COPIES
    return max(1, min(cores, MOST_COPIES, BYTES_OF_COPIES // max(1, size)))
