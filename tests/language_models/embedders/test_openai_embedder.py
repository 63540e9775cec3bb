import asyncio
import threading
from contextlib import closing

import numpy as np
import pytest
from stand_in import Server

from evaluation.commands.cli import main
from language_models.embedders.embedding_costs import EmbeddingCosts, counted_in
from language_models.embedders.hash_embedder import HashEmbedder
from language_models.embedders.openai_embedder import OpenAIEmbedder
from language_models.protocol import ModelUnavailable
from language_models.transcript.calls import ModuleUsage

HASH = HashEmbedder(16)


def answer(path, body):
    rows = [{"index": n, "embedding": (3 * HASH.embed([text])[0]).tolist()} for n, text in enumerate(body["input"])]
    return {"data": rows[::-1]}


def test_vectors_come_in_order_with_length_one(server: Server) -> None:
    server.answers = [answer]
    embedder = OpenAIEmbedder(server.url, "small", api_key="secret")
    assert embedder.dimension == 16
    texts = [f"thing {number}" for number in range(150)]
    np.testing.assert_allclose(embedder.embed(texts), HASH.embed(texts), atol=1e-6)
    assert embedder.embed([]).shape == (0, 16)
    path, headers, body = server.requests[-1]
    assert (path, headers["Authorization"], body["model"]) == ("/v1/embeddings", "Bearer secret", "small")
    assert len(server.requests) == 4

    async def within_a_loop() -> np.ndarray:
        return embedder.embed(["kitchen"])

    assert asyncio.run(within_a_loop()).shape == (1, 16)
    with pytest.raises(ValueError, match="got the one string"):
        embedder.embed("kitchen")
    embedder.close()


@pytest.mark.parametrize(
    ("reply", "message"),
    [
        ({"data": []}, "gave no embeddings"),
        ({"data": [{"index": 0, "embedding": [0.0, 0.0]}]}, "a vector of no length"),
        ({"data": [{"index": 0, "embedding": ["x"]}]}, "gave no embeddings"),
        ((401, {}, {}), "the key is missing or wrong"),
        ((400, {}, {}), "refused the request, status 400"),
    ],
)
def test_answers_that_are_no_vectors(server: Server, reply: object, message: str) -> None:
    server.answers = [reply]
    with closing(OpenAIEmbedder(server.url)) as embedder, pytest.raises(ModelUnavailable, match=message):
        embedder.embed(["kitchen"])


@pytest.mark.parametrize("status", [400, 413, 422])
def test_a_server_that_takes_few_texts_at_once_and_gives_no_index(server: Server, status: int) -> None:
    def few(path, body):
        if len(body["input"]) > 10:
            return status, {}, {"error": {"message": "batch size is invalid, it should not be larger than 10."}}
        return {"data": [{"embedding": row.tolist()} for row in HASH.embed(body["input"])]}

    server.answers = [few]
    texts = [f"thing {number}" for number in range(150)]
    costs = EmbeddingCosts(ModuleUsage(module="embeddings"))
    with closing(OpenAIEmbedder(server.url)) as embedder, counted_in(costs):
        np.testing.assert_allclose(embedder.embed(texts), HASH.embed(texts), atol=1e-6)
        asked = len(server.requests)
        embedder.embed([f"new thing {number}" for number in range(30)])
    assert [len(body["input"]) for _, _, body in server.requests[asked:]] == [6] * 5
    assert costs.total.failures == 0


def test_requests_are_counted_for_whoever_asks(server: Server) -> None:
    def counted(path, body):
        return answer(path, body) | {"usage": {"prompt_tokens": len(body["input"])}}

    embedder = OpenAIEmbedder(server.url, "small", backoff=0.0)
    one, other = (EmbeddingCosts(ModuleUsage(module="embeddings")) for _ in range(2))

    async def ask(costs: EmbeddingCosts, texts: list[str]) -> None:
        with counted_in(costs):
            await embedder.prefetch(texts)

    async def both() -> None:
        await asyncio.gather(ask(one, ["bed", "chair", "table"]), ask(other, ["bed", "lamp"]))

    server.answers = [(503, {}, {}), counted]
    asyncio.run(both())
    embedder.embed(["nobody counts this"])
    assert [(costs.total.calls, costs.total.prompt_tokens) for costs in (one, other)] == [(1, 3), (1, 1)]
    assert one.total.retries + other.total.retries == one.total.network_failures + other.total.network_failures == 1
    assert one.total.seconds > 0
    server.answers = [{"data": [], "usage": {"prompt_tokens": 7}}]
    with pytest.raises(ModelUnavailable), counted_in(one):
        embedder.embed(["door"])
    server.answers = [(400, {}, {})]
    with pytest.raises(ModelUnavailable), counted_in(one):
        embedder.embed(["door"])
    assert (one.total.calls, one.total.failures, one.total.prompt_tokens) == (3, 2, 10)
    assert one.total.unusable == 1
    assert one.total.retries + other.total.retries + 1 == one.total.network_failures + other.total.network_failures
    embedder.close()


# A whole run with its report, and a replay: vectors of a server are nowhere else asked for by a run.
@pytest.mark.slow
def test_a_run_keeps_the_vectors_and_is_replayed_without_the_server(
    server: Server, tmp_path, capsys, monkeypatch
) -> None:
    server.answers = [answer]
    file, name = tmp_path / "models.toml", f"openai:{server.url}#e"
    options = 'key_variable = "EMBEDDING_KEY"\nconcurrency = 2\nextra_body = { dimensions = 16 }'
    file.write_text(f'name = "scripted"\nembedder = "{name}"\n[options."{name}"]\n{options}\n')
    monkeypatch.setenv("EMBEDDING_KEY", "secret")
    run = ["run", "--model", str(file), "--steps", "1"]
    assert main([*run, "--out", str(tmp_path / "run")]) == 0
    assert len(server.requests) > 2
    assert server.most_at_once <= 2
    assert all(headers["Authorization"] == "Bearer secret" for _, headers, _ in server.requests)
    assert all(body["dimensions"] == 16 for _, _, body in server.requests)
    assert "secret" not in (tmp_path / "run" / "manifest.json").read_text("utf-8")
    server.answers = [(500, {}, {})]
    capsys.readouterr()
    assert main(["replay", str(tmp_path / "run")]) == 0
    assert capsys.readouterr().out.startswith("identical: 1 steps, 6 records, ")


def test_an_address_that_does_not_answer_writes_nothing(server: Server, tmp_path, capsys) -> None:
    server.answers, before = [(401, {}, {})], set(threading.enumerate())
    run = ["run", "--model", "scripted", "--embedder", f"openai:{server.url}#other", "--steps", "2"]
    assert main([*run, "--out", str(tmp_path / "run")]) == 1
    assert "the key is missing or wrong" in capsys.readouterr().err.splitlines()[-1]
    assert not (tmp_path / "run").exists()
    assert "embeddings" not in {thread.name for thread in set(threading.enumerate()) - before}
