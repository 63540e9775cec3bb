"""An OpenAI-compatible address on loopback that answers as another one did, from a record of it.

`python examples/recorded_address.py examples/recorded_arena/answers.jsonl` begins it, and Ctrl-C ends it. What is not
in the record is refused with status 404. With `--asking ADDRESS` it is asked there, and its answer added to the record.
"""

from __future__ import annotations

import argparse
import json
import threading
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

LONGEST = 3600.0
"""Seconds that the other address may take for an answer."""


class Record:
    """Requests and their answers, a JSON object a line: {"asked": {...}, "answered": {...}}."""

    def __init__(self, path: Path, asking: str = "") -> None:
        """Read a record.

        Args:
            path: Its file; one that is not there is begun where another address is asked.
            asking: The other address up to and including its version; empty to refuse what was not recorded.
        """
        self._path = path
        self._asking = asking.rstrip("/")
        self._lock = threading.Lock()
        self._answers: dict[str, Any] = {}
        if path.exists() or not asking:
            for line in path.read_text(encoding="utf-8").splitlines():
                one = json.loads(line)
                self._answers[_key(one["asked"])] = one["answered"]

    def answer(self, asked: dict[str, Any]) -> Any:
        """The answer to a request; None where there is none."""
        key = _key(asked)
        if key not in self._answers and self._asking:
            answered = self._ask(asked)
            line = json.dumps({"asked": asked, "answered": answered}, ensure_ascii=False)
            with self._lock, self._path.open("a", encoding="utf-8") as file:
                file.write(f"{line}\n")
                self._answers[key] = answered
        return self._answers.get(key)

    def _ask(self, asked: dict[str, Any]) -> Any:
        request = urllib.request.Request(
            f"{self._asking}/chat/completions", json.dumps(asked).encode(), {"Content-Type": "application/json"}
        )
        with urllib.request.urlopen(request, timeout=LONGEST) as response:
            return json.load(response)


def _key(asked: dict[str, Any]) -> str:
    """What tells requests apart: seeds are sent in 31 bits, and answers never as a stream."""
    same = {name: value for name, value in asked.items() if name not in ("model", "stream", "seed")}
    return json.dumps({**same, "seed": asked.get("seed", 0) % 2**31}, sort_keys=True)


def server(record: Record, port: int) -> ThreadingHTTPServer:
    """A server of a record on a port of loopback; 0 for any that is free."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True  # Head and body are two writes: the second would wait for an acknowledgement.

        def do_GET(self) -> None:
            self._give(200, {"object": "list", "data": [{"id": "recorded", "object": "model"}]})

        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            answered = record.answer(asked)
            if answered is None:
                self._give(404, {"error": {"message": "this request is not in the record"}})
            else:
                self._give(200, answered)

        def _give(self, status: int, body: Any) -> None:
            content = json.dumps(body).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: object) -> None: ...

    return ThreadingHTTPServer(("127.0.0.1", port), Handler)


def main() -> None:
    """Serve until interrupted."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("record", type=Path, metavar="FILE", help="the record")
    parser.add_argument("--asking", default="", metavar="ADDRESS", help="where to ask what is not in it")
    parser.add_argument("--port", type=int, default=8765, help="0 for any that is free")
    arguments = parser.parse_args()
    listening = server(Record(arguments.record, arguments.asking), arguments.port)
    print(f"openai:http://127.0.0.1:{listening.server_port}/v1", flush=True)
    try:
        listening.serve_forever()
    except KeyboardInterrupt:
        listening.server_close()


if __name__ == "__main__":
    main()
