"""Web application that serves the viewer page on a loopback address, with an event stream for a running run.

Access needs the token in the link, a loopback host name, and requests from this page: pages of other sites can neither
read nor send anything. GET requests change nothing.
"""

from __future__ import annotations

import asyncio
import hmac
import json
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

from fastapi import Body, FastAPI, HTTPException, Request, Response
from fastapi.responses import HTMLResponse, StreamingResponse
from pydantic import BaseModel

from evaluation.html_theme.printable import readable_data
from evaluation.records.run_directory import RunDirectory
from evaluation.viewer.gate import Gate
from evaluation.viewer.html_page import Findings, page_data, page_of
from evaluation.viewer.run_view import RunView
from evaluation.viewer.seat import NotAsked, NotHeld, PageSeat
from irollan_env.server.access import is_loopback

_LOOK_AGAIN = 0.3
"""Seconds between two polls of the files of a running run."""

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
    finds: Sequence[Findings] = (),
    seat: PageSeat | None = None,
) -> FastAPI:
    """Create the application that shows one run, or two side by side.

    Args:
        directories: Directories of the runs.
        token: Token in the link.
        gate: Pauses the run if this process executes it; None for a run that is only viewed.
        finds: Findings of each run, from ``findings_of``; empty for a running run.
        seat: Human interface of the run if this process executes it; None for none.
    """
    app = FastAPI(title="A run", docs_url=None, redoc_url=None, openapi_url=None)
    alone = len(directories) == 1

    def check(given: str) -> None:
        if not hmac.compare_digest(given.encode(), token.encode()):
            raise HTTPException(404)

    @app.get("/{given}/")
    def page(given: str) -> HTMLResponse:
        check(given)
        runs = [page_data(RunView(one)) for one in directories]
        for run, sentences in zip(runs, finds, strict=False):
            run["findings"] = sentences
        running = alone and runs[0]["status"] == "running"
        return HTMLResponse(page_of(runs, live=f"/{token}" if running else "", can_pause=gate is not None))

    @app.get("/{given}/events")
    async def events(given: str, seen: int) -> StreamingResponse:
        check(given)
        if not alone:
            raise HTTPException(404)
        return StreamingResponse(_events(directories[0], seen, gate, seat), media_type="text/event-stream")

    @app.post("/{given}/wish", status_code=204)
    def wish(given: str, wish: Annotated[Wish, Body(embed=True)]) -> None:
        check(given)
        if gate is None:
            raise HTTPException(409, "this run is only looked at; begin one with irollan run --view to pause it")
        {"pause": gate.pause, "go on": gate.go_on, "step": gate.let_one_through}[wish]()

    @app.post("/{given}/answer", status_code=204)
    def answer(given: str, answer: Answer) -> None:
        check(given)
        try:
            answer.give(seat)
        except NotAsked as error:
            raise HTTPException(409, str(error)) from None
        except ValueError as error:
            raise HTTPException(422, str(error)) from None

    @app.post("/{given}/hold", status_code=204)
    def hold(given: str, hold: Hold) -> None:
        check(given)
        if seat is None:
            raise HTTPException(
                409, "nobody can be taken over here; irollan run --view lets one, and so do resume and branch"
            )
        try:
            (seat.take_over if hold.hold else seat.hand_back)(hold.resident)
        except (NotHeld, NotAsked) as error:
            raise HTTPException(409, str(error)) from None
        except ValueError as error:
            raise HTTPException(422, str(error)) from None

    app.middleware("http")(_guard)
    return app


async def _guard(request: Request, call_next: Callable[[Request], Awaitable[Response]]) -> Response:
    response = _refusal(request) or await call_next(request)
    response.headers.update(_HEADERS)
    return response


def _refusal(request: Request) -> Response | None:
    """Return the error response for a forbidden request; None if it is allowed."""
    host, origin = request.headers.get("host", ""), request.headers.get("origin")
    try:
        name = urlsplit(f"//{host}").hostname or ""
    except ValueError:
        name = ""
    if not is_loopback(name):
        return Response("only at a loopback address of this machine", 400)
    if origin is None and request.method not in ("GET", "HEAD"):
        return Response("only from this page", 403)
    if origin is not None and origin != f"http://{host}":
        return Response("only from this page", 403)
    return None


async def _events(directory: RunDirectory, seen: int, gate: Gate | None, seat: PageSeat | None) -> AsyncIterator[str]:
    """Yield new steps and the status of a run as server-sent events, until it ends or the page is closed."""
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
