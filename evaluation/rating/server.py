"""HTTP server of the rating application."""

from __future__ import annotations

import socket
from collections.abc import Callable
from pathlib import Path

from evaluation.rating.application import LARGEST_BODY, create_app
from evaluation.rating.participation import Terms, version_of
from evaluation.rating.store import Store
from evaluation.rating.study import ANSWERS, Study
from irollan_env.server.limits import Limits
from irollan_env.server.serving import make_server


def serve(directory: Path, study: Study, terms: Terms, listener: socket.socket, ready: Callable[[Store], None]) -> None:
    """Serve a study until the process is interrupted.

    Args:
        directory: Directory of the study, which stores the answers.
        study: The study.
        terms: The texts that raters agree to; every version served is stored with the answers.
        listener: A listening socket.
        ready: Called with the store once the server accepts requests.
    """
    store = Store(directory / ANSWERS)
    try:
        store.keep_text(terms.version, terms.consent)
        store.keep_text(version_of(terms.withdrawal), terms.withdrawal)
        server = make_server(create_app(study, store, terms), Limits(body=LARGEST_BODY))
        ready(store)
        server.run(sockets=[listener])
    finally:
        store.close()
        listener.close()
