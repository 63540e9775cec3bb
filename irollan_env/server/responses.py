"""JSON responses; errors are always ``{"detail": "what is wrong and where"}``."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from starlette.datastructures import MutableHeaders
from starlette.exceptions import HTTPException
from starlette.types import Message, Send

from irollan_env.server.schemas import Problem

LONGEST_DETAIL = 1000
"""Characters of a detail; what was sent may be part of it, and may be long."""

_PROBLEMS = {
    400: "The body is no JSON, or the request is addressed to another machine.",
    401: "The token is missing or wrong.",
    403: "The request comes from another site's page.",
    404: "There is no such session.",
    409: "The call is out of order: reset first.",
    413: "The body is too long.",
    422: "The request is not as described, or its values cannot be.",
    429: "The server holds as many sessions as it may.",
    500: "A rule of the world fails.",
}


def answer(data: Any, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    """Build a JSON response in ASCII, which can carry every Python string, lone surrogates included.

    Args:
        data: JSON-ready.
        status: HTTP status code.
        headers: By name.
    """
    return Response(json.dumps(data).encode("ascii"), status, headers, "application/json")


def problem(status: int, detail: str, headers: dict[str, str] | None = None) -> Response:
    """Build an error response.

    Args:
        status: HTTP status code, 400 or above.
        detail: What is wrong and where; cut after ``LONGEST_DETAIL`` characters.
        headers: By name.
    """
    cut = detail if len(detail) <= LONGEST_DETAIL else f"{detail[:LONGEST_DETAIL]}..."
    return answer({"detail": cut}, status, headers)


def with_headers(send: Send, headers: Mapping[str, str]) -> Send:
    """Return an ASGI ``send`` that adds headers to the answer."""

    async def send_with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            MutableHeaders(scope=message).update(headers)
        await send(message)

    return send_with_headers


def problems(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Describe errors for the OpenAPI page; those that any request can meet are added."""
    return {
        status: {"model": Problem, "description": _PROBLEMS[status]}
        for status in sorted({*statuses, 400, 413, 422, 500})
    }


def handle_errors(app: FastAPI, statuses: Mapping[type[Exception], int]) -> None:
    """Register handlers that turn exceptions into error responses.

    Args:
        app: The application.
        statuses: HTTP status code of each kind of exception beside ValueError, which is 422.
    """
    handled: dict[type[Exception], int] = {ValueError: 422, **statuses}
    for kind, status in handled.items():

        def refuse(request: Request, error: Exception, status: int = status) -> Response:
            return problem(status, str(error))

        app.exception_handler(kind)(refuse)

    @app.exception_handler(RequestValidationError)
    def invalid(request: Request, error: RequestValidationError) -> Response:
        first = error.errors()[0]
        if first["type"] == "json_invalid":
            return problem(400, f"the body is no JSON: {first['ctx']['error']} at character {first['loc'][-1]}")
        where = ".".join(str(part) for part in first["loc"])
        what = "unknown key" if first["type"] == "extra_forbidden" else first["msg"]
        return problem(422, f"{where}: {what[:1].lower()}{what[1:]}")

    @app.exception_handler(HTTPException)
    def failed(request: Request, error: HTTPException) -> Response:
        return problem(error.status_code, str(error.detail), dict(error.headers or {}))
