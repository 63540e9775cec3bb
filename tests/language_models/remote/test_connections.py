"""Proxies and certificates of the environment, by which machines behind a firewall reach a server."""

import ssl
import subprocess
import threading
from http.server import ThreadingHTTPServer

import pytest
from asking import generate, use
from stand_in import Server, chat

from language_models.protocol import ModelUnavailable
from language_models.remote.connections import proxy_of

FAR = Server(url="http://models.invalid/v1")


@pytest.fixture(autouse=True)
def no_proxies(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)


@pytest.mark.parametrize("name", ["HTTP_PROXY", "http_proxy", "ALL_PROXY"])
def test_requests_go_by_the_proxy(server: Server, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    server.answers = [chat("Hello.")]
    monkeypatch.setenv(name, server.url.removesuffix("/v1").replace("http://", "http://me:proxy-password@"))
    assert use(FAR, generate).text == "Hello."
    path, headers, _ = server.requests[0]
    assert (path, headers["Host"]) == ("http://models.invalid/v1/chat/completions", "models.invalid")
    assert headers["Proxy-Authorization"].startswith("Basic ")
    server.answers = [(407, {}, b"proxy-password")]
    with pytest.raises(ModelUnavailable, match=r"status 407: \[secret\]; the proxy wants a name and a password"):
        use(FAR, generate)


def test_which_addresses_have_a_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTPS_PROXY", "proxy.example:3128")
    monkeypatch.setenv("HTTP_PROXY", "socks5://me:very-secret@proxy.example")
    monkeypatch.setenv("NO_PROXY", "inner.example, .local.example,far.example:8000")
    assert proxy_of("https://far.example/v1") == "http://proxy.example:3128"
    for url in ("https://inner.example/v1", "https://a.local.example/v1", "https://far.example:8000/v1"):
        assert proxy_of(url) is None
    for host in ("127.0.0.1:8000", "localhost", "[::1]:1"):
        assert proxy_of(f"http://{host}/v1") is None
    with pytest.raises(ModelUnavailable, match=r"the proxy 'socks5://proxy.example' for far.example; .*HTTP_PROXY"):
        proxy_of("http://far.example/v1")
    monkeypatch.delenv("HTTP_PROXY")
    monkeypatch.setenv("ALL_PROXY", "socks5://proxy.example")
    with pytest.raises(ModelUnavailable, match="correct ALL_PROXY"):
        proxy_of("http://far.example/v1")


def test_a_proxy_that_is_not_there_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    with pytest.raises(ModelUnavailable, match=r"no connection to the proxy 127.0.0.1:9 \(Connection refused\)"):
        use(FAR, generate, retries=0)


def test_certificates_of_the_environment_are_trusted(server, tmp_path, monkeypatch):
    certificate, key = tmp_path / "c.pem", tmp_path / "k.pem"
    make = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost"
    files = ["-addext", "subjectAltName=DNS:localhost", "-keyout", str(key), "-out", str(certificate)]
    subprocess.run([*make.split(), *files], check=True, capture_output=True)
    server.answers = [chat("Hello.")]
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    with ThreadingHTTPServer(("127.0.0.1", 0), server.handler) as secure:
        secure.socket = context.wrap_socket(secure.socket, server_side=True)
        threading.Thread(target=secure.serve_forever, args=(0.02,)).start()
        try:
            far = Server(url=f"https://localhost:{secure.server_port}/v1")
            monkeypatch.delenv("SSL_CERT_FILE", raising=False)
            with pytest.raises(ModelUnavailable, match="no secure connection to localhost"):
                use(far, generate, retries=0)
            monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
            assert use(far, generate).text == "Hello."
        finally:
            secure.shutdown()
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "none.pem"))
    with pytest.raises(ModelUnavailable, match=r"SSL_CERT_FILE names .*none.pem', which does not exist"):
        use(far, generate)
