"""Waiting, limits and retries: what a server with the OpenAI API needs time for."""

import asyncio
import time
from email.utils import formatdate
from typing import Any

import pytest
from asking import ADA, generate, use
from stand_in import COUNTS, Server, chat

from language_models.protocol import ModelUnavailable
from language_models.remote.openai_compatible import OpenAICompatible

HELLO = chat("Hello.")
BUSY = (503, {}, b"busy")


@pytest.fixture
def slept(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """What was slept by the clock of the caller; no time passes."""
    waits: list[float] = []
    really = asyncio.sleep

    async def sleep(seconds: float) -> None:
        if seconds > 0:
            waits.append(seconds)
        await really(0)

    monkeypatch.setattr(asyncio, "sleep", sleep)
    return waits


@pytest.mark.parametrize("status", [408, 429, 500, 501, 503, 599])
def test_passing_failures_are_tried_again(server: Server, status: int) -> None:
    server.answers = [(status, {}, {"error": "busy"})] * 2 + [HELLO]
    assert use(server, generate, backoff=0.0).text == "Hello."
    assert len(server.requests) == 3


def test_retry_after_is_waited_for_and_counted(server: Server) -> None:
    server.answers = [(429, {"Retry-After": "0.1"}, {}), HELLO]
    usage = use(server, generate, backoff=0).usage
    assert (usage.retries, 0.09 < usage.waiting < usage.seconds) == (1, True)


@pytest.mark.parametrize(
    ("headers", "wait"),
    [
        ({"Retry-After": "240"}, 240),
        # A date is read against the server's own clock, which stands in 2001 here.
        ({"Date": formatdate(1e9, usegmt=True), "Retry-After": formatdate(1e9 + 7, usegmt=True)}, 7),
        *[({"Retry-After": what}, 0) for what in ("soon", "nan", "-5")],
    ],
)
def test_how_long_a_server_asks_to_wait(
    slept: list[float], server: Server, headers: dict[str, str], wait: float
) -> None:
    server.answers = [(503, headers, {}), HELLO]
    assert use(server, generate, backoff=0.5).text == "Hello."
    assert [wait <= seconds <= wait + 1 for seconds in slept] == [True]


def test_waits_grow_and_differ(slept: list[float], server: Server) -> None:
    server.answers = [*[(503, {}, {})] * 3, HELLO] * 2
    for _ in range(2):
        assert use(server, generate, backoff=1).text == "Hello."
    assert [int(wait) in (base, base + 1) for wait, base in zip(slept, [1, 2, 4] * 2, strict=True)] == [True] * 6
    assert slept[:3] != slept[3:]


REMEDY = "set a lower rate or concurrency, or more retries, among the options"
WRONG_ADDRESS = "the address is probably wrong"


@pytest.mark.parametrize(
    ("answer", "options", "message", "requests"),
    [
        ((503, {}, b"down"), {"retries": 2}, "failed 3 times, the last time with status 503: down; check", 3),
        (BUSY, {"deadline": 0.1, "backoff": 30}, "no answer within 0.1 s, over 1 requests, the .* status 503: busy", 1),
        ((429, {}, {}), {"retries": 1}, f"failed 2 times, .* status 429: .*; .*: {REMEDY}", 2),
        ((429, {}, {}), {"deadline": 0.1, "backoff": 30}, f"no answer within 0.1 s, .* status 429: .*: {REMEDY}", 1),
        (
            (429, {"Retry-After": "120"}, {}),
            {"deadline": 30},
            r"asks to wait 120 s, longer than the \S+ s left of the deadline of 30 s \(status 429: {}\); ",
            1,
        ),
        ((503, {"Retry-After": "100000"}, {}), {"deadline": 50_000}, r"wait 100000 s, longer than the \d{5} s left", 1),
        ((200, {"Content-Type": "text/html"}, b"Log in"), {"retries": 1}, f"with HTML, .*'Log in'; {WRONG_ADDRESS}", 2),
        (b"\n<!DOCTYPE html>", {"retries": 1}, f"failed 2 times, .* HTML, and no JSON object: .*; {WRONG_ADDRESS}", 2),
        (b"Hello.", {"retries": 1}, "with no JSON object: 'Hello.'; check that the server runs", 2),
        ((302, {"Location": "/v1/login"}, {}), {}, f"10 redirects, one after the other; {WRONG_ADDRESS}", 10),
        ((302, {}, {}), {}, f"answered status 302: {{}}, a redirect; {WRONG_ADDRESS}", 1),
    ],
)
def test_a_server_that_is_given_up(
    server: Server, answer: Any, options: dict[str, Any], message: str, requests: int
) -> None:
    server.answers, began = [answer], time.perf_counter()
    with pytest.raises(ModelUnavailable, match=message):
        use(server, generate, **options)
    assert (len(server.requests), time.perf_counter() - began < 5) == (requests, True)


@pytest.mark.parametrize(
    ("what", "requests"), [("text", 2), ("choice", 4), ("choice among many", 12), ("way to choose", 2)]
)
def test_all_requests_of_a_call_share_its_deadline(server: Server, what: str, requests: int) -> None:
    """Each is answered within it and none is of use: those of the second ask are given up."""
    server.answers, server.delay = [chat("", {"The": -0.1})], 0.3
    options: dict[str, Any] = {"choosing": "auto" if what == "way to choose" else "logprobs", "asks": 3}

    def ask(model: OpenAICompatible) -> Any:
        if what == "text":
            return generate(model)
        return model.choose("What now?", [f"option {n}" for n in range(45 if "many" in what else 2)], caller=ADA)

    message = r"no answer of use within 0.58 s, 0.[3-5]\d* s of them for requests before; use a quicker server, or set"
    with pytest.raises(ModelUnavailable, match=message) as error:
        use(server, ask, deadline=0.58, concurrency=16, **options)
    assert len(server.requests) == requests
    # What came before is counted all the same.
    assert error.value.usage.prompt_tokens == requests // 2 * COUNTS["prompt_tokens"]
    assert error.value.usage.attempts[-1].reason == "no answer when 0.58 s were over"


def test_after_too_many_requests_all_of_the_client_wait(server: Server) -> None:
    times: list[float] = []

    def answer(path: str, body: Any) -> Any:
        times.append(time.perf_counter())
        return (429, {"Retry-After": "0.2"}, {}) if len(times) == 1 else HELLO

    server.answers = [answer]

    async def many(model: OpenAICompatible) -> None:
        first = asyncio.ensure_future(generate(model))
        await asyncio.sleep(0.1)
        await asyncio.gather(first, *(generate(model, seed=seed) for seed in range(4)))

    use(server, many)
    assert len(times) == 6
    assert min(times[1:]) - times[0] > 0.15


@pytest.mark.parametrize(("options", "delay"), [({"rate": 40, "concurrency": 15}, 0.0), ({"concurrency": 3}, 0.03)])
def test_no_more_requests_a_second_and_at_once_than_allowed(
    server: Server, options: dict[str, Any], delay: float
) -> None:
    server.answers, server.delay = [HELLO], delay

    async def many(model: OpenAICompatible) -> None:
        await asyncio.gather(*(generate(model, seed=seed) for seed in range(9)))

    began = time.perf_counter()
    use(server, many, **options)
    assert len(server.requests) == 9
    if "rate" in options:  # Evenly spaced, from the first on.
        assert time.perf_counter() - began > 0.19
    else:
        assert server.most_at_once == 3


def test_a_slow_server_times_out(server: Server) -> None:
    server.answers, server.delay = [HELLO], 0.2
    with pytest.raises(ModelUnavailable, match=r"failed 2 times, the last time with no answer within 0.05 s"):
        use(server, generate, timeout=0.05, retries=1)


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("http://127.0.0.1:9/v1", r"no connection to 127.0.0.1:9 \(Connection refused\)"),
        ("http://no-such-host.invalid/v1", r"the host 'no-such-host.invalid' is not known \("),
    ],
)
def test_no_server(url: str, reason: str) -> None:
    with pytest.raises(ModelUnavailable, match=f"failed 2 times, the last time with {reason}"):
        use(Server(url=url), generate, retries=1)


def test_a_plain_server_asked_for_a_secure_connection(server: Server) -> None:
    with pytest.raises(ModelUnavailable, match=r"the last time with no secure connection to 127.0.0.1:\d+ \(.+\)"):
        use(Server(url=server.url.replace("http:", "https:")), generate, retries=0)
