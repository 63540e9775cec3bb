"""Connections that never come to the point: they are let go, and everybody else is answered meanwhile."""

import asyncio
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from threading import Event
from urllib.parse import urlsplit

import httpx
import pytest
from live_server import running
from starlette.types import Receive, Scope, Send

from irollan_env.server.app import create_app
from irollan_env.server.connections import LASTING
from irollan_env.server.limits import Limits
from irollan_env.server.serving import allow_open_files

HALF_A_HEAD = b"POST /sessions HTTP/1.1\r\nHost: 127.0.0.1\r\n"
HALF_A_BODY = HALF_A_HEAD + b"Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{"
PATIENCE = 30.0
APP = create_app()


@contextmanager
def connected(address: str, sent: bytes) -> Iterator[socket.socket]:
    url = urlsplit(address)
    with socket.create_connection((str(url.hostname), url.port or 80), timeout=PATIENCE) as connection:
        connection.sendall(sent)
        yield connection


def received(connection: socket.socket) -> bytes:
    """Everything until the server ends the connection."""
    pieces = []
    try:
        while piece := connection.recv(65536):
            pieces.append(piece)
    except ConnectionResetError:
        pass
    return b"".join(pieces)


def answer(connection: socket.socket) -> bytes:
    """One answer with a body in JSON, which may come in pieces."""
    read = connection.recv(65536)
    while not read.endswith(b"}"):
        read += connection.recv(65536)
    return read


def test_a_request_that_does_not_come_to_an_end_is_dropped(capfd: pytest.CaptureFixture[str]) -> None:
    with running(APP, limits=Limits(wait=0.2)) as address:
        for begun in (b"", HALF_A_HEAD, HALF_A_BODY):
            with connected(address, begun) as hanging:
                assert b"201 Created" not in received(hanging)
    assert capfd.readouterr().err == ""


def test_a_connection_that_rests_is_closed() -> None:
    """Also where the answer came before the end of the request."""
    limits = Limits(wait=0.2, body=10)
    with running(create_app(limits=limits), limits=limits) as address:
        with connected(address, HALF_A_HEAD + b"Content-Length: 0\r\n\r\n") as answered:
            assert b"201 Created" in received(answered)
        with connected(address, HALF_A_BODY) as refused:
            assert b"413 " in answer(refused)
            refused.sendall(b" " * 99)
            assert received(refused) == b""


