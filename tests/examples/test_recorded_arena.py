"""The recorded arena: held again without its model, and to the table that the docs give of it."""

import json
import threading
import urllib.error
import urllib.request
from contextlib import contextmanager

import pytest
from example_files import load_example
from project import DOCS, EXAMPLES

from evaluation.commands.cli import main

FOLDER = EXAMPLES / "recorded_arena"
ADDRESS = "http://127.0.0.1:8765/v1"


@pytest.fixture(scope="module")
def example():
    return load_example("recorded_address")


@contextmanager
def serving(example, path, asking=""):
    listening = example.server(example.Record(path, asking), 0)
    threading.Thread(target=listening.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
    yield f"http://127.0.0.1:{listening.server_port}/v1"
    listening.shutdown()
    listening.server_close()


def ask(address, words, seed=0):
    body = {"model": "", "messages": [{"role": "user", "content": words}], "seed": seed}
    request = urllib.request.Request(f"{address}/chat/completions", json.dumps(body).encode())
    with urllib.request.urlopen(request) as response:
        answer = json.load(response)["choices"][0]["message"]["content"]
    return answer


# An arena of several scenarios and minds, with MiniLM.
@pytest.mark.slow
@pytest.mark.needs_torch
def test_it_is_held_again_without_its_model(example, tmp_path):
    with serving(example, FOLDER / "answers.jsonl") as address:
        text = (FOLDER / "arena.toml").read_text(encoding="utf-8")
        (tmp_path / "arena.toml").write_text(text.replace(ADDRESS, address))
        assert main(["arena", str(tmp_path / "arena.toml"), "--out", str(tmp_path / "out"), "--at-once", "4"]) == 0
    page = (DOCS / "arena_results.md").read_text(encoding="utf-8")
    assert (tmp_path / "out" / "table.md").read_text(encoding="utf-8").strip() in page
    assert text.strip() in page


def test_what_is_not_recorded_is_refused_or_asked_once_and_kept(example, tmp_path):
    first, second = tmp_path / "first.jsonl", tmp_path / "second.jsonl"
    asked = {"messages": [{"role": "user", "content": "Who is there?"}], "seed": 3, "model": "other"}
    answered = {"choices": [{"message": {"role": "assistant", "content": "LL."}}]}
    first.write_text(json.dumps({"asked": asked, "answered": answered}) + "\n")
    with serving(example, first) as address:
        assert ask(address, "Who is there?", 3) == "LL."
        with pytest.raises(urllib.error.HTTPError, match="404"):
            ask(address, "Who is there?", 4)
        with serving(example, second, address) as asking:
            assert [ask(asking, "Who is there?", 3) for _ in range(2)] == ["LL.", "LL."]
    assert len(second.read_text().splitlines()) == 1
    with serving(example, second) as alone:
        assert ask(alone, "Who is there?", 3) == "LL."
