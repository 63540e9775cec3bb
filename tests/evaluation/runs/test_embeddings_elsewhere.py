"""A society whose names and sentences are compared by a server."""

from __future__ import annotations

import asyncio
import json
import random
import re
import threading

import pytest
from configs import run_config

from evaluation.commands.cli import main
from evaluation.models.run_embedder import cached_embedder
from evaluation.runs.build_society import build_society, find_backends
from evaluation.runs.progress import progress_on
from language_models.embedders.embedding_cache import EmbeddingCache, shared_cache_path
from language_models.embedders.hash_embedder import HashEmbedder
from language_models.prefetching import prefetch
from language_models.scripted import ScriptedModel


class Elsewhere(HashEmbedder):
    """Like one at an address, where prefetching takes a while, longer for some than for others.

    Attributes:
        waited_for: What did not come by prefetching.
    """

    def __init__(self):
        super().__init__()
        self.waited_for: list[str] = []
        self._here: set[str] = set()
        self._generator = random.Random(0)

    async def prefetch(self, texts):
        wanted = set(texts)
        for _ in range(self._generator.randrange(30) if wanted - self._here else 0):
            await asyncio.sleep(0)
        self._here |= wanted

    def embed(self, texts):
        self.waited_for += sorted(set(texts) - self._here)
        self._here |= set(texts)
        return super().embed(texts)


class Late(ScriptedModel):
    """A model that takes a while, longer for some than for others."""

    _generator = random.Random(1)

    async def generate(self, request):
        for _ in range(self._generator.randrange(30)):
            await asyncio.sleep(0)
        return await super().generate(request)


def take_steps(embedder, model, architecture, name):
    configuration = run_config(architecture=architecture, model=name, embedder="hash", steps=5)
    society = build_society(configuration, model, embedder)

    async def steps():
        return [record for _ in range(configuration.steps) for record in (await society.step()).records]

    return asyncio.run(steps())


@pytest.mark.parametrize(
    ("architecture", "name"), [("ltrha", "scripted"), ("itcma-s", "openai:http://127.0.0.1:9/v1#q")]
)
def test_minds_wait_for_a_server_together_and_live_the_same_life(architecture, name):
    elsewhere = Elsewhere()
    expected = take_steps(HashEmbedder(), ScriptedModel(), architecture, name)
    assert take_steps(elsewhere, ScriptedModel(), architecture, name) == expected
    assert take_steps(HashEmbedder(), Late(), architecture, name) == expected
    # All of it was prefetched.
    assert elsewhere.waited_for == []


def answer(path, body):
    vectors = HashEmbedder(16).embed(body["input"])
    rows = [{"index": n, "embedding": vector.tolist()} for n, vector in enumerate(vectors)]
    return {"data": rows, "usage": {"prompt_tokens": 3 * len(rows)}}


def test_a_file_names_an_embedder_to_try(server, tmp_path, capsys):
    file, name = tmp_path / "models.toml", f"openai:{server.url}#small"
    file.write_text(f'embedder = "{name}"\n[options."{name}"]\nextra_body = {{ dimensions = 16 }}\n')
    server.answers = [answer]
    assert main(["models", "test", str(file), "--embedder"]) == 0
    assert server.requests[-1][2]["dimensions"] == 16
    file.write_text('name = "scripted"')
    assert main(["models", "test", str(file), "--embedder"]) == 2
    assert "models.toml names no embedder" in capsys.readouterr().err


