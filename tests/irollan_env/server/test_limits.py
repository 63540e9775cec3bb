"""Who is let in, and how much is taken on."""

import pytest
from fastapi.testclient import TestClient

from irollan_env.server import access
from irollan_env.server.access import is_loopback
from irollan_env.server.app import create_app
from irollan_env.server.limits import Limits
from irollan_env.server.serving import address_of, listen

LOOPBACK = "http://127.0.0.1"


def open_session(http: TestClient) -> str:
    return f"/sessions/{http.post('/sessions').json()['session']}"


def test_sessions_are_limited() -> None:
    with TestClient(create_app(limits=Limits(sessions=2)), base_url=LOOPBACK) as http:
        first, _ = open_session(http), open_session(http)
        refused = http.post("/sessions")
        assert refused.status_code == 429
        assert "2 sessions, as many as it may; close one" in refused.json()["detail"]
        http.delete(first)
        assert http.post("/sessions").status_code == 201


def test_idle_sessions_are_closed() -> None:
    now = [0.0]
    with TestClient(create_app(limits=Limits(sessions=2, idle=10.0), clock=lambda: now[0]), base_url=LOOPBACK) as http:
        used, idle = open_session(http), open_session(http)
        now[0] = 9.0
        assert http.post(f"{used}/reset").status_code == 200
        now[0] = 11.0
        gone = http.post(f"{idle}/reset")
        assert gone.status_code == 404
        assert "was idle for more than 10 s" in gone.json()["detail"]
        assert http.post(f"{used}/step").status_code == 200
        assert http.post("/sessions").status_code == 201


def test_texts_are_limited() -> None:
    with TestClient(create_app(limits=Limits(text=20)), base_url=LOOPBACK) as http:
        session = open_session(http)
        http.post(f"{session}/reset")
        long, fits = "x" * 21, "x" * 20
        for path, body, where in (
            ("step", {"actions": {"AY": long}}, "actions['AY']"),
            ("act", {"resident": "AY", "action": long}, "action"),
        ):
            refused = http.post(f"{session}/{path}", json=body)
            assert refused.status_code == 422
            assert refused.json()["detail"] == f"{where} has 21 characters; at most 20 are taken"
        assert http.post(f"{session}/step", json={"actions": {"AY": fits}}).status_code == 200
        http.post("/reset")
        assert http.post("/action", data={"actions": long}).status_code == 422
        assert http.post("/action", data={"actions": fits}).status_code == 200


@pytest.mark.parametrize("name", ["sessions", "body", "text", "idle", "connections", "head", "wait"])
def test_limits_check_themselves(name: str) -> None:
    with pytest.raises(ValueError, match=name):
        Limits(**{name: 0})
    with pytest.raises(ValueError, match=name):
        Limits(**{name: True})


def test_the_token_is_asked_for() -> None:
    app = create_app(token="secret-token")
    with TestClient(app, base_url="http://valley.example") as http:
        for headers in ({}, {"authorization": "Bearer wrong"}, {"authorization": "Bearer secret-tokenx"}):
            for path in ("/sessions", "/reset", "/nowhere"):
                refused = http.post(path, headers=headers)
                assert refused.status_code == 401
                assert refused.headers["www-authenticate"] == "Bearer"
                assert refused.json()["detail"].startswith("the token is missing or wrong")
        assert http.post("/sessions", headers={"authorization": "Bearer secret-token"}).status_code == 201
        assert http.get("/docs").status_code == 200
        assert http.get("/openapi.json").json()["security"] == [{"token": []}]
    with pytest.raises(ValueError, match="a token must consist of visible ASCII characters"):
        create_app(token="two words")


def test_tokens_are_compared_in_constant_time(monkeypatch: pytest.MonkeyPatch) -> None:
    compared = []

    class Recording:
        @staticmethod
        def compare_digest(given: bytes, expected: bytes) -> bool:
            compared.append((given, expected))
            return given == expected

    monkeypatch.setattr(access, "hmac", Recording)
    with TestClient(create_app(token="secret")) as http:
        assert http.post("/sessions", headers={"authorization": "Bearer x"}).status_code == 401
    assert compared == [(b"Bearer x", b"Bearer secret")]


def test_without_a_token_no_web_page_gets_in() -> None:
    with TestClient(create_app()) as http:
        for host, origin, status in (
            ("127.0.0.1:8000", None, 201),
            ("localhost", None, 201),
            ("[::1]:8000", None, 201),
            ("localhost:8000", "http://localhost:8000", 201),
            ("rebound.example", None, 400),
            ("[oops", None, 400),
            ("localhost:8000", "http://evil.example", 403),
            ("localhost:8000", "http://localhost:9000", 403),
            ("localhost:8000", "null", 403),
            ("localhost:8000", "http://[", 403),
            ("localhost:8000", "http://[::g]:80", 403),
        ):
            headers = {"host": host} | ({"origin": origin} if origin else {})
            assert http.post("/sessions", headers=headers).status_code == status, headers


@pytest.mark.parametrize(
    ("host", "near"),
    [
        ("127.0.0.1", True),
        ("127.9.9.9", True),
        ("::1", True),
        ("LOCALHOST", True),
        ("0.0.0.0", False),
        ("::", False),
        ("", False),
        ("192.168.0.2", False),
        ("localhost.example", False),
    ],
)
def test_only_loopback_goes_without_a_token(host: str, near: bool) -> None:
    assert is_loopback(host) is near
    if not near:
        with pytest.raises(ValueError, match="can be reached from other machines, which needs a token"):
            listen(host, 0, protected=False)


def test_listening() -> None:
    with listen("127.0.0.1", 0, protected=False) as taken:
        port = int(address_of(taken).rsplit(":", 1)[1])
        with pytest.raises(OSError, match=f"cannot listen on 127.0.0.1 port {port}: .*; give another --port"):
            listen("127.0.0.1", port, protected=False)
    with pytest.raises(ValueError, match=r"port must lie in \[0, 65535\], got 70000"):
        listen("127.0.0.1", 70000, protected=False)
