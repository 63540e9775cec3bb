"""Connection limits: their number, deadlines, and the length of request heads.

uvicorn reads the requests; it has no deadline for them, no bound for their heads, and no number of connections above
which it lets go of some. Proxies have all of that. This has it where there is no proxy.
"""

from __future__ import annotations

import asyncio
import json
import math
from functools import partial
from typing import Any

import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol

from irollan_env.server.limits import Limits

KNOWN = "may call the server"
"""The key in a request's state that marks it as authorised."""


LASTING = "has no end"
"""The key in a request's state that marks an answer which goes on until the client leaves."""


class Connections:
    """The open connections of a server, with limits on their number and on waiting times.

    When there are too many, a new one replaces another: the oldest that was never authorised, or else the one
    that was answered longest ago.
    """

    def __init__(self, limits: Limits) -> None:
        """Start without connections.

        Args:
            limits: Limits on connections, waiting time and head size.
        """
        self.limits = limits
        self._strangers: dict[BoundedHttp, None] = {}
        self._known: dict[BoundedHttp, None] = {}

    def __len__(self) -> int:
        return len(self._strangers) + len(self._known)

    def add(self, new: BoundedHttp) -> None:
        """Add a connection; when there are too many, abort an older one."""
        if len(self) >= self.limits.connections:
            oldest = next(iter(self._strangers or self._known))
            self.remove(oldest)
            oldest.transport.abort()
        self._strangers[new] = None

    def remove(self, connection: BoundedHttp) -> None:
        """Remove a closed connection."""
        self._strangers.pop(connection, None)
        self._known.pop(connection, None)

    def answered(self, connection: BoundedHttp) -> None:
        """Mark a connection as authorised and most recently answered."""
        if connection in self._strangers or connection in self._known:
            self.remove(connection)
            self._known[connection] = None

    async def drop_late(self) -> None:
        """Abort the connections that are past their deadline."""
        now = asyncio.get_running_loop().time()
        for connection in [*self._strangers, *self._known]:
            if connection.deadline < now and not connection.lasting:
                connection.transport.abort()


class _Refused(Exception):
    """Raised to stop reading a request."""


class BoundedHttp(HttpToolsProtocol):
    """uvicorn's HTTP connection with deadlines and a limit on head sizes.

    A request's head must be there ``Limits.wait`` seconds after the connection or its first byte, its body and the end
    of its answer as long after the head, and the next request as long after the answer. Head, trailers and the marks
    between chunks are at most ``Limits.head`` bytes.
    A request that comes before the last one was answered ends the connection.

    Attributes:
        deadline: When the connection will have kept the server waiting for too long, in seconds of the event loop.
    """

    def __init__(self, *arguments: Any, connections: Connections, **named: Any) -> None:
        """Create a connection that registers itself with ``connections``."""
        super().__init__(*arguments, **named)
        self.deadline, self._resting = math.inf, False
        self._all, self._limits = connections, connections.limits
        self._refusal = (400, "the request is not HTTP/1.1")
        self._reading = False
        self._outside = self._outside_before = self._outside_start = 0
        """Bytes outside of bodies: so far, before this piece, before this request."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Register the connection and start the deadline for its first request head."""
        super().connection_made(transport)
        self._wait()
        self._all.add(self)

    def connection_lost(self, exc: Exception | None) -> None:
        """Unregister the connection."""
        self._all.remove(self)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Handle received bytes, and reject a head that is too long."""
        if self._resting:
            self._resting = False
            self._wait()
        self._outside_before = self._outside
        self._outside += len(data)
        super().data_received(data)
        if self._outside - self._outside_start > self._limits.head and not self.transport.is_closing():
            self._refusal = 431, f"the head is longer than {self._limits.head} bytes"
            self.send_400_response("")

    def on_message_begin(self) -> None:
        """Handle the start of a request; reject it while the last one is being answered."""
        if self._answering:
            raise _Refused
        self._outside_start, self._reading = self._outside_before, True
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        """Handle the end of a head: restart the deadline."""
        self._wait()
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        """Handle bytes of a body, which do not count towards the head."""
        self._outside -= len(body)
        super().on_body(body)

    def on_message_complete(self) -> None:
        """Handle the end of a request."""
        self._reading = False
        super().on_message_complete()
        self._rest()

    def on_response_complete(self) -> None:
        """Handle the end of a response, and mark the connection as authorised if the request was."""
        if self.scope["state"].get(KNOWN):
            self._all.answered(self)
        super().on_response_complete()
        self._rest()

    def send_400_response(self, msg: str) -> None:
        """Send the error of a bad request, unless its response has begun, and close the connection."""
        if self._answering and self.cycle.response_started:
            self.transport.abort()
            return
        status, detail = self._refusal
        body = json.dumps({"detail": detail}).encode("ascii")
        head = b"content-type: application/json\r\ncontent-length: %d\r\nconnection: close\r\n\r\n" % len(body)
        self.transport.write(STATUS_LINE[status] + head + body)
        self.transport.close()

    def shutdown(self) -> None:
        """Close the connection on server shutdown: at once, or within a second if a response is being sent."""
        if self._answering and not self._reading:
            self.loop.call_later(1.0, self.transport.abort)
            super().shutdown()
        else:
            self.transport.abort()

    @property
    def lasting(self) -> bool:
        """Whether an answer without an end is being sent, which has no deadline."""
        return self._answering and not self._reading and LASTING in self.scope["state"]

    @property
    def _answering(self) -> bool:
        return self.cycle is not None and not self.cycle.response_complete

    def _wait(self) -> None:
        self.deadline = self.loop.time() + self._limits.wait

    def _rest(self) -> None:
        """Start the deadline for the next request, once the last is read and answered."""
        if not (self._reading or self._answering):
            self._resting = True
            self._wait()


def bounded_config(app: ASGIApp, limits: Limits, **options: Any) -> uvicorn.Config:
    """Return a uvicorn configuration whose connections keep within the limits.

    Args:
        app: The application.
        limits: Limits on connections, waiting time and head size.
        options: Other arguments of ``uvicorn.Config``.
    """
    connections = Connections(limits)
    protocol: Any = partial(BoundedHttp, connections=connections)
    return uvicorn.Config(
        app,
        http=protocol,
        ws="none",
        timeout_keep_alive=math.ceil(limits.wait),
        callback_notify=connections.drop_late,
        timeout_notify=min(1.0, limits.wait),  # type: ignore[arg-type]  # uvicorn compares seconds
        **options,
    )
