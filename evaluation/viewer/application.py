"""Web application that serves the viewer page on a loopback address, with an event stream for a running run.

Access needs the token in the link, a loopback host name, and requests from this page: pages of other sites can neither
read nor send anything. GET requests change nothing.
"""

from __future__ import annotations

import asyncio
import hmac
import json
import secrets
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Annotated, Any, Literal

from fastapi import Body, FastAPI, HTTPException, Request
from fastapi.responses import HTMLResponse, Response, StreamingResponse
from pydantic import BaseModel
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from evaluation.html_theme.printable import readable_data
from evaluation.records.run_directory import RunDirectory
from evaluation.viewer.gate import Gate
from evaluation.viewer.html_page import Findings, later_data, page_data, page_of
from evaluation.viewer.run_view import RunView
from evaluation.viewer.seat import NotAsked, NotHeld, PageSeat
from irollan_env.server.access import BodyLimit, other_site
from irollan_env.server.connections import KNOWN, LASTING
from irollan_env.server.responses import handle_errors, problem, with_headers

_LOOK_AGAIN = 0.3
"""Seconds between two polls of the files of a running run."""

_LONGEST_BODY = 2**16
"""Bytes of a request; the longest words of a person are far below it."""

_HEADERS = {
    "Content-Security-Policy": "frame-ancestors 'none'",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    # The URL contains the token.
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}

Wish = Literal["pause", "go on", "step"]


class Answer(BaseModel):
    """Answer of a person on the page: exactly one of ``pick``, ``words`` and ``leave``."""

    number: int
    pick: int | None = None
    words: str | None = None
    leave: bool = False

    def give(self, seat: PageSeat | None) -> None:
        """Pass the answer to the human interface.

        Raises:
            NotAsked: if the question is not waiting.
            ValueError: if the answer does not fit the question.
        """
        if seat is None:
            raise NotAsked("nobody is asked in this run; begin one with irollan run --view --mind RESIDENT=me")
        if (self.pick is not None) + (self.words is not None) + self.leave != 1:
            raise ValueError("an answer has one of pick, words and leave")
        if self.pick is not None:
            seat.pick(self.number, self.pick)
        elif self.words is not None:
            seat.say(self.number, self.words)
        else:
            seat.leave(self.number)


class Hold(BaseModel):
    """Request to take over a resident, or to hand it back."""

    resident: str
    hold: bool


def new_token() -> str:
    """Return a random, unguessable token for the link."""
    return secrets.token_urlsafe(24)


def create_app(
    directories: Sequence[RunDirectory],
    token: str,
    gate: Gate | None = None,
    findings: Callable[[], Sequence[Findings]] = tuple,
    seat: PageSeat | None = None,
) -> FastAPI:
    """Create the application that shows one run, or two side by side.

    Args:
        directories: Directories of the runs.
        token: Token in the link.
        gate: Pauses the run if this process executes it; None for a run that is only viewed.
        findings: Returns the findings of each run, from ``findings_of``, once they are there; asked when the page is
            open and no run goes on.
        seat: Human interface of the run if this process executes it; None for none.
    """
    app = FastAPI(title="A run", docs_url=None, redoc_url=None, openapi_url=None)
    app.add_middleware(BodyLimit, longest=_LONGEST_BODY)
    app.add_middleware(_Guard, token=token)
    handle_errors(app, {NotAsked: 409, NotHeld: 409})
    alone = len(directories) == 1

    @app.get("/{given}/")
    def page(given: str) -> HTMLResponse:
        goes_on = alone and directories[0].read_manifest().get("status") == "running"
        # A page that follows a run is given all that it has, so that what comes later joins it without a gap.
        runs = [page_data(RunView(one), drawn_only=not goes_on) for one in directories]
        return HTMLResponse(page_of(runs, served=f"/{token}", live=goes_on, can_pause=gate is not None))

    @app.get("/{given}/details")
    def details(given: str) -> Response:
        """Return what a page of runs that have ended looks up; it is nine tenths of a large one."""
        found = readable_data([later_data(RunView(one).new_steps()) for one in directories])
        return Response(json.dumps(found, allow_nan=False, separators=(",", ":")), media_type="application/json")

    @app.get("/{given}/findings")
    async def found(given: str, request: Request) -> list[Findings]:
        # The tests behind them take minutes in a large run.
        request.scope["state"][LASTING] = True
        return list(await asyncio.to_thread(findings))

    @app.get("/{given}/events")
    async def events(given: str, seen: int, request: Request) -> StreamingResponse:
        if not alone:
            raise HTTPException(404)
        request.scope["state"][LASTING] = True
        return StreamingResponse(_events(directories[0], seen, gate, seat, findings), media_type="text/event-stream")

    @app.post("/{given}/wish", status_code=204)
    def wish(given: str, wish: Annotated[Wish, Body(embed=True)]) -> None:
        if gate is None:
            raise HTTPException(409, "this run is only looked at; begin one with irollan run --view to pause it")
        {"pause": gate.pause, "go on": gate.go_on, "step": gate.let_one_through}[wish]()

    @app.post("/{given}/answer", status_code=204)
    def answer(given: str, answer: Answer) -> None:
        answer.give(seat)

    @app.post("/{given}/hold", status_code=204)
    def hold(given: str, hold: Hold) -> None:
        if seat is None:
            raise HTTPException(
                409, "nobody can be taken over here; irollan run --view lets one, and so do resume and branch"
            )
        (seat.take_over if hold.hold else seat.hand_back)(hold.resident)

    return app


