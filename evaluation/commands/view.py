"""``irollan view``: view a run in a browser, from a local server or as one file."""

from __future__ import annotations

import json
import sys
import threading
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from evaluation.commands.arguments import AsJson, RunArgument, filled_path
from evaluation.commands.errors import print_error, print_path, why_idle, why_no_file
from evaluation.html_theme.printable import printable

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from evaluation.records.run_directory import RunDirectory
    from evaluation.runs.execution import ReportWriter
    from evaluation.runs.progress import Progress
    from evaluation.viewer.html_page import Findings
    from evaluation.viewer.seat import PageSeat

HOST = "127.0.0.1"

_Other = Annotated[
    Path | None,
    typer.Argument(
        metavar="OTHER", parser=filled_path, help="A second run, to see in step beside it.", show_default=False
    ),
]
_Out = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        parser=filled_path,
        help="Write the page as one file, which opens without a server, and end.",
        show_default=False,
    ),
]
_Port = Annotated[
    int | None,
    typer.Option(
        metavar="N", min=0, max=65535, help="Where to listen. [default: any that is free]", show_default=False
    ),
]


def view(run: RunArgument, other: _Other = None, out: _Out = None, port: _Port = None, as_json: AsJson = False) -> int:
    """Look at a run in a browser: the valley step by step, its residents, and why they did what they did.

    Prints a link that opens on this machine alone, and serves it until Ctrl-C; a run in progress is shown as it grows.
    """
    from evaluation.records.run_directory import RunDirectory
    from evaluation.viewer.html_page import check_shown, write_view

    if out is not None and (reason := why_no_file(out)):
        return print_error(reason, 2)
    if reason := why_idle(("--port", out is not None and port is not None, "a page in a file is not served")):
        return print_error(reason, 2)
    directories = [RunDirectory(one) for one in (run, other) if one is not None]
    try:
        for directory in directories:
            check_shown(directory)
        if out is None:
            return _serve(directories, port or 0, as_json)
        write_view(directories, out, _findings(directories, {}))
    except (ValueError, OSError) as error:
        return print_error(str(error), 2 if isinstance(error, ValueError) else 1)
    if as_json:
        print(json.dumps({"page": str(out)}))
    else:
        print_path(out)
    return 0


def _findings(directories: Sequence[RunDirectory], known: dict[Path, Findings]) -> list[Findings]:
    """Return the social findings of each run, none for one that goes on; what is new is added to the known ones."""
    from evaluation.viewer.findings import findings_of

    for directory in directories:
        if directory.path not in known and directory.read_manifest().get("status") != "running":
            print(printable(f"testing the social structure of {directory.path} ..."), file=sys.stderr, flush=True)
            known[directory.path] = findings_of(directory)
    return [known.get(directory.path, []) for directory in directories]


def _serve(directories: list[RunDirectory], port: int, as_json: bool) -> int:
    from evaluation.viewer.application import create_app, new_token
    from irollan_env.server import serving
    from irollan_env.server.limits import Limits

    token, known, lock = new_token(), dict[Path, "Findings"](), threading.Lock()

    def findings() -> list[Findings]:
        # Once, however many pages are open; anew for a run that went on when they were asked for.
        with lock:
            return _findings(directories, known)

    listening = serving.listen(HOST, port, protected=False)
    link = f"{serving.address_of(listening)}/{token}/"
    print(json.dumps({"link": link}) if as_json else link, flush=True)
    print("serving until Ctrl-C; the link opens on this machine alone", file=sys.stderr, flush=True)
    serving.serve(create_app(directories, token, None, findings), listening, Limits())
    return 0


@dataclass(frozen=True, slots=True)
class Watched:
    """How a run of this process is shown.

    Attributes:
        progress: The progress that the run should report to.
        human: The human interface of the page; None for none.
        write_report: What writes the pages of the run at its end.
    """

    progress: Progress
    human: PageSeat | None
    write_report: ReportWriter


@contextmanager
def looked_at(run: Path, progress: Progress, view: bool) -> Iterator[Watched]:
    """Serve this process's run to a browser within a block; the link is printed at the first step.

    Args:
        run: Directory of the run, which need not exist yet.
        progress: Progress of the run.
        view: Whether to serve the run.

    Yields:
        What the run should report to and be written by. At the end the page shows how the run ended, and what its
        report found.
    """
    from evaluation.viewer.run_pages import write_pages

    if not view:
        yield Watched(progress, None, write_pages)
        return
    from evaluation.records.run_directory import RunDirectory
    from evaluation.viewer.application import create_app, new_token
    from evaluation.viewer.gate import Gate, WatchedProgress
    from evaluation.viewer.seat import PageSeat
    from irollan_env.server import serving
    from irollan_env.server.limits import Limits

    gate, human, token = Gate(), PageSeat(), new_token()
    found: Future[list[Findings]] = Future()
    listening = serving.listen(HOST, 0, protected=False)
    link = f"{serving.address_of(listening)}/{token}/"
    server = serving.make_server(create_app([RunDirectory(run)], token, gate, found.result, human), Limits())
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, name="view", daemon=True)
    thread.start()
    try:
        watched = WatchedProgress(progress, gate, lambda: progress.say(f"to look on: {link}"))
        yield Watched(watched, human, partial(write_pages, on_findings=lambda one: found.set_result([one])))
    finally:
        if not found.done():
            found.set_result([])
        server.should_exit = True
        thread.join(serving.SECONDS_TO_FINISH + 1)
        listening.close()
