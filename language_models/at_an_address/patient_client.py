"""JSON over HTTP with patience: so many requests at once, so many a second, and again where that may help."""

from __future__ import annotations

import asyncio
import email.utils
import json
import math
import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

import aiohttp
from aiolimiter import AsyncLimiter
from tenacity import (
    AsyncRetrying,
    RetryCallState,
    retry_if_exception_type,
    stop_after_attempt,
    stop_any,
    wait_exponential,
    wait_random,
)
from tenacity.stop import stop_base

from language_models.at_an_address.address import KEY_VARIABLE, Key
from language_models.at_an_address.prompt_length import LONGER_CONTEXT, says_too_long
from language_models.protocol import Attempt, ModelError, ModelUnavailable, PromptTooLong, Usage

PASSING_STATUSES = frozenset({408, 409, 425, 429})  # and all from 500 on
LONGEST_BACKOFF = 60.0
TOO_MANY_REQUESTS = 429
LONGEST_ANSWER = 16_000_000
OPTIONS = "among the options of a TOML file for --model (docs/models.md)"
"""Where an option is set."""

RESUMABLE = f"{OPTIONS}, which irollan resume takes, too"
"""Where one is set that changes no answer."""

_ENDS: ContextVar[float] = ContextVar("ends")
"""When a call of several requests has to end, on the clock of time.monotonic()."""
_REMEDIES = {
    401: "the key is missing or wrong; put it into the environment variable {variable}",
    402: "nothing is left to pay with; add to the account that the key in {variable} belongs to",
    403: "the key may not do this; put another one into the environment variable {variable}",
    404: "there is no such model or address; irollan models test shows what the server has",
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Reply:
    """What came back, and what it took.

    Attributes:
        answer: The JSON object.
        usage: Time, retries, and the requests before it, which failed; no tokens, which not every answer tells.
    """

    answer: dict[str, Any]
    usage: Usage


class _Passing(Exception):
    """A failure that may pass.

    Attributes:
        wait: Seconds that the server asks to wait; None if it does not say.
        status: The status of the answer; None where none came.
        text: What came back, as far as anything did.
    """

    def __init__(self, reason: str, wait: float | None = None, status: int | None = None, text: str = "") -> None:
        super().__init__(reason)
        self.wait = wait
        self.status = status
        self.text = text

    @property
    def remedy(self) -> str:
        """What to do about it where it does not pass."""
        if self.status == TOO_MANY_REQUESTS:
            return f"the server wants fewer requests: set a lower rate or concurrency, or more retries, {RESUMABLE}"
        return "check that the server runs"


@dataclass(slots=True)
class _Connection:
    """What belongs to one event loop."""

    loop: asyncio.AbstractEventLoop
    session: aiohttp.ClientSession
    slots: asyncio.Semaphore
    rate: AsyncLimiter | None


class PatientClient:
    """Sends requests to one address.

    Attributes:
        base_url: The address up to and including the version, without a slash at its end.
    """

    def __init__(
        self,
        base_url: str,
        *,
        key: Key | None = None,
        concurrency: int = 8,
        rate: float | None = None,
        timeout: float = 60.0,
        deadline: float = 600.0,
        retries: int = 4,
        backoff: float = 0.5,
    ) -> None:
        """Describe how to ask; nothing is sent yet.

        Args:
            base_url: The address.
            key: Sent as bearer token, if it is not empty.
            concurrency: Requests under way at once, at least 1.
            rate: Requests that begin within a second, evenly spaced; None for any number.
            timeout: Seconds that one request may take.
            deadline: Seconds that all of it may take: waiting for a slot, requests, and waiting between them; within
                ``call``, of all requests of it.
            retries: How often a request is sent again after a time-out, a broken connection or a passing status.
            backoff: Seconds before the first of them; doubled each time, up to 60, unless the server says Retry-After,
                which is kept to as long as the deadline allows. A random part of up to this much is added, so that
                requests that failed together do not come again together. After status 429 no request begins before.

        Raises:
            ValueError: if a number is out of its range.
        """
        for what, count, least in (("concurrency", concurrency, 1), ("retries", retries, 0)):
            if count < least:
                raise ValueError(f"{what} must be at least {least}, got {count}")
        for what, value in (("timeout", timeout), ("deadline", deadline), ("rate", rate)):
            if value is not None and not value > 0:
                raise ValueError(f"{what} must be above 0, got {value}")
        if not backoff >= 0:
            raise ValueError(f"backoff must be at least 0, got {backoff}")
        self.base_url = base_url
        self._key = key or Key(KEY_VARIABLE, "")
        self._headers = {"Authorization": f"Bearer {self._key.value}"} if self._key.value else {}
        self._concurrency = concurrency
        self._rate = rate
        self._timeout = timeout
        self._deadline = deadline
        self._retries = retries
        self._backoff = backoff
        self._not_before = 0.0  # On the clock of time.monotonic().
        self._connection: _Connection | None = None

    @contextmanager
    def call(self) -> Iterator[None]:
        """All requests that are sent within this, by tasks begun in it, too, are one call and share the deadline."""
        ends = _ENDS.set(time.monotonic() + self._deadline)
        try:
            yield
        finally:
            _ENDS.reset(ends)

    async def send(
        self,
        method: str,
        path: str,
        body: dict[str, Any] | None = None,
        check: Callable[[dict[str, Any]], object] | None = None,
    ) -> Reply:
        """Send a request, again where that may help.

        Args:
            method: GET or POST.
            path: What follows the address.
            body: Sent as JSON, if there is one.
            check: Raises ValueError for an answer that is of no use, which is a failure that may pass.

        Raises:
            ModelError: if the server will not take this request, whoever sends it.
            ModelUnavailable: if the server cannot be asked: no connection, no right, no answer in time, or a context
                that is too short for the prompt.
        """
        started, working, sent = time.perf_counter(), 0.0, 0
        failed: list[Attempt] = []
        begins = time.monotonic()
        ends = _ENDS.get(begins + self._deadline)
        last: _Passing | None = None

        def usage() -> Usage:
            seconds = time.perf_counter() - started
            return Usage(
                seconds=seconds,
                waiting=max(0.0, seconds - working),
                retries=max(0, sent - 1),
                attempts=tuple(failed),
            )

        retrying = AsyncRetrying(
            retry=retry_if_exception_type(_Passing),
            wait=self._wait,
            stop=stop_any(stop_after_attempt(self._retries + 1), _StopBeyond(ends)),
            reraise=True,
        )
        try:
            async with asyncio.timeout(ends - begins):
                async for attempt in retrying:
                    with attempt:
                        connection = self._connect()
                        async with connection.slots:
                            await self._turn(connection.rate, ends)
                            sent += 1
                            began = time.perf_counter()
                            try:
                                answer = await self._once(connection.session, method, path, body)
                                if check is not None:
                                    _pass(check, answer)
                            except _Passing as error:
                                last = error
                                failed.append(Attempt(kind="network", reason=str(error), text=error.text))
                                raise
                            finally:
                                working += time.perf_counter() - began
        except TimeoutError:
            if sent > len(failed):
                failed.append(Attempt(kind="network", reason=f"no answer when {self._deadline:g} s were over"))
            reason = f"gave no answer within {self._deadline:g} s, over {sent} requests"
            remedy = "check that the server runs"
            if last is not None:
                reason, remedy = f"{reason}, the last of which had {last}", last.remedy
            elif (before := self._deadline - (ends - begins)) > self._deadline / 10:
                reason = (
                    f"gave no answer of use within {self._deadline:g} s, {before:.4g} s of them for requests before"
                )
                remedy = f"use a quicker server, or set a longer deadline {RESUMABLE}"
            raise ModelUnavailable(f"{self.base_url}{path} {reason}; {remedy}", usage=usage()) from last
        except _Passing as error:
            left = max(0.0, ends - time.monotonic())
            if error.wait is not None and error.wait > left:
                reason = (
                    f"asks to wait {error.wait:.4g} s, longer than the {left:.4g} s left of the deadline of "
                    f"{self._deadline:g} s ({error})"
                )
            else:
                reason = f"failed {sent} times, the last time with {error}"
            raise ModelUnavailable(f"{self.base_url}{path} {reason}; {error.remedy}", usage=usage()) from error
        except (ModelError, ModelUnavailable) as error:
            failed.extend(error.usage.attempts)
            error.usage = usage()
            raise
        return Reply(answer=answer, usage=usage())

    async def aclose(self) -> None:
        """Close the connections."""
        if self._connection is not None:
            await self._connection.session.close()
            self._connection = None

    async def _once(
        self, session: aiohttp.ClientSession, method: str, path: str, body: dict[str, Any] | None
    ) -> dict[str, Any]:
        """One request.

        Raises:
            _Passing: if it failed, and may not fail another time.
            ModelError: as from ``send``, with this request as the only attempt; so of ModelUnavailable.
        """
        url = self.base_url + path
        try:
            async with session.request(method, url, json=body) as response:
                content = b""
                async for chunk in response.content.iter_any():
                    content += chunk
                    if len(content) > LONGEST_ANSWER:
                        reason = f"more than {LONGEST_ANSWER} bytes"
                        raise ModelError(f"{url} sent {reason}", usage=_in_vain(reason, content))
                status, headers = response.status, response.headers
        except TimeoutError:
            raise _Passing(f"no answer within {self._timeout:g} s") from None
        except (aiohttp.InvalidURL, UnicodeError) as error:
            raise ModelUnavailable(f"{url} is no address that can be asked: {error}; correct it") from None
        except aiohttp.ClientError as error:
            raise _Passing(_reason(error)) from error
        start = _text(content[:300])
        told = f"status {status}: {start}"
        if status in PASSING_STATUSES or status >= 500:
            raise _Passing(told, _retry_after(headers), status, _text(content))
        if (remedy := _REMEDIES.get(status)) is not None:
            remedy = remedy.format(variable=self._key.variable)
            raise ModelUnavailable(f"{url} answered {told}; {remedy}", usage=_in_vain(told, content))
        if says_too_long(status, _text(content)):
            message = f"{url} answered {told}; the prompt is longer than the model's context: {LONGER_CONTEXT}"
            raise PromptTooLong(message, usage=_in_vain(told, content))
        if status != 200:
            raise ModelError(f"{url} refused the request, {told}", usage=_in_vain(told, content))
        try:
            answer = json.loads(content)
        except (ValueError, RecursionError):
            answer = None
        if not isinstance(answer, dict):
            raise _Passing(f"no JSON object: {start!r}", text=_text(content))
        return answer

    def _wait(self, state: RetryCallState) -> float:
        """Seconds before the next request of this one; after status 429, of all others of this client, too."""
        asked = _wait_asked(state)
        seconds = wait_exponential(multiplier=self._backoff, max=LONGEST_BACKOFF)(state) if asked is None else asked
        error = state.outcome.exception() if state.outcome is not None else None
        if isinstance(error, _Passing) and error.status == TOO_MANY_REQUESTS:
            self._not_before = max(self._not_before, time.monotonic() + seconds)
        return seconds + wait_random(0, self._backoff)(state)

    async def _turn(self, rate: AsyncLimiter | None, ends: float) -> None:
        """Wait until a request may begin.

        Raises:
            _Passing: if that is after the end.
        """
        while True:
            while (wait := self._not_before - time.monotonic()) > 0:
                if time.monotonic() + wait > ends:
                    raise _Passing("status 429 of another request", wait, TOO_MANY_REQUESTS)
                await asyncio.sleep(wait)
            if rate is None:
                return
            await rate.acquire()
            if time.monotonic() >= self._not_before:
                return

    def _connect(self) -> _Connection:
        """The connections of the running event loop; those of one that has ended are of no use."""
        loop = asyncio.get_running_loop()
        if self._connection is None or self._connection.loop is not loop:
            self._connection = _Connection(
                loop=loop,
                session=aiohttp.ClientSession(
                    connector=aiohttp.TCPConnector(limit=self._concurrency),
                    headers=self._headers,
                    timeout=aiohttp.ClientTimeout(total=self._timeout),
                ),
                slots=asyncio.Semaphore(self._concurrency),
                rate=None if self._rate is None else AsyncLimiter(1, 1 / self._rate),
            )
        return self._connection


def _pass(check: Callable[[dict[str, Any]], object], answer: dict[str, Any]) -> None:
    try:
        check(answer)
    except ValueError as error:
        raise _Passing(str(error), text=json.dumps(answer)) from error


def _in_vain(reason: str, content: bytes) -> Usage:
    """A request that is not made again, as the only attempt."""
    return Usage(attempts=(Attempt(kind="network", reason=reason, text=_text(content)),))


def _text(content: bytes) -> str:
    return content.decode("utf-8", "replace")


def _reason(error: aiohttp.ClientError) -> str:
    """Why no answer came, in words."""
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
    """Seconds that the server asks to wait, as a number or a date; a date is read against the server's own clock."""
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


class _StopBeyond(stop_base):
    """Stops where the server asks to wait beyond a time of the monotonic clock."""

    def __init__(self, ends: float) -> None:
        self._ends = ends

    def __call__(self, retry_state: RetryCallState) -> bool:
        asked = _wait_asked(retry_state)
        return asked is not None and asked > self._ends - time.monotonic()


def _wait_asked(state: RetryCallState) -> float | None:
    """Seconds that the server asked to wait in its last answer, if it did."""
    error = state.outcome.exception() if state.outcome is not None else None
    return error.wait if isinstance(error, _Passing) else None
