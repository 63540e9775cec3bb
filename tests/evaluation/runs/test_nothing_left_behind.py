"""Threads and sockets of this process before and after a run, whatever became of it."""

import hashlib
import os
import signal
import threading
import time
from contextlib import contextmanager
from pathlib import Path

import pytest
from configs import run_config
from society_answers import answer as answer_of_society
from stand_in import chat

import evaluation
from evaluation.commands.cli import main
from evaluation.records.run_directory import RunDirectory
from language_models.embedders.hash_embedder import HashEmbedder
from language_models.embedders.openai_embedder import OpenAIEmbedder
from language_models.remote.openai_compatible import OpenAICompatible


def sockets():
    found = set()
    for entry in Path("/proc/self/fd").iterdir():
        try:
            target = os.readlink(entry)
        except FileNotFoundError:
            continue
        if target.startswith("socket:"):
            found.add(target)
    return found


@pytest.fixture
def kept(monkeypatch):
    """Everything that is built, so that nothing is closed by being forgotten."""
    built = []
    for kind in (OpenAICompatible, OpenAIEmbedder):
        begin = kind.__init__

        def init(self, *arguments, begin=begin, **options):
            built.append(self)
            begin(self, *arguments, **options)

        monkeypatch.setattr(kind, "__init__", init)
    return built


@contextmanager
def nothing_left_behind():
    threads, open_before = set(threading.enumerate()), sockets()
    yield
    until = time.monotonic() + 3
    # The stand-in server is in this process, too, and has to hear that it was hung up on.
    while (left := [*(set(threading.enumerate()) - threads), *(sockets() - open_before)]) and time.monotonic() < until:
        time.sleep(0.01)
    assert left == []


def society(path, body):
    """What the model and the embedder behind the address answer."""
    if path.endswith("/models"):
        return {"data": [{"id": "qwen"}, {"id": "small"}]}
    if path.endswith("/v1/completions"):
        return (404, {}, b"no such address")
    if path.endswith("/embeddings"):
        vectors = HashEmbedder().embed(body["input"])
        return {"data": [{"index": place, "embedding": row.tolist()} for place, row in enumerate(vectors)]}
    prompt = body["messages"][-1]["content"]
    if "response_format" in body:
        return chat(answer_of_society(body))
    if prompt.endswith("There may be"):
        return chat("Shelves with books, and tables.")
    spoken = "\nWords: Good day." if "talk with" in prompt.rpartition("You are about to:")[2] else ""
    return chat(f"Thought: I wonder who lives here.{spoken}")


def arguments(server, out, *more):
    model, embedder = f"openai:{server.url}#qwen", f"openai:{server.url}#small"
    file = out.with_name("models.toml")
    file.write_text(
        f'name = "{model}"\n[options."{model}"]\nbackoff = 0.0\nretries = 1\n[options."{embedder}"]\nbackoff = 0.0\n'
    )
    return ["run", "--model", str(file), "--embedder", embedder, "--steps", "2", "--out", str(out), *more]


@pytest.mark.parametrize("how", ["finished", "failed", "interrupted", "no embedder", "no room"])
def test_a_run_with_a_server(server, tmp_path, monkeypatch, kept, how):
    monkeypatch.setenv("IROLLAN_CACHE", str(tmp_path / hashlib.sha256(how.encode()).hexdigest()))
    asked = []

    def answer(path, body):
        asked.append(path)
        if how == "no embedder" or (how == "failed" and len(asked) > 6):
            return (503, {}, b"busy")
        if how == "interrupted" and len(asked) == 6:
            os.kill(os.getpid(), signal.SIGINT)
        return society(path, body)

    server.answers = [answer]
    out = tmp_path / "run"
    if how == "no room":
        # The models are loaded before the directory is written to.
        monkeypatch.setattr("evaluation.runs.start.RunWriter", full_disk)
    with nothing_left_behind():
        status = main(arguments(server, out))
    expected = {"finished": 0, "failed": 1, "interrupted": 1, "no embedder": 1, "no room": 1}
    assert status == expected[how]
    if how in ("finished", "failed", "interrupted"):
        manifest = RunDirectory(out).read_manifest()
        assert manifest["status"] == ("stopped" if how == "interrupted" else how)
    model = set() if how == "no embedder" else {OpenAICompatible}
    assert {type(one) for one in kept} == {OpenAIEmbedder} | model
    assert asked