def test_an_answer_that_is_not_taken_is_dropped() -> None:
    ended = Event()

    async def endless(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        await send({"type": "http.response.start", "status": 200, "headers": []})
        for _ in range(2000):
            await send({"type": "http.response.body", "body": bytes(2**16), "more_body": True})
        ended.set()

    with running(endless, limits=Limits(wait=0.2)) as address, connected(address, b"GET / HTTP/1.1\r\n\r\n"):
        assert ended.wait(PATIENCE)


def test_an_answer_without_an_end_has_no_deadline() -> None:
    async def lasting(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            scope["state"][LASTING] = True
            await send({"type": "http.response.start", "status": 200, "headers": []})
            for more in (True, False):
                await asyncio.sleep(0.6)  # connections are looked at every 0.2 seconds
                await send({"type": "http.response.body", "body": b"x", "more_body": more})

    with running(lasting, limits=Limits(wait=0.2)) as address:
        assert httpx.get(address, timeout=PATIENCE).text == "xx"


def test_hundreds_of_half_requests_stop_nobody(capfd: pytest.CaptureFixture[str]) -> None:
    allow_open_files(2000)
    limits = Limits(connections=30)
    with running(APP, limits=limits) as address, ExitStack() as stack:
        honest = stack.enter_context(httpx.Client(base_url=address))
        session = honest.post("/sessions", json={"max_steps": 400}).json()["session"]
        honest.post(f"/sessions/{session}/reset", json={"seed": 0})
        for number in range(40):
            bad = [stack.enter_context(connected(address, part)) for part in (HALF_A_HEAD, HALF_A_BODY)]
            assert honest.post(f"/sessions/{session}/step").is_success
            if number % 20 == 0:
                assert httpx.get(f"{address}/sessions/{session}/observations").is_success
        assert all(connection.fileno() >= 0 for connection in bad)
        assert honest.get(f"/sessions/{session}/observations").json()["observations"]["AY"]["time"] == 40
    assert capfd.readouterr().err == ""


def test_the_oldest_strangers_go_first() -> None:
    limits = Limits(connections=3)
    with running(APP, limits=limits) as address, ExitStack() as stack:
        known = stack.enter_context(connected(address, HALF_A_HEAD + b"Content-Length: 0\r\n\r\n"))
        assert b"201 Created" in answer(known)
        strangers = [stack.enter_context(connected(address, HALF_A_HEAD)) for _ in range(3)]
        assert received(strangers[0]) == b""
        for connection in (known, *strangers[1:]):
            connection.sendall(b"" if connection in strangers else HALF_A_HEAD)
            connection.sendall(b"Content-Length: 0\r\n\r\n")
            assert b"201 Created" in answer(connection)


def test_whoever_has_no_token_stays_a_stranger() -> None:
    limits = Limits(connections=2)
    with running(create_app(token="secret"), token="secret", limits=limits) as address, ExitStack() as stack:
        known = stack.enter_context(
            connected(address, HALF_A_HEAD + b"Authorization: Bearer secret\r\nContent-Length: 0\r\n\r\n")
        )
        assert b"201 Created" in answer(known)
        for request in (b"POST /sessions", b"GET /openapi.json"):
            refused = stack.enter_context(
                connected(address, request + b" HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n")
            )
            answer(refused)
            stack.enter_context(connected(address, HALF_A_HEAD))
            received(refused)
        known.sendall(HALF_A_HEAD + b"Authorization: Bearer secret\r\nContent-Length: 0\r\n\r\n")
        assert b"201 Created" in answer(known)


def test_heads_are_bounded(capfd: pytest.CaptureFixture[str]) -> None:
    trailers = HALF_A_HEAD + b"Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n0\r\n"
    with running(create_app(token="secret"), token="secret") as address:
        for begin, more in ((HALF_A_HEAD, b"X: y\r\n"), (b"GET /", b"a"), (trailers, b"X: y\r\n")):
            with connected(address, begin) as connection, pytest.raises(OSError, match=r"reset|pipe"):
                connection.sendall(more * (30_000_000 // len(more)))
    assert capfd.readouterr().err == ""


def test_a_head_that_is_too_long_is_told_so() -> None:
    limits = Limits(head=1000)
    with running(APP, limits=limits) as address:
        refused = httpx.get(f"{address}/openapi.json", headers={"x-long": "a" * 2000})
        assert refused.status_code == 431
        assert refused.json() == {"detail": "the head is longer than 1000 bytes"}
        fits = httpx.post(f"{address}/sessions", json={"max_steps": 5}, headers={"x-long": "a" * 500})
        assert fits.status_code == 201


def test_bodies_do_not_count_as_heads() -> None:
    limits = Limits(head=1000)
    with running(APP, limits=limits) as address, httpx.Client(base_url=address) as http:
        for _ in range(3):
            session = http.post("/sessions").json()["session"]
            refused = http.post(f"/sessions/{session}/restore", json={"state": {"much": "x" * 500_000}})
            assert refused.status_code == 422


@pytest.mark.parametrize(
    ("sent", "answer"),
    [(b"hello\r\n\r\n", b"HTTP/1.1 400 "), (2 * (HALF_A_HEAD + b"Content-Length: 0\r\n\r\n"), b"")],
    ids=["no HTTP", "two requests at once"],
)
def test_what_is_not_spoken_is_refused(sent: bytes, answer: bytes, capfd: pytest.CaptureFixture[str]) -> None:
    with running(APP) as address, connected(address, sent) as connection:
        assert received(connection).startswith(answer)
        assert httpx.post(f"{address}/sessions").status_code == 201
    assert capfd.readouterr().err == ""


SERVE = """
from irollan_env.server.app import create_app
from irollan_env.server.limits import Limits
from irollan_env.server.serving import address_of, listen, serve
listening = listen("127.0.0.1", 0, protected=False)
print(address_of(listening), flush=True)
serve(create_app(), listening, Limits())
"""


def test_the_end_waits_for_nobody() -> None:
    command = [sys.executable, "-c", SERVE]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        assert server.stderr is not None
        address = server.stdout.readline().strip()
        with connected(address, HALF_A_HEAD), connected(address, HALF_A_BODY), httpx.Client(base_url=address) as idle:
            assert idle.post("/sessions").status_code == 201
            os.kill(server.pid, signal.SIGINT)
            # Within a time that is below the one for which the server waits for others to finish.
            assert server.wait(PATIENCE) == 0
        assert server.stderr.read() == ""


def test_as_many_connections_as_there_can_be_files(monkeypatch: pytest.MonkeyPatch) -> None:
    resource = pytest.importorskip("resource")
    allowed = [256, 4096]
    monkeypatch.setattr(resource, "getrlimit", lambda what: tuple(allowed))
    monkeypatch.setattr(resource, "setrlimit", lambda what, limits: allowed.__setitem__(slice(None), limits))
    allow_open_files(10)
    assert allowed == [256, 4096]
    allow_open_files(512)
    assert allowed == [704, 4096]
    with pytest.raises(ValueError, match="10192 open files"):
        allow_open_files(10_000)
