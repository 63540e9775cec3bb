"""One HTTP request with JSON both ways, and the classification of failures as transient or final."""

from __future__ import annotations

import email.utils
import json
import math
import os
from collections.abc import Mapping
from typing import Any, NamedTuple
from urllib.parse import SplitResult, urljoin, urlsplit

import aiohttp

from language_models.arguments import RESUMABLE
from language_models.masking import masked, masked_json
from language_models.protocol import Attempt, ModelError, ModelUnavailable, PromptTooLong, Usage
from language_models.remote.prompt_length import LONGER_CONTEXT, says_too_long

TRANSIENT_STATUSES = frozenset({408, 409, 425, 429})  # and all from 500 on
TOO_MANY_REQUESTS = 429
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_MOST_REDIRECTS = 10
LONGEST_ANSWER = 16_000_000
WRONG_ADDRESS = "the address is probably wrong: it may lack /v1 at its end, or lead to a page to log in"
_REMEDIES = {
    401: "the key is missing or wrong; put it into the environment variable {variable}",
    402: "nothing is left to pay with; add to the account that the key in {variable} belongs to",
    403: "the key may not do this; put another one into the environment variable {variable}",
    404: "there is no such model or address; irollan models test shows what the server has",
}


class TransientFailure(Exception):
    """A transient failure: the same request may succeed later.

    Attributes:
        wait: Seconds that the server asks to wait; None if it does not ask.
        status: HTTP status of the answer; None without an answer.
        text: The body of the answer, if any.
        is_page: Whether the body is an HTML page.
    """

    def __init__(
        self,
        reason: str,
        wait: float | None = None,
        status: int | None = None,
        text: str = "",
        *,
        is_page: bool = False,
    ) -> None:
        super().__init__(reason)
        self.is_page = is_page
        self.wait = wait
        self.status = status
        self.text = text

    @property
    def remedy(self) -> str:
        """What to do if the failure persists."""
        if self.status == TOO_MANY_REQUESTS:
            return f"the server wants fewer requests: set a lower rate or concurrency, or more retries, {RESUMABLE}"
        return WRONG_ADDRESS if self.is_page else "check that the server runs"


async def request_json(
    session: aiohttp.ClientSession, method: str, url: str, body: dict[str, Any] | None, key_variable: str
) -> dict[str, Any]:
    """Send one request, and return the JSON object of the answer.

    Args:
        session: Connections, headers and time-out.
        method: GET or POST.
        url: The full URL.
        body: Sent as JSON, if there is one.
        key_variable: The environment variable that the key is read from, for errors.

    Raises:
        TransientFailure: if it failed, but may succeed later.
        ModelError: if the server rejects this request itself; its usage has the one attempt.
        ModelUnavailable: if the server cannot be used; its usage has the one attempt.
    """
    status, headers, content = await _exchange(session, method, url, body)
    if status != 200:
        raise _failure(url, status, headers, content, key_variable)
    try:
        answer = masked_json(json.loads(content))
    except (ValueError, RecursionError):
        answer = None
    if not isinstance(answer, dict):
        is_page = "html" in headers.get("Content-Type", "").lower() or content.lstrip().startswith(b"<")
        what = "HTML, and no JSON object" if is_page else "no JSON object"
        raise TransientFailure(f"{what}: {_text(content)[:300]!r}", text=_text(content), is_page=is_page)
    return answer


class _Response(NamedTuple):
    """Status, headers and body of an answer."""

    status: int
    headers: Mapping[str, str]
    content: bytes


async def _exchange(session: aiohttp.ClientSession, method: str, url: str, body: dict[str, Any] | None) -> _Response:
    """Send one request, follow redirects within the same server, and return the answer.

    Raises:
        TransientFailure: if there is no answer.
        ModelError: if it is too long.
        ModelUnavailable: if the address cannot be asked, or redirects to another server.
    """
    asked = url
    try:
        for _ in range(_MOST_REDIRECTS):
            async with session.request(method, url, json=body, allow_redirects=False) as response:
                target = response.headers.get("Location", "")
                if response.status not in _REDIRECTS or not target:
                    return _Response(response.status, response.headers, await _limited(response, url))
            url = _redirected(url, target)
    except TimeoutError:
        raise TransientFailure(f"no answer within {session.timeout.total:g} s") from None
    except (aiohttp.InvalidURL, UnicodeError) as error:
        raise ModelUnavailable(f"{url} is no address that can be asked: {error}; correct it") from None
    except aiohttp.ClientError as error:
        raise TransientFailure(masked(_reason(error))) from error
    reason = f"{_MOST_REDIRECTS} redirects, one after the other"
    raise ModelUnavailable(f"{asked} answered with {reason}; {WRONG_ADDRESS}", usage=_only_attempt(reason, b""))


