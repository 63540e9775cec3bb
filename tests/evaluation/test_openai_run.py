"""A society on a server with an OpenAI-compatible address: one that trims its answers, as chat servers do."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from evaluation.cli import main
from evaluation.run_directory import RunDirectory


def answer(body: dict[str, Any]) -> str:
    prompt = body["messages"][-1]["content"]
    if "response_format" in body:
        schema = body["response_format"]["json_schema"]["schema"]
        return json.dumps({"choice": schema["properties"]["choice"]["enum"][0]})
    if prompt.endswith("There may be"):
        return "Rows of shelves with books, and a few quiet tables for reading."
    words = "\nWords: Good day, neighbour." if "talk with" in prompt.rpartition("You are about to:")[2] else ""
    return f"Thought: I wonder who lives here.{words}"


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        message = {"role": "assistant", "content": answer(body)}
        usage = {"prompt_tokens": 10, "completion_tokens": 5}
        content = json.dumps({"choices": [{"message": message}], "usage": usage}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: object) -> None: ...


@pytest.fixture
def address() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        server.block_on_close = False
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        yield f"openai:http://127.0.0.1:{server.server_port}/v1#qwen"
        server.shutdown()
        thread.join()


def test_a_society_lives_on_a_server(address: str, tmp_path: Path) -> None:
    assert main(["run", "--model", address, "--embedder", "hash", "--steps", "4", "--out", str(tmp_path)]) == 0
    records = RunDirectory(tmp_path).records()
    assert len(records) == 24
    assert [record["failure"] for record in records if record["failure"] is not None] == []
    assert {record["thought"] for record in records} == {"I wonder who lives here."}
    expected = [sentence for record in records for sentence in record["protention"].values()]
    assert any("There may be Rows of shelves with books, and a few quiet tables" in sentence for sentence in expected)
    said = [record["action"] for record in records if record["action"].startswith("chat with")]
    assert said
    assert all("Good day, neighbour." in action for action in said)
