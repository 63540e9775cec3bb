"""Vectors of a server had before they are asked for."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
import pytest
from stand_in import Server

from language_models.embedders.cached_embedder import CachedEmbedder
from language_models.embedders.embedding_cache import EmbeddingCache
from language_models.embedders.hash_embedder import HashEmbedder
from language_models.embedders.openai_embedder import OpenAIEmbedder
from language_models.prefetching import prefetch
from language_models.protocol import FloatArray, ModelUnavailable

HASH = HashEmbedder(16)


def answer(path: str, body: dict[str, list[str]]) -> dict[str, object]:
    return {"data": [{"index": n, "embedding": HASH.embed([text])[0].tolist()} for n, text in enumerate(body["input"])]}


def texts_asked(server: Server) -> list[str]:
    return [text for _, _, body in server.requests for text in body["input"]]


def test_others_go_on_while_the_server_computes(server: Server) -> None:
    server.answers, server.delay = [answer], 0.1
    embedder = OpenAIEmbedder(server.url, api_key="")

    async def others_meanwhile(fetching: bool) -> int:
        turns, over = 0, asyncio.Event()

        async def other() -> None:
            nonlocal turns
            while not over.is_set():
                await asyncio.sleep(0.005)
                turns += 1

        beside = asyncio.ensure_future(other())
        await asyncio.sleep(0)
        if fetching:
            await prefetch(embedder, ["kitchen", "garden"])
        assert embedder.embed(["kitchen" if fetching else "bed"]).shape == (1, 16)
        over.set()
        found = turns
        await beside
        return found

    assert asyncio.run(others_meanwhile(fetching=True)) >= 3
    assert asyncio.run(others_meanwhile(fetching=False)) == 0
    embedder.close()


def test_who_asks_for_the_same_at_once_shares_the_request(server: Server) -> None:
    server.answers = [answer]
    server.free.clear()
    embedder = OpenAIEmbedder(server.url, api_key="")

    async def together() -> None:
        first = asyncio.ensure_future(embedder.prefetch(["a", "b"]))
        others = [asyncio.ensure_future(embedder.prefetch(["b", "a"])) for _ in range(4)]
        await server.asked()
        # Who gives up takes nothing from the others.
        first.cancel()
        server.free.set()
        await asyncio.gather(*others)

    asyncio.run(together())
    assert sorted(texts_asked(server)) == ["a", "b"]
    np.testing.assert_allclose(embedder.embed(["b", "a", "b"]), HASH.embed(["b", "a", "b"]), atol=1e-6)
    assert len(server.requests) == 1
    embedder.close()


def test_nothing_is_left_when_it_is_closed(server: Server) -> None:
    server.answers = [answer]
    before = set(threading.enumerate())

    def new() -> list[threading.Thread]:
        return [thread for thread in threading.enumerate() if thread not in before and thread.name == "embeddings"]

    embedder = OpenAIEmbedder(server.url, api_key="")
    embedder.close()
    for text in ("kitchen", "garden"):
        embedder.embed([text])
        assert [thread.daemon for thread in new()] == [True]
        embedder.close()
        assert new() == []
        assert not embedder._client._connections


def test_closing_ends_what_is_under_way(server: Server) -> None:
    server.answers = [answer]
    server.free.clear()
    embedder = OpenAIEmbedder(server.url, api_key="")

    async def closed_meanwhile() -> None:
        asking = asyncio.ensure_future(embedder.prefetch(["kitchen"]))
        await server.asked()
        await asyncio.to_thread(embedder.close)
        with pytest.raises(asyncio.CancelledError):
            await asking

    asyncio.run(closed_meanwhile())
    assert not server.free.is_set()


def test_connections_stay_open_and_a_failure_is_raised_once_for_each_who_asks(server: Server) -> None:
    server.answers = [(500, {}, {}), answer]
    embedder = OpenAIEmbedder(server.url, api_key="", retries=0)
    with pytest.raises(ModelUnavailable, match="failed 1 times, the last time with status 500"):
        asyncio.run(embedder.prefetch(["kitchen"]))
    asyncio.run(embedder.prefetch(["kitchen"]))
    (connection,) = embedder._client._connections.values()
    asyncio.run(embedder.prefetch(["garden"]))
    assert list(embedder._client._connections.values()) == [connection]
    server.answers = [{"data": [{"index": 0, "embedding": [1.0]}]}]
    with pytest.raises(ModelUnavailable, match="1 numbers a text, where there were 16 before"):
        embedder.embed(["bed"])
    embedder.close()


class Counting(HashEmbedder):
    """An embedder in this process that says how often it is asked."""

    asked = 0

    def embed(self, texts: Sequence[str]) -> FloatArray:
        self.asked += 1
        return super().embed(texts)


def test_an_embedder_in_this_process_is_not_asked() -> None:
    embedder = Counting(16)

    def never() -> Iterable[str]:
        raise AssertionError("nobody needs these")
        yield ""

    asyncio.run(prefetch(embedder, never()))
    asyncio.run(prefetch(CachedEmbedder("local", "local", lambda: embedder), never()))
    assert embedder.asked == 0


def test_what_is_in_a_cache_is_not_asked_for(server: Server, tmp_path: Path) -> None:
    server.answers = [answer]
    remote = OpenAIEmbedder(server.url, api_key="")
    with EmbeddingCache(tmp_path / "embeddings.sqlite") as cache:
        cached = CachedEmbedder("remote", "remote", lambda: remote, [cache], elsewhere=True)
        asyncio.run(prefetch(cached, ["a", "b", "a"]))
        again = CachedEmbedder("remote", "remote", lambda: remote, [cache], elsewhere=True)
        asyncio.run(prefetch(again, ["b", "c"]))
        assert set(cache.find("remote", ["a", "b", "c"])) == {"a", "b", "c"}
        np.testing.assert_array_equal(cached.embed(["a", "b"]), again.embed(["a", "b"]))
        again.close()
    assert texts_asked(server) == ["a", "b", "c"]
