"""HTTP server of the rating application."""

from __future__ import annotations

import socket
from collections.abc import Callable
from pathlib import Path

import uvicorn

from evaluation.rating.application import create_app
from evaluation.rating.participation import Terms, version_of
from evaluation.rating.store import Store
from evaluation.rating.study import ANSWERS, RatingError, Study


def listen(host: str, port: int) -> socket.socket:
    """Open a listening socket.

    Args:
        host: Host name or IP address.
        port: Port from 0 to 65535; 0 for any free one.

    Returns:
        A listening socket.

    Raises:
        RatingError: if the address is unavailable.
    """
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listener = socket.socket(family, kind, protocol)
        try:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind(address)
            listener.listen(1024)
        except OSError:
            listener.close()
            raise
    except OSError as error:
        raise RatingError(
            f"cannot listen at {host}, port {port}: {error.strerror or error}; give another --port"
        ) from error
    return listener


def address_of(listener: socket.socket) -> str:
    """Return the URL for a browser on this machine, such as ``http://127.0.0.1:8765``."""
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def serve(directory: Path, study: Study, terms: Terms, listener: socket.socket, ready: Callable[[Store], None]) -> None:
    """Serve a study until the process is interrupted.

    Args:
        directory: Directory of the study, which stores the answers.
        study: The study.
        terms: The texts that raters agree to; every version served is stored with the answers.
        listener: Socket from ``listen``.
        ready: Called with the store once the server accepts requests.
    """
    store = Store(directory / ANSWERS)
    try:
        store.keep_text(terms.version, terms.consent)
        store.keep_text(version_of(terms.withdrawal), terms.withdrawal)
        app = create_app(study, store, terms)
        # An access log would contain the raters' secrets.
        config = uvicorn.Config(app, log_level="warning", access_log=False, server_header=False, lifespan="off")
        ready(store)
        uvicorn.Server(config).run(sockets=[listener])
    finally:
        store.close()
        listener.close()
