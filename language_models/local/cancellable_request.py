"""HTTP request to a server in this process, which another thread can cancel."""

from __future__ import annotations

import contextlib
import json
import socket
from http.client import HTTPConnection
from typing import Any


class CancellableRequest:
    """One request and its answer, over a connection of its own.

    A server that checks for disconnected clients, as llama.cpp's does, then stops working on the request.
    """

    def __init__(self, path: str, body: str | None) -> None:
        """Configure the request; nothing is sent yet.

        Args:
            path: The part of the URL after the address.
            body: JSON, sent by POST; None for GET.
        """
        self._connection: HTTPConnection | None = None
        self._path = path
        self._body = body
        self._hung_up = False

    def run(self, address: str) -> dict[str, Any]:
        """Send the request, and wait for the answer, whatever its status.

        Args:
            address: Such as http://127.0.0.1:8081.

        Raises:
            OSError: if there is no connection, or the request was cancelled.
            HTTPException: if the answer breaks off.
            ValueError: if it is no JSON object.
        """
        with contextlib.closing(HTTPConnection(address.removeprefix("http://"))) as connection:
            self._connection = connection
            connection.connect()
            # `cancel` sets its flag before it looks for a connection to shut.
            if self._hung_up:
                raise ConnectionAbortedError("hung up")
            headers = {"Content-Type": "application/json", "Connection": "close"}
            if self._body is None:
                connection.request("GET", self._path, headers=headers)
            else:
                connection.request("POST", self._path, self._body.encode(), headers)
            answer = json.load(connection.getresponse())
        if not isinstance(answer, dict):
            raise ValueError(f"an answer that is no JSON object: {str(answer)[:300]}")
        return answer

    def cancel(self) -> None:
        """Cancel the request, from any thread; no effect if it was answered already."""
        self._hung_up = True
        if (connected := self._connection.sock if self._connection is not None else None) is not None:
            # The connection may have been closed meanwhile.
            with contextlib.suppress(OSError):
                connected.shutdown(socket.SHUT_RDWR)