@pytest.mark.usefixtures("with_page")
def test_a_server_that_stops_answering_stops_the_run_in_one_line_and_it_goes_on_later(server, tmp_path, capsys):
    file, name = tmp_path / "models.toml", f"openai:{server.url}#small"
    file.write_text(f'name = "scripted"\nembedder = "{name}"\n[options."{name}"]\nretries = 0\n')
    run = ["run", "--model", str(file), "--steps", "1", "--out"]
    server.answers = [*[answer] * 4, (500, {}, {})]
    assert main([*run, str(tmp_path / "run")]) == 1
    last = capsys.readouterr().err.splitlines()[-1]
    assert "/embeddings failed 1 times, the last time with status 500" in last
    assert last.endswith(f"resume with: irollan resume {tmp_path / 'run'}")
    failed = server.requests[4:]
    server.answers = [answer]
    assert main(["resume", str(tmp_path / "run")]) == 0
    manifest = json.loads((tmp_path / "run" / "manifest.json").read_text("utf-8"))
    assert manifest["status"] == "finished"
    # All are counted but the one that tried the address.
    asked = len(server.requests) - 1
    answered = [body["input"] for _, _, body in [*server.requests[1:4], *server.requests[4 + len(failed) :]]]
    tokens = 3 * sum(map(len, answered))
    found = {key: manifest["embeddings"][key] for key in ("calls", "prompt_tokens", "failures", "network_failures")}
    lost = len(failed)
    assert found == {"calls": asked, "prompt_tokens": tokens, "failures": lost, "network_failures": lost}
    said = f"embeddings took {asked} requests and {tokens:,} tokens"
    assert said in capsys.readouterr().err
    report = (tmp_path / "run" / "report.html").read_text("utf-8")
    cells = re.search(r"Embeddings, not in All</th>(.*?)</tr>", report, re.DOTALL)
    assert cells
    assert re.findall(r">([\d,]+)</td>", cells[1])[:2] == [f"{asked:,}", f"{tokens:,}"]


def test_with_vectors_in_the_cache_a_server_that_is_away_stops_a_run_in_one_line_too(
    server, tmp_path, capsys, monkeypatch
):
    monkeypatch.setenv("IROLLAN_CACHE", str(tmp_path))
    file, name = tmp_path / "models.toml", f"openai:{server.url}#small"
    file.write_text(f'name = "scripted"\nembedder = "{name}"\n[options."{name}"]\nretries = 0\n')
    run = ["run", "--model", str(file), "--out"]
    server.answers = [answer]
    assert main([*run, str(tmp_path / "first"), "--steps", "1"]) == 0
    asked = len(server.requests)
    server.answers = [(500, {}, {})]
    # What was embedded before needs no server.
    assert main([*run, str(tmp_path / "same"), "--steps", "1"]) == 0
    assert len(server.requests) == asked
    capsys.readouterr()

    def stopped(*command, path):
        assert main(list(command)) == 1
        last = capsys.readouterr().err.splitlines()[-1]
        assert f"{server.url}/embeddings failed 1 times, the last time with status 500" in last
        assert last.endswith(f"resume with: irollan resume {path}")
        assert not (path / "error.txt").exists()

    other = tmp_path / "other"
    stopped(*run, str(other), "--steps", "4", path=other)
    assert 0 < json.loads((other / "manifest.json").read_text("utf-8"))["steps_done"] < 4
    # Nor is it a defect where a run cannot be taken up again.
    (other / "embeddings.sqlite").rename(tmp_path / "kept")
    shared_cache_path().rename(tmp_path / "shared")
    with EmbeddingCache(shared_cache_path()) as cache:
        weights = json.loads((other / "manifest.json").read_text("utf-8"))["models"]["embedder"]
        model = cached_embedder(weights, HashEmbedder).model
        cache.keep(model, {"another text": HashEmbedder(16).embed(["another text"])[0]})
    stopped("resume", str(other), path=other)
    assert main(["replay", str(other)]) == 1
    assert "a vector is needed that was not kept: " in capsys.readouterr().err.splitlines()[-1]
    server.answers = [answer]
    assert main(["resume", str(other)]) == 0


def test_others_go_on_while_a_server_whose_vectors_are_in_the_cache_is_waited_for(server):
    backends = find_backends(run_config(model="scripted", embedder=f"openai:{server.url}#slow"))
    server.answers, free = [answer], threading.Event()
    with backends.open_embedder(progress_on().say) as embedder:
        embedder.embed(["bed"])

    def late(path, body):
        return answer(path, body) if free.wait(5) else (500, {}, {})

    async def together(embedder):
        asyncio.get_running_loop().call_later(0.01, free.set)
        await prefetch(embedder, ["chair"])

    server.answers = [late]
    with backends.open_embedder(progress_on().say) as embedder:
        asyncio.run(together(embedder))
    assert [body["input"] for _, _, body in server.requests] == [["a"], ["bed"], ["chair"]]


