"""Stand-in for a slow model server, which answers 64 requests at once, each after 200 ms.

It is a file of its own so that its process imports little.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import multiprocessing
import time
from collections.abc import Iterator
from functools import cache
from multiprocessing.connection import Connection

from language_models.grammar_sampling import sample_grammar

DELAY, AT_ONCE = 0.2, 64


@contextlib.contextmanager
def slow_server() -> Iterator[str]:
    """Run the server in another process within a block, and yield its address."""
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe()
    process = context.Process(target=_serve, args=(there,), daemon=True)
    process.start()
    try:
        if not here.poll(60):
            raise RuntimeError("the stand-in for a server did not begin within 60 s")
        yield f"http://127.0.0.1:{here.recv()}/v1"
    finally:
        process.terminate()
        process.join()


def _serve(parent: Connection) -> None:
    busy = 0

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal busy
        with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError):
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).lower()
                length = int(head.partition(b"content-length:")[2].split(b"\r\n")[0] or 0)
                asked = await reader.readexactly(length)
                busy += 1
                status, data = b"429 Too Many Requests", b"{}"
                if busy <= AT_ONCE:
                    until = time.monotonic() + DELAY
                    status, data = b"200 OK", _answered(asked)
                    await asyncio.sleep(until - time.monotonic())
                busy -= 1
                writer.write(b"HTTP/1.1 %b\r\nContent-Length: %d\r\n\r\n%b" % (status, len(data), data))
                await writer.drain()

    async def serve() -> None:
        listening = await asyncio.start_server(answer, "127.0.0.1", 0, backlog=256)
        parent.send(listening.sockets[0].getsockname()[1])
        await listening.serve_forever()

    asyncio.run(serve())


def _answered(asked: bytes) -> bytes:
    """Return a response with the first option, or with a text of the requested form."""
    body = json.loads(asked)
    text = "I wonder."
    if "response_format" in body:
        schema = body["response_format"]["json_schema"]["schema"]
        text = json.dumps({"choice": schema["properties"]["choice"]["enum"][0]})
    elif "grammar" in body:
        text = _written(body["grammar"])
    return json.dumps({"choices": [{"message": {"content": text}}]}).encode()


@cache
def _written(grammar: str) -> str:
    return sample_grammar(grammar, "")
