"""Access control: token, loopback and body-size checks, for every server of the project.

With a token, requests must carry it; without one, only programs on this machine and this server's pages are served.
"""

from __future__ import annotations

import hmac
import ipaddress
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from irollan_env.server.connections import KNOWN
from irollan_env.server.responses import problem

OPEN_PATHS = ("/docs", "/openapi.json", "/static-offline-docs/")
"""Paths that need no token: the API description, which contains no session data."""


def is_loopback(host: str) -> bool:
    """Whether a host name or address can only mean this machine itself."""
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def check_token(token: str | None) -> None:
    """Check that a token can be sent in a header.

    Raises:
        ValueError: for an empty one, or one with other characters than visible ASCII.
    """
    if token is not None and not (token and token.isascii() and token.isprintable() and " " not in token):
        raise ValueError(
            "a token must consist of visible ASCII characters without spaces; make one with: "
            'python -c "import secrets; print(secrets.token_urlsafe())"'
        )


class BodyLimit:
    """ASGI middleware that refuses a body above a size, whether its length was announced or not.

    What decides who may send one belongs around it, so that a stranger's body is not read at all.
    """

    def __init__(self, app: ASGIApp, longest: int) -> None:
        """Wrap an application.

        Args:
            app: The application to protect.
            longest: Maximum length of a body, in bytes.
        """
        self._app = app
        self._longest = longest

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or reject it."""
        announced = Headers(scope=scope).get("content-length", "") if scope["type"] == "http" else ""
        if announced.isdecimal() and (len(announced) > 18 or int(announced) > self._longest):
            await problem(413, self._why())(scope, receive, send)
            return
        total = 0

        async def measured() -> Message:
            nonlocal total
            message = await receive()
            total += len(message.get("body", b""))
            if total > self._longest:
                raise HTTPException(413, self._why())
            return message

        await self._app(scope, measured, send)

    def _why(self) -> str:
        return f"the body is longer than {self._longest} bytes"


class Gate:
    """ASGI middleware that rejects unauthorised requests before their body is read.

    With a token, requests must bear it (``Authorization: Bearer TOKEN``). Without, a request must be addressed to this
    machine by a loopback name, so that no web page can reach the server under a name of its own (DNS rebinding), and
    must not come from another site's page.
    """

    def __init__(self, app: ASGIApp, token: str | None) -> None:
        """Wrap an application.

        Args:
            app: The application to protect.
            token: The token that requests must carry; None for no token.
        """
        self._app = app
        self._expected = f"Bearer {token}".encode() if token is not None else None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or reject it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        refusal = self._stranger(scope["path"], Headers(scope=scope))
        if refusal is None:
            if not scope["path"].startswith(OPEN_PATHS):
                scope.setdefault("state", {})[KNOWN] = True
            await self._app(scope, receive, send)
            return
        status, detail = refusal
        await problem(status, detail, {"WWW-Authenticate": "Bearer"} if status == 401 else None)(scope, receive, send)

    def _stranger(self, path: str, headers: Headers) -> tuple[int, str] | None:
        if self._expected is None:
            return other_site(headers)
        given = headers.get("authorization", "").encode("latin-1")
        if not path.startswith(OPEN_PATHS) and not hmac.compare_digest(given, self._expected):
            return 401, "the token is missing or wrong; send the header Authorization: Bearer TOKEN"
        return None


def other_site(headers: Headers) -> tuple[int, str] | None:
    """Return the status and the reason to refuse a request to another name than this machine's, or of another site.

    Args:
        headers: Of the request.

    Returns:
        None for a request to a loopback address that no page, or a page of this server, has sent.
    """
    host = headers.get("host", "")
    if not is_loopback(_parts(f"//{host}")[1]):
        return 400, "a server without a token answers only to localhost and loopback addresses; give it a token"
    origin = headers.get("origin")
    if origin is not None and _parts(origin)[0] != host:
        return 403, "a server without a token answers no other site's pages; give it a token"
    return None


def _parts(url: str) -> tuple[str, str]:
    """Return the host with its port, and the host alone; empty for what is no URL."""
    try:
        parts = urlsplit(url)
        return parts.netloc, parts.hostname or ""
    except ValueError:
        return "", ""