def other(path, body):
    """What another model answers, whose vectors are as long."""
    return answer(path, {"input": [text[::-1] for text in body["input"]]})


def shorter(path, body):
    """What one answers whose vectors are not."""
    told = answer(path, body)
    return {"data": [{**row, "embedding": row["embedding"][:8]} for row in told["data"]]}


def test_another_model_at_the_address_is_not_gone_on_with(server, tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("IROLLAN_CACHE", str(tmp_path))
    name, run = f"openai:{server.url}", tmp_path / "run"
    begin = ["run", "--model", "scripted", "--embedder", name, "--steps", "1", "--out"]
    server.answers = [answer]
    assert main([*begin, str(run)]) == 0
    kept = (run / "embeddings.sqlite").read_bytes()
    lines = (run / "events.jsonl").read_bytes()

    def stopped(*command):
        capsys.readouterr()
        assert main(list(command)) == 1
        told = capsys.readouterr().err.splitlines()[-1]
        assert re.match(
            rf"irollan: {name} has another model than before: its vector of '.+' has (a cosine of -?0\.\d\d with the "
            "one that was kept|8 numbers, and had 16); have it serve that one again, or begin a new run with the other",
            told,
        )

    for changed, cache in ((other, tmp_path), (shorter, tmp_path), (other, tmp_path / "empty")):
        server.answers = [changed]
        # The vectors of the run are enough to tell.
        monkeypatch.setenv("IROLLAN_CACHE", str(cache))
        stopped("resume", str(run), "--steps", "4")
        assert (run / "events.jsonl").read_bytes() == lines
    assert (run / "embeddings.sqlite").read_bytes() == kept
    monkeypatch.setenv("IROLLAN_CACHE", str(tmp_path))
    # Nor is it mixed with what another run left in the cache, unless it has another name.
    server.answers = [other]
    stopped(*begin[:-2], "4", "--out", str(tmp_path / "second"))
    begin[4] = f"{name}#other"
    assert main([*begin, str(tmp_path / "third")]) == 0

    # One that rounds otherwise is the same, and is asked no more often for that.
    def rounded(path, body):
        told = answer(path, body)
        for row in told["data"]:
            row["embedding"] = [round(number, 2) for number in row["embedding"]]
        return told

    server.answers = [rounded]
    server.requests.clear()
    assert main(["resume", str(run), "--steps", "4"]) == 0
    asked = [text for _, _, body in server.requests for text in body["input"]]
    assert len(asked) == len(set(asked))


def test_a_shared_cache_without_room_is_said_once_and_ends_no_run(server, tmp_path, capsys, monkeypatch):
    keep = EmbeddingCache.keep

    def full(self, model, vectors):
        if self.path == shared_cache_path():
            self._database.execute("PRAGMA max_page_count = 1")
        keep(self, model, vectors)

    monkeypatch.setenv("IROLLAN_CACHE", str(tmp_path))
    monkeypatch.setattr(EmbeddingCache, "keep", full)
    server.answers = [answer]
    run = ["run", "--model", "scripted", "--embedder", f"openai:{server.url}#small", "--steps", "1", "--out"]
    assert main([*run, str(tmp_path / "run")]) == 0
    said = f"embeddings are not shared with other runs: cannot write {tmp_path / 'embeddings.sqlite'}: database or disk"
    assert capsys.readouterr().err.count(said) == 1
    assert main(["replay", str(tmp_path / "run")]) == 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("choosing = 'plain'", "unknown option 'choosing' of openai:.*: for an embedder it must be one of concurrency"),
        ("retrys = 1", "unknown option 'retrys' .*; did you mean 'retries'"),
        ("rate = 'fast'", "the option rate of openai:.* must be of type float, got 'fast'"),
    ],
)
def test_options_that_an_embedder_does_not_have(options, message, tmp_path, capsys):
    name = "openai:http://127.0.0.1:9/v1#small"
    (tmp_path / "models.toml").write_text(f'name = "scripted"\n[options."{name}"]\n{options}\n')
    run = ["run", "--model", str(tmp_path / "models.toml"), "--embedder", name, "--out", str(tmp_path / "run")]
    assert main(run) == 2
    assert re.search(message, capsys.readouterr().err)
    assert not (tmp_path / "run").exists()
