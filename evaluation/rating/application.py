"""Web application for raters, which works without JavaScript, and saves every answer at once with it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from fastapi import APIRouter, Depends, FastAPI, HTTPException, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, JSONResponse, RedirectResponse
from fastapi.staticfiles import StaticFiles
from pydantic import BaseModel, Field, StrictInt
from starlette.exceptions import HTTPException as StarletteHTTPException
from starlette.types import ASGIApp, Receive, Scope, Send

from evaluation.html_theme.templates import templates
from evaluation.rating.participation import PARTICIPATION, Terms, paragraphs
from evaluation.rating.rater_requests import (
    BOTH,
    LONGEST_COMMENT,
    LONGEST_NAME,
    UNKNOWN_LINK,
    RaterRequest,
    answers_in,
    checked,
    cleaned,
    item_request,
    rater_request,
    read_form,
    settle,
)
from evaluation.rating.rating_scale import HIGHEST, LOWEST
from evaluation.rating.rubric import rubric
from evaluation.rating.store import NAME, Given, Store, comment_on
from evaluation.rating.study import Study
from irollan_env.server.access import BodyLimit
from irollan_env.server.connections import KNOWN
from irollan_env.server.responses import with_headers

LARGEST_BODY = 400_000
"""Maximum size of a request in bytes; five longest comments take 225,000, at 9 bytes per form-encoded character."""

_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; "
    "img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    # The URL of every page contains a rater's secret.
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}
_PAGES = templates("evaluation.rating")
_PAGES.globals.update(
    points=range(LOWEST, HIGHEST + 1),
    rubric=rubric(),
    longest_comment=LONGEST_COMMENT,
    longest_name=LONGEST_NAME,
    both=BOTH,
    comment_on=comment_on,
    paragraphs=paragraphs,
)

Here = Annotated[RaterRequest, Depends(rater_request)]
AtItem = Annotated[RaterRequest, Depends(item_request)]
Form = Annotated[Mapping[str, str], Depends(read_form)]
_router = APIRouter()


class OneAnswer(BaseModel):
    """Request body of a rating or a comment, with the version of the answer that the page has; 0 for none."""

    value: StrictInt | str
    seen: Annotated[StrictInt, Field(ge=0, lt=2**63)] = 0


class Place(BaseModel):
    """Request body of a bookmark, the step that is being read."""

    step: StrictInt


def create_app(study: Study, store: Store, terms: Terms) -> FastAPI:
    """Create the application of one study.

    Args:
        study: The stories and each rater's order of reading.
        store: Store of the answers.
        terms: The texts that raters agree to; raters are asked again if they change.

    Returns:
        An ASGI application.
    """
    app = FastAPI(title="Ratings", docs_url=None, redoc_url=None, openapi_url=None)
    app.state.study, app.state.store, app.state.terms = study, store, terms
    app.mount("/static", StaticFiles(packages=[("evaluation.rating", "static")]), name="static")
    app.include_router(_router)
    app.add_middleware(BodyLimit, longest=LARGEST_BODY)
    app.add_middleware(_Guard, study=study)
    app.exception_handler(StarletteHTTPException)(_explain)
    app.exception_handler(RequestValidationError)(_reject)
    return app


@_router.get("/")
def _front() -> HTMLResponse:
    return _message(200, "Ratings", "Please open the link that you were given.")


@_router.get("/rate/{token}")
def _overview(here: Here) -> HTMLResponse:
    if here.withdrawn or not here.agreed:
        return _page("taking_part.html", request=here)
    rated = here.rated()
    step = here.store.place(here.rater, here.next())
    return _page("overview.html", request=here, rated=rated, step=step)


@_router.post("/rate/{token}/name")
def _rename(here: Here, form: Form) -> RedirectResponse:
    name = cleaned(form.get("name", ""), LONGEST_NAME)
    # A page older than the name, on which none was typed, does not delete the name.
    if name != form.get("shown"):
        here.store.save(here.rater, 0, {NAME: name})
    return RedirectResponse(f"/rate/{here.token}", 303)


@_router.post("/rate/{token}/consent")
def _agree(here: Here, form: Form) -> RedirectResponse:
    # If the text was changed since, no consent is recorded; the overview shows the new text.
    if form.get("version") == here.terms.version:
        here.store.save(here.rater, 0, {PARTICIPATION: here.terms.agreeing()})
    return RedirectResponse(f"/rate/{here.token}", 303)


@_router.post("/rate/{token}/withdrawal")
def _withdraw(here: Here) -> RedirectResponse:
    here.store.save(here.rater, 0, {PARTICIPATION: here.terms.withdrawing()})
    return RedirectResponse(f"/rate/{here.token}", 303)


@_router.get("/rate/{token}/{number}")
def _item(number: int, here: AtItem, request: Request) -> HTMLResponse:
    item = here.packet[number - 1]
    return _page(
        "item.html",
        request=here,
        number=number,
        item=item,
        moments=here.study.moments(item),
        answers=here.answers.get(number, {}),
        conflicts=here.conflicts.get(number, {}),
        missing=here.missing(number) if "missing" in request.query_params else [],
        step=here.store.place(here.rater, number),
    )


@_router.post("/rate/{token}/{number}")
def _submit(number: int, here: AtItem, form: Form) -> RedirectResponse:
    here.store.merge(here.rater, number, answers_in(form, here.packet[number - 1]))
    settle(form, here.anew(), number)
    here = here.anew()
    if form.get("then") == "stop":
        return RedirectResponse(f"/rate/{here.token}", 303)
    if here.conflicts.get(number):
        return RedirectResponse(f"/rate/{here.token}/{number}#ratings", 303)
    if here.missing(number):
        return RedirectResponse(f"/rate/{here.token}/{number}?missing=1#ratings", 303)
    following = f"/{number + 1}" if number < len(here.packet) else ""
    return RedirectResponse(f"/rate/{here.token}{following}", 303)


@_router.put("/rate/{token}/{number}/place", status_code=204)
def _mark(number: int, here: AtItem, place: Place) -> None:
    if not 1 <= place.step <= here.study.steps:
        raise HTTPException(422, f"A step is a whole number from 1 to {here.study.steps}.")
    here.store.save_place(here.rater, number, place.step)


@_router.put("/rate/{token}/{number}/answers/{question}")
def _answer(number: int, question: str, here: AtItem, given: OneAnswer) -> JSONResponse:
    """Save an answer, and reply with its version; status 409 if another answer is current."""
    value = checked(question, given.value, here.packet[number - 1])
    here.store.merge(here.rater, number, {question: Given(value, given.seen, given_here=True)})
    kept = here.store.answers(here.rater, number).get(question)
    if kept is None or kept.value == value:
        return JSONResponse({"version": 0 if kept is None else kept.version})
    detail = "Another page has saved another answer meanwhile. Both are kept, and the page asks which one counts."
    return JSONResponse({"detail": detail, "conflict": True, "version": kept.version}, status_code=409)


class _Guard:
    """ASGI middleware that answers an unknown link before a body is read, and adds headers to every answer."""

    def __init__(self, app: ASGIApp, study: Study) -> None:
        self._app, self._study = app, study

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        send = with_headers(send, _HEADERS)
        place, _, rest = scope["path"].removeprefix("/").partition("/")
        if place == "rate" and rest.partition("/")[0] not in self._study.rater_of:
            error = HTTPException(404, UNKNOWN_LINK)
            await _explain(Request(scope), error)(scope, receive, send)
            return
        scope.setdefault("state", {})[KNOWN] = place == "rate"
        await self._app(scope, receive, send)


def _explain(request: Request, error: Any) -> Response:
    if request.method == "PUT":
        return JSONResponse({"detail": error.detail}, status_code=error.status_code)
    back = f"/rate/{request.path_params['token']}" if error.status_code in (409, 422) else ""
    return _message(error.status_code, "That did not work", str(error.detail), back)


def _reject(request: Request, error: Any) -> Response:
    if request.method == "PUT":
        return JSONResponse({"detail": "This is no answer."}, status_code=422)
    return _message(404, "That did not work", "There is no such page.")


def _message(status: int, title: str, text: str, back: str = "") -> HTMLResponse:
    return _page("message.html", status, title=title, text=text, back=back)


def _page(template: str, status: int = 200, **values: Any) -> HTMLResponse:
    return HTMLResponse(_PAGES.get_template(template).render(**values), status_code=status)
