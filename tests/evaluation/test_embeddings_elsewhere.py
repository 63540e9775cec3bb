"""A society whose names and sentences are compared by a server."""

from __future__ import annotations

import asyncio
import json
import random
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from stand_in import Server

from evaluation.assembly import build_society
from evaluation.cli import main
from evaluation.configuration import Configuration
from evaluation.records import Record
from language_models.embedder import HashEmbedder
from language_models.embedding_cache import EmbeddingCache, shared_cache_path
from language_models.protocol import FloatArray, Generation
from language_models.scripted import ScriptedModel


class Elsewhere(HashEmbedder):
    """Like one at an address, where prefetching takes a while, longer for some than for others.

    Attributes:
        waited_for: What did not come by prefetching.
    """

    def __init__(self) -> None:
        super().__init__()
        self.waited_for: list[str] = []
        self._here: set[str] = set()
        self._generator = random.Random(0)

    async def prefetch(self, texts: Iterable[str]) -> None:
        wanted = set(texts)
        for _ in range(self._generator.randrange(30) if wanted - self._here else 0):
            await asyncio.sleep(0)
        self._here |= wanted

    def embed(self, texts: Sequence[str]) -> FloatArray:
        self.waited_for += sorted(set(texts) - self._here)
        self._here |= set(texts)
        return super().embed(texts)


class Late(ScriptedModel):
    """A model that takes a while, longer for some than for others."""

    _generator = random.Random(1)

    async def generate(self, *arguments: Any, **options: Any) -> Generation:
        for _ in range(self._generator.randrange(30)):
            await asyncio.sleep(0)
        return await super().generate(*arguments, **options)


def live(embedder: HashEmbedder, model: ScriptedModel, architecture: str, name: str) -> list[Record]:
    configuration = Configuration(architecture=architecture, model=name, embedder="hash", steps=12)
    society = build_society(configuration, model, embedder)

    async def steps() -> list[Record]:
        return [record for _ in range(configuration.steps) for record in (await society.step()).records]

    return asyncio.run(steps())


@pytest.mark.parametrize(
    ("architecture", "name"), [("ltrha", "scripted"), ("itcma-s", "openai:http://127.0.0.1:9/v1#q")]
)
def test_minds_wait_for_a_server_together_and_live_the_same_life(architecture: str, name: str) -> None:
    elsewhere = Elsewhere()
    lived = live(HashEmbedder(), ScriptedModel(), architecture, name)
    assert live(elsewhere, ScriptedModel(), architecture, name) == lived
    assert live(HashEmbedder(), Late(), architecture, name) == lived
    # All of it was prefetched.
    assert elsewhere.waited_for == []


def answer(path: str, body: Any) -> dict[str, Any]:
    vectors = HashEmbedder(16).embed(body["input"])
    return {"data": [{"index": n, "embedding": vector.tolist()} for n, vector in enumerate(vectors)]}


def test_a_file_names_an_embedder_to_try(server: Server, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, name = tmp_path / "models.toml", f"openai:{server.url}#small"
    file.write_text(f'embedder = "{name}"\n[options."{name}"]\nextra_body = {{ dimensions = 16 }}\n')
    server.answers = [answer]
    assert main(["models", "test", str(file), "--embedder"]) == 0
    assert server.requests[-1][2]["dimensions"] == 16
    file.write_text('model = "scripted"')
    assert main(["models", "test", str(file), "--embedder"]) == 2
    assert "models.toml names no embedder" in capsys.readouterr().err


def test_a_server_that_stops_answering_stops_the_run_in_one_line_and_it_goes_on_later(
    server: Server, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, name = tmp_path / "models.toml", f"openai:{server.url}#small"
    file.write_text(f'model = "scripted"\nembedder = "{name}"\n[options."{name}"]\nretries = 0\n')
    run = ["run", "--model", str(file), "--steps", "1", "--out"]
    server.answers = [*[answer] * 4, (500, {}, {})]
    assert main([*run, str(tmp_path / "run")]) == 1
    last = capsys.readouterr().err.splitlines()[-1]
    assert "/embeddings failed 1 times, the last time with status 500" in last
    assert last.endswith(f"go on with: irollan resume {tmp_path / 'run'}")
    server.answers = [answer]
    assert main(["resume", str(tmp_path / "run")]) == 0
    assert json.loads((tmp_path / "run" / "manifest.json").read_text("utf-8"))["status"] == "finished"


def test_a_shared_cache_without_room_is_said_once_and_ends_no_run(
    server: Server, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    keep = EmbeddingCache.keep

    def full(self: EmbeddingCache, model: str, vectors: Mapping[str, FloatArray]) -> None:
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
def test_options_that_an_embedder_does_not_have(
    options: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    name = "openai:http://127.0.0.1:9/v1#small"
    (tmp_path / "models.toml").write_text(f'model = "scripted"\n[options."{name}"]\n{options}\n')
    run = ["run", "--model", str(tmp_path / "models.toml"), "--embedder", name, "--out", str(tmp_path / "run")]
    assert main(run) == 2
    assert re.search(message, capsys.readouterr().err)
    assert not (tmp_path / "run").exists()
