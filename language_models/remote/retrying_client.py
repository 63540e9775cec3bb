"""HTTP client for JSON with limits of concurrency and rate, and with retries."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Iterator
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

from language_models.masking import register_secret
from language_models.protocol import ModelError, ModelUnavailable, Usage
from language_models.remote.address import KEY_VARIABLE, Key
from language_models.remote.connections import open_session
from language_models.remote.failures import TOO_MANY_REQUESTS, TransientFailure
from language_models.remote.http_request import request_json
from language_models.remote.send_record import SendRecord

LONGEST_BACKOFF = 60.0

_ENDS: ContextVar[float] = ContextVar("ends")
"""Deadline of a call of several requests, on the clock of time.monotonic()."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Reply:
    """An answer and its cost.

    Attributes:
        answer: The JSON object.
        usage: Time, retries, and earlier failed requests; no tokens, which not every answer reports.
        replaced: Characters of the answer that were no valid text.
    """

    answer: dict[str, Any]
    usage: Usage
    replaced: int = 0


@dataclass(slots=True)
class _Connection:
    """Connections and limits of one event loop."""

    session: aiohttp.ClientSession
    closing: AsyncGenerator[None, None]
    slots: asyncio.Semaphore
    rate: AsyncLimiter | None


class RetryingClient:
    """Sends requests to one address, with limits, retries and deadlines.

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
        """Configure the client; nothing is sent yet.

        Args:
            base_url: The address.
            key: Sent as bearer token, unless empty.
            concurrency: Requests under way at once, at least 1.
            rate: Requests that begin within a second, evenly spaced; None for any number.
            timeout: Seconds that one request may take.
            deadline: Seconds for a call in total: waiting for a slot, requests, and waiting between them; within
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
        register_secret(self._key.value)
        self._headers = {"Authorization": f"Bearer {self._key.value}"} if self._key.value else {}
        self._concurrency = concurrency
        self._rate = rate
        self._timeout = timeout
        self._deadline = deadline
        self._retries = retries
        self._backoff = backoff
        self._not_before = 0.0  # On the clock of time.monotonic().
        self._connections: dict[asyncio.AbstractEventLoop, _Connection] = {}

    @contextmanager
    def call(self) -> Iterator[None]:
        """Let all requests in this context, and in tasks started in it, share one deadline."""
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
    ) -> Reply:
        """Send a request, with retries.

        Args:
            method: GET or POST.
            path: The part of the URL after the address.
            body: Sent as JSON, if there is one.

        Raises:
            ModelError: if the server rejects this request itself.
            ModelUnavailable: if the server is unusable: no connection, no permission, no answer in time, or a context
                that is too short for the prompt.
        """
        record = SendRecord(self._deadline, _ENDS.get(None))
        retrying = AsyncRetrying(
            retry=retry_if_exception_type(TransientFailure),
            wait=self._wait,
            stop=stop_any(stop_after_attempt(self._retries + 1), _StopBeyond(record.ends)),
            reraise=True,
        )
        try:
            async with asyncio.timeout(record.ends - record.began):
                async for attempt in retrying:
                    with attempt:
                        connection = await self._connect()
                        async with connection.slots:
                            await self._turn(connection.rate, record.ends)
                            with record.request():
                                found = await request_json(
                                    connection.session, method, self.base_url + path, body, self._key.variable
                                )
        except TimeoutError:
            reason, remedy = record.out_of_time()
            raise ModelUnavailable(f"{self.base_url}{path} {reason}; {remedy}", usage=record.usage()) from record.last
        except TransientFailure as error:
            message = f"{self.base_url}{path} {record.given_up(error)}; {error.remedy}"
            raise ModelUnavailable(message, usage=record.usage()) from error
        except (ModelError, ModelUnavailable) as error:
            record.failed.extend(error.usage.attempts)
            error.usage = record.usage()
            raise
        return Reply(answer=found.answer, usage=record.usage(), replaced=found.replaced)

    async def aclose(self) -> None:
        """Close the connections of the running event loop, and those that ended loops left open."""
        await self._close_ended()
        if (connection := self._connections.pop(asyncio.get_running_loop(), None)) is not None:
            await connection.closing.aclose()

    def _wait(self, state: RetryCallState) -> float:
        """Return the seconds to wait before the next try; after status 429, all other requests wait, too."""
        asked = _wait_asked(state)
        seconds = wait_exponential(multiplier=self._backoff, max=LONGEST_BACKOFF)(state) if asked is None else asked
        error = state.outcome.exception() if state.outcome is not None else None
        if isinstance(error, TransientFailure) and error.status == TOO_MANY_REQUESTS:
            self._not_before = max(self._not_before, time.monotonic() + seconds)
        return seconds + wait_random(0, self._backoff)(state)

    async def _turn(self, rate: AsyncLimiter | None, ends: float) -> None:
        """Wait until a request may begin.

        Raises:
            TransientFailure: if that is after the deadline.
        """
        while True:
            while (wait := self._not_before - time.monotonic()) > 0:
                if time.monotonic() + wait > ends:
                    raise TransientFailure("status 429 of another request", wait, TOO_MANY_REQUESTS)
                await asyncio.sleep(wait)
            if rate is None:
                return
            await rate.acquire()
            if time.monotonic() >= self._not_before:
                return

    async def _connect(self) -> _Connection:
        """Return the connections of the running event loop, opening them if necessary."""
        loop = asyncio.get_running_loop()
        if loop not in self._connections:
            session = open_session(
                self.base_url, headers=self._headers, seconds=self._timeout, connections=self._concurrency
            )
            connection = _Connection(
                session=session,
                closing=_close_with_loop(session),
                slots=asyncio.Semaphore(self._concurrency),
                rate=None if self._rate is None else AsyncLimiter(1, 1 / self._rate),
            )
            self._connections[loop] = connection
            await anext(connection.closing)
            await self._close_ended()
        return self._connections[loop]

    async def _close_ended(self) -> None:
        """Close the connections of event loops that have ended."""
        for loop in [one for one in list(self._connections) if one.is_closed()]:
            if (connection := self._connections.pop(loop, None)) is not None:
                await connection.closing.aclose()


async def _close_with_loop(session: aiohttp.ClientSession) -> AsyncGenerator[None, None]:
    """Close a session once its event loop ends: asyncio.run then closes the generators that were begun in it."""
    try:
        yield
    finally:
        await session.close()


class _StopBeyond(stop_base):
    """Stops retrying if the server asks to wait beyond a time of the monotonic clock."""

    def __init__(self, ends: float) -> None:
        self._ends = ends

    def __call__(self, retry_state: RetryCallState) -> bool:
        asked = _wait_asked(retry_state)
        return asked is not None and asked > self._ends - time.monotonic()


def _wait_asked(state: RetryCallState) -> float | None:
    """Return the seconds that the server asked to wait in its last answer; None if it did not ask."""
    error = state.outcome.exception() if state.outcome is not None else None
    return error.wait if isinstance(error, TransientFailure) else None
