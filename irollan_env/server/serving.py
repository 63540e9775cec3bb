"""Serves an application on an address until it is interrupted."""

from __future__ import annotations

import errno
import socket
from contextlib import suppress

import uvicorn
from starlette.types import ASGIApp

from irollan_env.server.access import is_loopback
from irollan_env.server.connections import bounded_config
from irollan_env.server.limits import Limits

try:
    import resource
except ModuleNotFoundError:  # Windows, which has no such limit of open files
    resource = None  # type: ignore[assignment]

SECONDS_TO_FINISH = 5
"""Seconds that a stopping server waits for its connections to close; they need one."""

BACKLOG = 128
"""Length of the queue of connections waiting to be accepted."""

_OTHER_FILES = 64
"""Files that a process has open besides its connections, with some to spare."""


def listen(host: str, port: int, *, protected: bool) -> socket.socket:
    """Open a listening socket.

    Args:
        host: A name or address of this machine.
        port: From 0 to 65535; 0 takes any that is free.
        protected: Whether requests must carry a secret, such as a token.

    Raises:
        ValueError: for an invalid port, or an address that other machines can reach without a token.
        OSError: when the address cannot be bound, saying why.
    """
    if not 0 <= port <= 65535:
        raise ValueError(f"port must lie in [0, 65535], got {port}")
    if not protected and not is_loopback(host):
        raise ValueError(
            f"{host!r} can be reached from other machines, which needs a token: set IROLLAN_TOKEN or give --token; "
            "without one the server listens on 127.0.0.1 only"
        )
    try:
        family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
        listening = socket.create_server(address[:2], family=family, backlog=BACKLOG)
    except OSError as error:
        hint = "; give another --port" if error.errno == errno.EADDRINUSE else ""
        reason = str(error.strerror).partition(" (while attempting")[0]
        raise OSError(f"cannot listen on {host} port {port}: {reason}{hint}") from error
    # Connections inherit it. Without it an answer waits 40 ms for the client to confirm that its head has arrived.
    listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listening


def address_of(listening: socket.socket) -> str:
    """Return the server's URL for clients: ``http://127.0.0.1:8000``."""
    host, port = listening.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def make_server(app: ASGIApp, limits: Limits) -> uvicorn.Server:
    """Create a uvicorn server that logs errors only.

    Args:
        app: The application.
        limits: Limits on connections, waiting time and bytes.
    """
    return uvicorn.Server(
        bounded_config(
            app,
            limits,
            log_level="error",
            access_log=False,
            server_header=False,
            proxy_headers=False,
            backlog=BACKLOG,
            timeout_graceful_shutdown=SECONDS_TO_FINISH,
        )
    )


def allow_open_files(connections: int) -> None:
    """Raise the limit of open files to what that many connections need.

    Raises:
        ValueError: where the system does not permit it.
    """
    if resource is None:
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    needed = connections + BACKLOG + _OTHER_FILES
    if soft == resource.RLIM_INFINITY or soft >= needed:
        return
    if hard != resource.RLIM_INFINITY and hard < needed:
        raise ValueError(
            f"{connections} connections need {needed} open files, and the system allows {hard}; "
            "allow more with ulimit -n, or fewer connections with --max-connections"
        )
    resource.setrlimit(resource.RLIMIT_NOFILE, (needed, hard))


def serve(app: ASGIApp, listening: socket.socket, limits: Limits) -> None:
    """Serve until Ctrl-C or SIGTERM; responses being sent then have one more second.

    Args:
        app: The application.
        listening: The socket from ``listen``.
        limits: Limits on connections, waiting time and bytes.
    """
    with suppress(KeyboardInterrupt), listening:
        make_server(app, limits).run(sockets=[listening])
