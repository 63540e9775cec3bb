"""What thousands of connections that never come to the point do to a server, and to one honest client of it.

The server is ``irollan serve`` in a process of its own, the bad connections come from another one, and the honest
client steps a session of six residents over one connection. The bad ones send half of a request, and open another
connection for each that the server closed. What the honest client does in a second is compared with the same
without them.
"""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from statistics import median
from typing import Annotated
from urllib.parse import urlsplit

import typer

from benchmarks.reporting import AsJson, Measurement, machine, progress, show
from benchmarks.valley.http_speed import play
from benchmarks.valley.server_process import running_server
from irollan_env.client import RemoteParallelEnv
from irollan_env.server.serving import allow_open_files

HALVES = (
    b"",
    b"POST /sessions HTTP/1.1\r\nHost: 127.0.0.1\r\n",
    b"POST /sessions HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{",
)
"""Parts of a request: nothing, half a head, half a body."""


def command(
    connections: Annotated[int, typer.Option(metavar="N", help="How many bad connections are held.")] = 10_000,
    reopened: Annotated[int, typer.Option(metavar="N", help="How many of them are opened anew in a second.")] = 100,
    rounds: Annotated[int, typer.Option(metavar="N", help="How often each side has its turn.")] = 5,
    seconds: Annotated[float, typer.Option(metavar="N", help="How long a turn takes.")] = 3.0,
    as_json: AsJson = False,
) -> None:
    """Measure an honest client beside connections that send half a request."""
    show(measure(connections, reopened, rounds, seconds), machine(), as_json=as_json)


def measure(connections: int, reopened: int, rounds: int, seconds: float) -> list[Measurement]:
    """The honest client's speed with and without the bad connections, and what the server used and said.

    Args:
        connections: How many bad ones are held.
        reopened: How many of those that the server closed are opened anew, in a second.
        rounds: How often the client plays before they come, and while they are there.
        seconds: How long it plays each time.

    Raises:
        ValueError: where this process may not open so many files.
        RuntimeError: when the server does not start.
    """
    tell = progress("bad_connections")
    with running_server() as server, RemoteParallelEnv(server.address, max_steps=10**9) as honest:
        play(honest, 0.5)
        before, memory_before = [play(honest, seconds) for _ in range(rounds)], server.megabytes()
        tell(f"opening {connections} connections")
        with _bad_connections(server.address, connections, reopened):
            tell("playing beside them")
            beside, memory = [play(honest, seconds) for _ in range(rounds)], server.megabytes()
            begin = time.perf_counter()
            with RemoteParallelEnv(server.address):
                arrival = time.perf_counter() - begin
            begin = time.perf_counter()
            said = server.interrupt()
            end = time.perf_counter() - begin
    unit = "agent-steps/s"
    return [
        Measurement(name="alone", value=median(before), unit=unit),
        Measurement(name=f"beside {connections} bad connections", value=median(beside), unit=unit),
        Measurement(name="beside / alone", value=median(beside) / median(before), unit="times", goal=0.5),
        Measurement(name="a new client is there after", value=arrival, unit="s"),
        Measurement(name="memory that they cost the server", value=memory - memory_before, unit="MB"),
        Measurement(name="what the server said of them", value=len(said), unit="characters", goal=0, at_least=False),
        Measurement(name="the server ends after Ctrl-C in", value=end, unit="s"),
    ]


@contextmanager
def _bad_connections(address: str, count: int, reopened: int) -> Iterator[None]:
    """Holds them in another process; enters once all have been opened."""
    command = [sys.executable, "-m", "benchmarks.valley.bad_connections", address, str(count), str(reopened)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parents[2]) as process:
        try:
            assert process.stdout is not None
            if not process.stdout.readline():
                raise RuntimeError("the bad connections could not be opened")
            yield
        finally:
            process.terminate()


def hold(address: str, count: int, reopened: int) -> None:
    """Open connections that send half a request, and again for those that are closed, for ever.

    Args:
        address: Of the server.
        count: How many are held.
        reopened: How many at most are opened anew in a second.
    """
    allow_open_files(count)
    url = urlsplit(address)
    held = [_half_open(str(url.hostname), url.port or 80, number) for number in range(count)]
    print("open", flush=True)
    number = 0
    while True:
        time.sleep(1 / reopened)
        number += 1
        with suppress(OSError):
            held[number % count].close()
            held[number % count] = _half_open(str(url.hostname), url.port or 80, number)


def _half_open(host: str, port: int, number: int) -> socket.socket:
    connection = socket.create_connection((host, port), timeout=60)
    with suppress(OSError):  # closed already
        connection.sendall(HALVES[number % len(HALVES)])
    return connection


if __name__ == "__main__":
    hold(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
