"""The command ``irollan serve``."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from evaluation.commands.arguments import filled
from evaluation.commands.errors import print_error, why_idle
from irollan_env.map.loading import MAP_FORMS, PAPER, load_map
from irollan_env.world.mechanic import MechanicError
from irollan_env.world.world import World
from irollan_env.world.world_classes import find_world_classes, make_world_classes

_Host = Annotated[
    str, typer.Option(metavar="ADDRESS", help="Where to listen; any but this machine's loopback needs a token.")
]
_Port = Annotated[int, typer.Option(metavar="N", min=0, max=65535, help="0 takes any that is free.")]
_Token = Annotated[
    str | None,
    typer.Option(
        metavar="TEXT",
        envvar="IROLLAN_TOKEN",
        help="What every request must bear. Other users of this machine can read a command line, but not the "
        "environment.",
        show_default=False,
    ),
]
_Map = Annotated[
    str | None,
    typer.Option(
        "--map",
        metavar="MAP",
        parser=filled,
        help=f"The valley of every session: {MAP_FORMS}. [default: {PAPER}]",
        show_default=False,
    ),
]
_World = Annotated[
    list[str] | None,
    typer.Option(
        "--world",
        metavar="NAME",
        help="A world class of your own, as module:Class or by the name of an installed one; again for several.",
        show_default=False,
    ),
]
_Resident = Annotated[
    str | None,
    typer.Option(
        metavar="NAME", help="Whom ITCMA's public client drives. [default: the map's first]", show_default=False
    ),
]
_Task = Annotated[
    str | None,
    typer.Option(metavar="FAMILY", help="Of its tasks, or 'random' for any. [default: no task]", show_default=False),
]
_Split = Annotated[
    str | None, typer.Option(metavar="NAME", help="Of these tasks. [default: train]", show_default=False)
]
_MaxSessions = Annotated[int, typer.Option(metavar="N", min=1, help="How many may be open at once.")]
_MaxBody = Annotated[int, typer.Option(metavar="BYTES", min=1, help="How long a request may be.")]
_MaxText = Annotated[int, typer.Option(metavar="N", min=1, help="How many characters an action may have.")]
_MaxConnections = Annotated[
    int, typer.Option(metavar="N", min=1, help="How many may be open at once; then those of strangers are closed.")
]
_MaxHead = Annotated[int, typer.Option(metavar="BYTES", min=1, help="How long a request may be without its body.")]
_MaxWait = Annotated[
    float,
    typer.Option(metavar="SECONDS", help="In which a request's head must come, again all the rest, again the next."),
]
_MaxIdle = Annotated[float, typer.Option(metavar="SECONDS", help="After how long an unused session is closed.")]


def serve(
    host: _Host = "127.0.0.1",
    port: _Port = 8000,
    token: _Token = None,
    valley_map: _Map = None,
    world: _World = None,
    resident: _Resident = None,
    task: _Task = None,
    split: _Split = None,
    max_sessions: _MaxSessions = 64,
    max_body: _MaxBody = 2**20,
    max_text: _MaxText = 4096,
    max_idle: _MaxIdle = 1800.0,
    max_connections: _MaxConnections = 512,
    max_head: _MaxHead = 2**14,
    max_wait: _MaxWait = 20.0,
) -> int:
    """Let programs drive valleys as JSON over HTTP, until Ctrl-C. Prints the address.

    Every session is a valley of its own; docs/server.md shows the API, the Python client and ITCMA's three endpoints.
    """
    if reason := why_idle(("--split", split is not None and task is None, "there are no tasks without --task")):
        return print_error(reason, 2)
    from irollan_env.server import serving
    from irollan_env.server.app import create_app
    from irollan_env.server.limits import Limits

    try:
        found = load_map(valley_map)
        World(found, 0, mechanics=make_world_classes(find_world_classes(world or (), "--world"), where="--world"))
    except (ValueError, MechanicError) as error:
        return print_error(str(error), 2)
    limits = Limits(
        sessions=max_sessions,
        body=max_body,
        text=max_text,
        idle=max_idle,
        connections=max_connections,
        head=max_head,
        wait=max_wait,
    )
    application = create_app(
        found,
        world=world or (),
        resident=resident,
        task=task,
        split=split or "train",
        token=token,
        limits=limits,
    )
    serving.allow_open_files(limits.connections)
    listening = serving.listen(host, port, protected=token is not None)
    address = serving.address_of(listening)
    print(address, flush=True)
    print(f"serving until Ctrl-C; the API page is {address}/docs", file=sys.stderr, flush=True)
    serving.serve(application, listening, limits)
    return 0
