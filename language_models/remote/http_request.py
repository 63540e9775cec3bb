"""One HTTP request with JSON both ways: sizes, redirects, and the words for connections that fail."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, NamedTuple
from urllib.parse import SplitResult, urljoin, urlsplit

import aiohttp

from language_models.masking import masked
from language_models.protocol import ModelError, ModelUnavailable
from language_models.remote.bodies import Body, NoAnswer, read_body, read_limited, text_of_body
from language_models.remote.failures import WRONG_ADDRESS, TransientFailure, failure_in, failure_of, only_attempt

_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_MOST_REDIRECTS = 10
LONGEST_ANSWER = 16_000_000


async def request_json(
    session: aiohttp.ClientSession, method: str, url: str, body: dict[str, Any] | None, key_variable: str
) -> Body:
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
    content_type = headers.get("Content-Type", "")
    sent = () if body is None else tuple(body)
    if not 200 <= status < 300:
        raise failure_of(url, status, headers, text_of_body(content, content_type), key_variable, sent)
    try:
        found = read_body(content, content_type)
    except NoAnswer as error:
        text = text_of_body(content, content_type)
        raise TransientFailure(str(error), text=text, is_page=error.is_page) from None
    if (failure := failure_in(url, found.answer, key_variable, sent)) is not None:
        raise failure
    return found


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
    raise ModelUnavailable(f"{asked} answered with {reason}; {WRONG_ADDRESS}", usage=only_attempt(reason, ""))


async def _limited(response: aiohttp.ClientResponse, url: str) -> bytes:
    """Read a body up to the limit.

    Raises:
        ModelError: if it is longer.
    """
    content, too_long = await read_limited(response.content, LONGEST_ANSWER)
    if too_long:
        reason = f"more than {LONGEST_ANSWER} bytes"
        raise ModelError(f"{url} sent {reason}", usage=only_attempt(reason, text_of_body(content)))
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
            usage=only_attempt(reason, ""),
        )
    return new


def _server(parts: SplitResult) -> tuple[str, str | None, int | None]:
    """Return scheme, host and port of an address."""
    return parts.scheme, parts.hostname, parts.port or {"http": 80, "https": 443}.get(parts.scheme)


def _reason(error: aiohttp.ClientError) -> str:
    """Describe in words why no answer came."""
    match error:
        case aiohttp.ClientConnectorDNSError():
            return f"the host {error.host!r} is not known ({error.strerror})"
        case aiohttp.ClientSSLError():
            return f"no secure connection to {error.host}:{error.port} ({error.strerror})"
        case aiohttp.ClientHttpProxyError():
            return f"status {error.status} of the proxy"
        case aiohttp.ClientConnectorError():
            proxy = "the proxy " if isinstance(error, aiohttp.ClientProxyConnectionError) else ""
            why = os.strerror(error.errno) if error.errno else error.strerror
            return f"no connection to {proxy}{error.host}:{error.port} ({why})"
        case aiohttp.ServerDisconnectedError() | aiohttp.ClientPayloadError():
            return f"an answer that breaks off ({type(error).__name__}: {error})"
    return f"{type(error).__name__}: {error}"