class _Guard:
    """ASGI middleware that admits only requests with the link's token and from this page, before a body is read."""

    def __init__(self, app: ASGIApp, token: str) -> None:
        self._app, self._token = app, token.encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        send = with_headers(send, _HEADERS)
        if (refusal := self._refusal(scope)) is not None:
            await problem(*refusal)(scope, receive, send)
            return
        scope.setdefault("state", {})[KNOWN] = True
        await self._app(scope, receive, send)

    def _refusal(self, scope: Scope) -> tuple[int, str] | None:
        """Return the status and the reason to refuse a request; None if it is allowed."""
        headers = Headers(scope=scope)
        if (elsewhere := other_site(headers)) is not None:
            return elsewhere[0], "the link opens at a loopback address of this machine, and for its own page alone"
        origin = headers.get("origin")
        reads = scope["method"] in ("GET", "HEAD")
        if origin != f"http://{headers['host']}" and not (origin is None and reads):
            return 403, "only from this page"
        if not hmac.compare_digest(scope["path"].split("/")[1].encode(), self._token):
            return 404, "there is nothing here; open the whole link that was printed"
        return None


async def _events(
    directory: RunDirectory,
    seen: int,
    gate: Gate | None,
    seat: PageSeat | None,
    findings: Callable[[], Sequence[Findings]],
) -> AsyncIterator[str]:
    """Yield new steps and the status of a run as server-sent events, until it ends or the page is closed.

    What was found in it comes last: after that the server of a run that it shows itself takes no request any more.
    """
    view, before, size = RunView(directory), "", -1
    while True:
        # The status is read first, so that all steps written before the end are still read.
        state = await asyncio.to_thread(_state, directory, gate, seat)
        now = directory.events_path.stat().st_size if directory.events_path.is_file() else 0
        if now != size:
            size = now
            more = await asyncio.to_thread(view.new_steps)
            if fresh := _after(more, seen):
                seen = fresh["steps"][-1]["time"] + 1
                yield f"data: {_data(fresh)}\n\n"
        if state["status"] != "running":
            yield f"event: end\ndata: {_data(await asyncio.to_thread(view.head))}\n\n"
            yield f"event: findings\ndata: {_data(list(await asyncio.to_thread(findings)))}\n\n"
            return
        if (text := _data(state)) != before:
            before = text
            yield f"event: state\ndata: {text}\n\n"
        await asyncio.sleep(_LOOK_AGAIN)


def _data(value: Any) -> str:
    """Encode page data as JSON on one line."""
    return json.dumps(readable_data(value), allow_nan=False)


def _after(more: dict[str, Any], seen: int) -> dict[str, Any] | None:
    """Return the part of new page data from time step ``seen`` on; None if there is none."""
    kept = [index for index, step in enumerate(more["steps"]) if step["time"] >= seen]
    if not kept:
        return None
    return {
        "steps": [more["steps"][index] for index in kept],
        "details": [more["details"][index] for index in kept],
        "calls": {name: call for name, call in more["calls"].items() if call["time"] >= seen},
    }


def _state(directory: RunDirectory, gate: Gate | None, seat: PageSeat | None) -> dict[str, Any]:
    return {
        "status": directory.read_manifest().get("status"),
        "paused": gate is not None and gate.paused,
        "question": None if seat is None else seat.waiting,
        "free": {} if seat is None else seat.free,
    }
