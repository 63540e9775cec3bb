"""Every server of the project keeps the same limits, and asks who is there before it reads a body."""

import asyncio
from functools import partial

import httpx
import pytest
import uvicorn
from fastapi.testclient import TestClient
from live_server import running
from rating_studies import agree, load, small_study
from viewed import copy_of_life

from evaluation.commands.cli import main
from evaluation.rating.application import create_app as rating_app
from evaluation.rating.participation import Terms
from evaluation.records.run_directory import RunDirectory
from evaluation.viewer.application import create_app as viewer_app
from evaluation.viewer.gate import Gate
from irollan_env.server.app import create_app as environment_app
from irollan_env.server.connections import BoundedHttp
from irollan_env.server.limits import Limits

BODY = 500_000
"""Bytes that are more than any of the servers takes here."""
ORIGIN = "http://127.0.0.1:8123"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("servers")
    copy_of_life(folder / "life", steps=1)
    small_study(folder)
    return folder


@pytest.fixture(scope="module", params=["environment", "viewer", "rating"])
def served(request, folder):
    """An application, the method and path to which a stranger sends, its headers, and the same of who may."""
    if request.param == "environment":
        app = environment_app(token="secret", limits=Limits(body=50_000))
        yield app, "POST", "/sessions", {}, "/sessions", {"authorization": "Bearer secret"}
    elif request.param == "viewer":
        app = viewer_app([RunDirectory(folder / "life")], "secret", Gate())
        yield app, "POST", "/wrong/wish", {"origin": ORIGIN}, "/secret/wish", {"origin": ORIGIN}
    else:
        directory = next(one.parent for one in folder.rglob("study.json"))
        study, store = load(directory)
        app, path = rating_app(study, store, Terms.load(directory)), "/1/answers/logicality"
        link = f"/rate/{next(iter(study.tokens.values()))}"
        agree(TestClient(app), link)
        yield app, "PUT", f"/rate/wrong{path}", {}, f"{link}{path}", {}
        store.close()


def test_the_body_of_a_stranger_is_not_read(served):
    app, method, path, headers, _, _ = served
    sent = []

    async def receive():
        raise AssertionError("the body was read")

    async def send(message):
        sent.append(message)

    given = {"host": "127.0.0.1:8123", "content-length": str(10**9), **headers}
    scope = {
        "type": "http",
        "method": method,
        "path": path,
        "headers": [(name.encode(), value.encode()) for name, value in given.items()],
        "query_string": b"",
    }
    asyncio.run(app(scope, receive, send))
    assert sent[0]["status"] in (401, 404)


@pytest.mark.parametrize("announced", [True, False])
def test_a_body_that_is_too_long_is_refused(served, announced):
    app, method, _, _, path, headers = served
    content = b" " * BODY if announced else iter([b" " * 1000] * (BODY // 1000))
    with running(app) as address, httpx.Client(base_url=address) as client:
        headers = headers | ({"origin": address} if "origin" in headers else {})
        answer = client.request(
            method, path, content=content, headers={"content-type": "application/json", **headers}, timeout=30
        )
        assert answer.status_code == 413


@pytest.mark.parametrize(
    "body",
    [
        b'{"wish": NaN}',
        b'{"wish": -Infinity}',
        b'{"wish": "\\ud800"}',
        b'{"wish": ' + b"[" * 20_000,
        b'{"wish": ' + b"9" * 5_000 + b"}",
        b"\xff",
        b"null",
        b"",
    ],
)
def test_a_body_that_is_no_request_is_refused_without_a_trace(served, body):
    app, method, _, _, path, headers = served
    transport = httpx.ASGITransport(app)

    async def ask():
        async with httpx.AsyncClient(transport=transport, base_url=ORIGIN) as client:
            return await client.request(
                method, path, content=body, headers={"content-type": "application/json", **headers}
            )

    # The environment makes a session without a body.
    assert asyncio.run(ask()).status_code in ((201, 400, 422) if body in (b"", b"null") else (400, 422))


@pytest.mark.parametrize("command", ["serve", "view", "rate serve"])
def test_every_command_bounds_the_connections_of_its_server(folder, monkeypatch, command):
    configs = []
    monkeypatch.setattr(uvicorn.Server, "run", lambda self, **_: configs.append(self.config))
    place = {"serve": [], "view": [folder / "life"], "rate serve": [next(folder.rglob("study.json")).parent]}[command]
    assert main([*command.split(), *map(str, place), "--port", "0"]) == 0
    (config,) = configs
    assert isinstance(config.http, partial)
    assert config.http.func is BoundedHttp