def test_going_on_and_branching(server, tmp_path, monkeypatch, kept):
    server.answers = [society]
    run, branch = tmp_path / "run", tmp_path / "branch"
    assert main([*arguments(server, run), "--max-tokens", "1"]) == 1
    with nothing_left_behind():
        assert main(["resume", str(run), "--no-limits"]) == 0
        assert main(["branch", str(run), "--at", "1", "--seed", "5", "--out", str(branch)]) == 0
        assert main(["replay", str(branch)]) == 0
    assert len([one for one in kept if isinstance(one, OpenAICompatible)]) >= 3


def full_disk(*_, **__):
    raise OSError(28, "No space left on device")


@pytest.mark.parametrize("fails", [False, True])
def test_a_society_in_memory(server, kept, fails):
    server.answers = [(503, {}, b"busy") if fails else society]
    name = f"openai:{server.url}"
    configuration = run_config(model=f"{name}#qwen", embedder=f"{name}#small", steps=1, architecture="itcma-s")
    with nothing_left_behind():
        if fails:
            with pytest.raises(evaluation.RunError, match="busy"):
                evaluation.run(
                    configuration, model=OpenAICompatible(server.url, "qwen", retries=0), embedder=HashEmbedder()
                )
        else:
            assert len(evaluation.run(configuration).records) == 6


def test_a_society_in_memory_asks_as_the_options_say(server):
    server.answers = [society]
    name = f"openai:{server.url}"
    configuration = run_config(
        model="scripted",
        embedder=f"{name}#small",
        roles={"writing": f"{name}#qwen"},
        options={f"{name}#{one}": {"extra_body": {"for": one}} for one in ("small", "qwen")},
        steps=1,
    )
    with nothing_left_behind():
        evaluation.run(configuration)
    assert {(path[3:], body["for"]) for path, _, body in server.requests} == {
        ("/embeddings", "small"),
        ("/chat/completions", "qwen"),
    }


def test_a_run_without_any_server(tmp_path, monkeypatch):
    with nothing_left_behind():
        assert main(["run", "--model", "scripted", "--steps", "1", "--out", str(tmp_path / "run")]) == 0
        assert len(evaluation.run(run_config(model="scripted", embedder="hash", steps=1)).records) == 6


@pytest.mark.needs_torch
def test_a_model_that_was_loaded_before_another_one_failed(tmp_path, monkeypatch):
    closed = []

    class Loaded:
        name = "transformers:loaded"

        def close(self):
            closed.append(self)

    def load(path, **_):
        if path.name == "broken":
            raise RuntimeError("out of memory")
        return Loaded()

    monkeypatch.setattr("language_models.local.transformers_model.TransformersModel", load)
    for name in ("loaded", "broken"):
        (tmp_path / name).mkdir()
    models = ["--model", f"transformers:{tmp_path / 'loaded'}", "--model", f"action=transformers:{tmp_path / 'broken'}"]
    assert main(["run", *models, "--embedder", "hash", "--out", str(tmp_path / "run")]) == 1
    assert len(closed) == 1


def test_trying_a_model_and_an_embedder(server, kept):
    server.answers = [society]
    with nothing_left_behind():
        main(["models", "test", f"openai:{server.url}#qwen"])
        main(["models", "test", f"openai:{server.url}#small", "--embedder"])
    assert {type(one) for one in kept} == {OpenAICompatible, OpenAIEmbedder}


@pytest.mark.parametrize("fails", [False, True])
def test_a_judge(server, tmp_path, monkeypatch, kept, fails):
    assert main(["run", "--model", "scripted", "--steps", "2", "--out", str(tmp_path / "run")]) == 0
    server.answers = [(401, {}, b"who are you?") if fails else chat("3")]
    model = f"openai:{server.url}#qwen"
    with nothing_left_behind():
        judged = main(["judge", str(tmp_path / "run"), "--model", model, "--out", str(tmp_path / "ratings")])
    assert judged == int(fails)
    assert any(isinstance(one, OpenAICompatible) for one in kept)
