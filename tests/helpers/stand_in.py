"""A stand-in for a server with the OpenAI API, on a loopback port."""

import asyncio
import contextlib
import json
import threading
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

COUNTS = {"prompt_tokens": 12, "completion_tokens": 3, "prompt_tokens_details": {"cached_tokens": 8}}


@dataclass
class Server:
    """Answers come from a list of (status, headers, body), the last one again; none goes out while `free` is cleared.

    Each of `faults` befalls one answer before: "truncated" cuts it short, "closed" sends nothing, "dripping" stalls.
    """

    url: str = ""
    answers: list[Any] = field(default_factory=list)
    requests: list[tuple[str, dict[str, str], Any]] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)
    at_once: int = 0
    most_at_once: int = 0
    delay: float = 0.0
    faults: list[str] = field(default_factory=list)
    free: threading.Event = field(default_factory=threading.Event)
    handler: Any = None

    async def asked(self, times=1):
        """Wait until so many requests came."""
        until = time.monotonic() + 10
        while len(self.requests) < times:
            assert time.monotonic() < until, f"{len(self.requests)} requests came, not {times}"
            await asyncio.sleep(0.001)

    def reply(self, path, headers, body):
        with self.lock:
            self.requests.append((path, headers, body))
            self.at_once += 1
            self.most_at_once = max(self.most_at_once, self.at_once)
            answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        time.sleep(self.delay)
        self.free.wait(10)
        with self.lock:
            self.at_once -= 1
        answer = answer(path, body) if callable(answer) else answer
        status, extra, content = answer if isinstance(answer, tuple) else (200, {}, answer)
        return status, extra, content if isinstance(content, bytes) else json.dumps(content).encode()


class Listening(ThreadingHTTPServer):
    request_queue_size = 128


@contextmanager
def serving(port=0):
    """A server of its own, at a port of its own."""
    with listening(port) as fresh:
        yield fresh()


@contextmanager
def listening(port=0):
    """One listening address for several servers, one after the other: each call begins a new one in place of the last.

    A request that is under way stays with the server that it came to.
    """
    current = Server()

    def fresh():
        nonlocal current
        current.free.set()
        current = Server(url=current.url, handler=Handler)
        current.free.set()
        return current

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = (
            True  # Head and body are two writes: the second would wait 40 ms for an acknowledgement.
        )

        def handle_any(self):
            stand_in = current
            length = int(self.headers.get("Content-Length") or 0)
            body = json.loads(self.rfile.read(length)) if length else None
            if stand_in.faults:
                self.fail(stand_in.faults.pop(0))
                return
            status, headers, content = stand_in.reply(self.path, dict(self.headers), body)
            with contextlib.suppress(BrokenPipeError, ConnectionResetError):
                (self.send_response_only if "Date" in headers else self.send_response)(status)
                for name, value in {"Content-Length": str(len(content)), **headers}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(content)

        def fail(self, fault):
            self.close_connection = True
            if fault == "closed":
                return
            self.send_response(200)
            self.send_header("Content-Length", "1000")
            self.end_headers()
            with contextlib.suppress(BrokenPipeError, ConnectionResetError):
                for _ in range(1 if fault == "truncated" else 100):
                    self.wfile.write(b"{")
                    self.wfile.flush()
                    time.sleep(0.05)

        do_GET = do_POST = handle_any

        def log_message(self, *_): ...

    with Listening(("127.0.0.1", port), Handler) as server:
        server.daemon_threads = True
        server.block_on_close = False
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        current.url = f"http://127.0.0.1:{server.server_port}/v1"
        yield fresh
        current.free.set()
        server.shutdown()
        thread.join()


def chat(text, logprobs=None):
    choice = {"message": {"role": "assistant", "content": text}}
    if logprobs is not None:
        top = [{"token": token, "logprob": value} for token, value in logprobs.items()]
        choice["logprobs"] = {"content": [{"token": text, "logprob": -0.1, "top_logprobs": top}]}
    return {"choices": [choice], "usage": COUNTS}