async def _limited(response: aiohttp.ClientResponse, url: str) -> bytes:
    """Read a body up to the limit.

    Raises:
        ModelError: if it is longer.
    """
    content = b""
    async for chunk in response.content.iter_any():
        content += chunk
        if len(content) > LONGEST_ANSWER:
            reason = f"more than {LONGEST_ANSWER} bytes"
            raise ModelError(f"{url} sent {reason}", usage=_only_attempt(reason, content))
    return content


def _redirected(url: str, target: str) -> str:
    """Return the address that a redirect leads to; prompts and keys go to no other server than the one named.

    Raises:
        ModelUnavailable: if it is another server.
    """
    try:
        new = urljoin(url, target)
        here, there = urlsplit(url), urlsplit(new)
        same = _server(here) == _server(there) or (here.scheme, there.scheme, here.port, there.port, here.hostname) == (
            "http",
            "https",
            None,
            None,
            there.hostname,
        )
    except ValueError:
        new, same = target, False
    if not same:
        reason = f"a redirect to {masked(new)[:200]!r}"
        raise ModelUnavailable(
            f"{url} answered with {reason}, another server, which is not asked; name that address if you trust it",
            usage=_only_attempt(reason, b""),
        )
    return new


def _server(parts: SplitResult) -> tuple[str, str | None, int | None]:
    """Return scheme, host and port of an address."""
    return parts.scheme, parts.hostname, parts.port or {"http": 80, "https": 443}.get(parts.scheme)


def _failure(
    url: str, status: int, headers: Mapping[str, str], content: bytes, key_variable: str
) -> TransientFailure | ModelError | ModelUnavailable:
    """Return the error for a status other than 200."""
    described = f"status {status}: {_text(content)[:300]}"
    if 300 <= status < 400:
        return ModelUnavailable(
            f"{url} answered {described}, a redirect; {WRONG_ADDRESS}", usage=_only_attempt(described, content)
        )
    if status in TRANSIENT_STATUSES or status >= 500:
        return TransientFailure(described, _retry_after(headers), status, _text(content))
    if (remedy := _REMEDIES.get(status)) is not None:
        remedy = remedy.format(variable=key_variable)
        return ModelUnavailable(f"{url} answered {described}; {remedy}", usage=_only_attempt(described, content))
    if says_too_long(status, _text(content)):
        message = f"{url} answered {described}; the prompt is longer than the model's context: {LONGER_CONTEXT}"
        return PromptTooLong(message, usage=_only_attempt(described, content))
    return ModelError(f"{url} refused the request, {described}", usage=_only_attempt(described, content))


def _only_attempt(reason: str, content: bytes) -> Usage:
    """Return the usage of a request that is not retried, with the request as its only attempt."""
    return Usage(attempts=(Attempt(kind="network", reason=reason, text=_text(content)),))


def _text(content: bytes) -> str:
    return masked(content.decode("utf-8", "replace"))


def _reason(error: aiohttp.ClientError) -> str:
    """Describe in words why no answer came."""
    match error:
        case aiohttp.ClientConnectorDNSError():
            return f"the host {error.host!r} is not known ({error.strerror})"
        case aiohttp.ClientSSLError():
            return f"no secure connection to {error.host}:{error.port} ({error.strerror})"
        case aiohttp.ClientConnectorError():
            why = os.strerror(error.errno) if error.errno else error.strerror
            return f"no connection to {error.host}:{error.port} ({why})"
        case aiohttp.ServerDisconnectedError() | aiohttp.ClientPayloadError():
            return f"an answer that breaks off ({type(error).__name__}: {error})"
    return f"{type(error).__name__}: {error}"


def _retry_after(headers: Mapping[str, str]) -> float | None:
    """Return the seconds that the server asks to wait, from a number or a date by the server's own clock."""
    asked = headers.get("Retry-After", "").strip()
    try:
        seconds = float(asked)
    except ValueError:
        try:
            then = email.utils.parsedate_to_datetime(asked).timestamp()
            now = email.utils.parsedate_to_datetime(headers.get("Date", "")).timestamp()
        except (ValueError, TypeError):
            return None
        seconds = then - now
    return max(seconds, 0.0) if math.isfinite(seconds) else None
