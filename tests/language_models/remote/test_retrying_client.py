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


@pytest.mark.parametrize("status", [408, 429, 500, 501, 503, 507, 520, 524, 599])
def test_passing_failures_are_tried_again(server: Server, status: int) -> None:
    server.answers = [(status, {}, {"error": "busy"})] * 2 + [chat("Hello.")]
    assert use(server, generate).text == "Hello."
    assert len(server.requests) == 3


@pytest.mark.parametrize("wait", ["0.2", lambda: formatdate(time.time() + 1.5, usegmt=True)])
def test_retry_after_is_honoured(server: Server, wait: Any) -> None:
    server.answers = [(429, {"Retry-After": wait() if callable(wait) else wait}, {}), chat("Hello.")]
    started = time.perf_counter()
    answer = use(server, generate, backoff=0)
    assert answer.text == "Hello."
    assert time.perf_counter() - started > 0.19
    assert answer.usage.retries == 1
    assert 0.19 < answer.usage.waiting < answer.usage.seconds


def test_clocks_that_differ_do_not_matter(server: Server) -> None:
    # The date that the server gives is read against its own clock, which stands in 2001 here.
    then = {"Date": formatdate(1e9, usegmt=True), "Retry-After": formatdate(1e9 + 1, usegmt=True)}
    server.answers = [(429, then, {}), chat("Hello.")]
    assert 0.9 < use(server, generate, backoff=0).usage.waiting < 5


def test_retry_after_that_is_no_time(server: Server) -> None:
    for asked in ("soon", "nan", "-5"):
        server.answers = [(429, {"Retry-After": asked}, {}), chat("Hello.")]
        assert use(server, generate).text == "Hello."


def test_retries_end(server: Server) -> None:
    server.answers = [(503, {}, b"down for the night")]
    with pytest.raises(
        ModelUnavailable, match=r"failed 3 times, the last time with status 503: down for the night; check"
    ):
        use(server, generate, retries=2)


def test_the_deadline_ends_all_waiting(server: Server) -> None:
    server.answers = [(503, {}, b"busy")]
    started = time.perf_counter()
    with pytest.raises(ModelUnavailable, match=r"no answer within 0.2 s, over 1 requests, the .* had status 503: busy"):
        use(server, generate, deadline=0.2, backoff=30)
    assert time.perf_counter() - started < 5


@pytest.mark.parametrize(
    ("what", "requests"), [("text", 2), ("choice", 4), ("choice among many", 12), ("way to choose", 2)]
)
def test_all_requests_of_a_call_share_its_deadline(server: Server, what: str, requests: int) -> None:
    """Each is answered within it and none is of use: those of the second ask are given up."""
    server.answers, server.delay = [chat("", {"The": -0.1})], 0.5
    options: dict[str, Any] = {"choosing": "auto" if what == "way to choose" else "logprobs", "asks": 3}

    def ask(model: OpenAICompatible) -> Any:
        if what == "text":
            return generate(model)
        return model.choose("What now?", [f"option {n}" for n in range(45 if "many" in what else 2)], caller=ADA)

    message = (
        r"gave no answer of use within 0.98 s, 0.[5-9]\d* s of them for requests before; use a quicker server, or set"
    )
    with pytest.raises(ModelUnavailable, match=message) as error:
        use(server, ask, deadline=0.98, concurrency=16, **options)
    assert len(server.requests) == requests
    # What came before is counted all the same.
    assert error.value.usage.prompt_tokens == requests // 2 * COUNTS["prompt_tokens"]
    assert error.value.usage.attempts[-1].reason == "no answer when 0.98 s were over"


@pytest.mark.parametrize("status", [429, 503])
def test_a_server_that_asks_to_wait_longer_than_the_deadline_is_given_up_at_once(server: Server, status: int) -> None:
    server.answers = [(status, {"Retry-After": "120"}, {})]
    started = time.perf_counter()
    message = r"asks to wait 120 s, longer than the \S+ s left of the deadline of 30 s \(status \d+: {}\); "
    with pytest.raises(ModelUnavailable, match=message):
        use(server, generate, deadline=30)
    assert (time.perf_counter() - started < 5, len(server.requests)) == (True, 1)


def test_long_waits_are_told_in_plain_numbers(server: Server) -> None:
    server.answers = [(429, {"Retry-After": "100000"}, {})]
    with pytest.raises(ModelUnavailable, match=r"asks to wait 100000 s, longer than the \d{5} s left"):
        use(server, generate, deadline=50_000)


@pytest.mark.parametrize(
    "page", [(200, {"Content-Type": "text/html; charset=utf-8"}, b"Log in"), b"\n<!DOCTYPE html><html></html>"]
)
def test_a_page_for_people_tells_of_a_wrong_address(server: Server, page: Any) -> None:
    server.answers = [page]
    message = (
        r"failed 2 times, the last time with HTML, and no JSON object: '.*'; the address is probably wrong: it may"
    )
    with pytest.raises(ModelUnavailable, match=message):
        use(server, generate, retries=1)
    server.answers = [page, chat("Hello.")]
    assert use(server, generate, retries=1).text == "Hello."
    server.answers = [b"Hello."]
    with pytest.raises(ModelUnavailable, match=r"with no JSON object: 'Hello.'; check that the server runs"):
        use(server, generate, retries=1)


@pytest.mark.parametrize(
    ("headers", "message", "requests"),
    [
        (
            {"Location": "/v1/login"},
            "answered with 10 redirects, one after the other; the address is probably wrong",
            10,
        ),
        ({}, "answered status 302: {}, a redirect; the address is probably wrong", 1),
    ],
)
def test_a_redirect_tells_of_a_wrong_address_at_once(
    server: Server, headers: dict[str, str], message: str, requests: int
) -> None:
    server.answers = [(302, headers, {})]
    with pytest.raises(ModelUnavailable, match=message) as error:
        use(server, generate)
    assert len(server.requests) == requests
    assert len(error.value.usage.attempts) == 1


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


def test_retry_after_is_not_cut_short(slept: list[float], server: Server) -> None:
    server.answers = [(503, {"Retry-After": "240"}, {}), chat("Hello.")]
    assert use(server, generate, backoff=1).text == "Hello."
    assert [240 <= wait <= 241 for wait in slept] == [True]


def test_waits_grow_and_differ(slept: list[float], server: Server) -> None:
    server.answers = [*[(503, {}, {})] * 3, chat("Hello.")] * 2
    for _ in range(2):
        assert use(server, generate, backoff=1).text == "Hello."
    assert [int(wait) in (base, base + 1) for wait, base in zip(slept, [1, 2, 4] * 2, strict=True)] == [True] * 6
    assert slept[:3] != slept[3:]


def test_after_too_many_requests_all_of_the_client_wait(server: Server) -> None:
    times: list[float] = []

    def answer(path: str, body: Any) -> Any:
        times.append(time.perf_counter())
        return (429, {"Retry-After": "0.5"}, {}) if len(times) == 1 else chat("Hello.")

    server.answers = [answer]

    async def many(model: OpenAICompatible) -> None:
        first = asyncio.ensure_future(generate(model))
        await asyncio.sleep(0.25)
        await asyncio.gather(first, *(generate(model, seed=seed) for seed in range(4)))

    use(server, many)
    assert len(times) == 6
    assert min(times[1:]) - times[0] > 0.4


def test_too_many_requests_to_the_end_name_what_to_set(server: Server) -> None:
    server.answers = [(429, {}, {})]
    remedy = "set a lower rate or concurrency, or more retries, among the options"
    with pytest.raises(ModelUnavailable, match=f"failed 2 times, the last time with status 429: .*; .*: {remedy}"):
        use(server, generate, retries=1)
    with pytest.raises(ModelUnavailable, match=f"no answer within 0.2 s, .* status 429: .*; .*: {remedy}"):
        use(server, generate, deadline=0.2, backoff=30)


def test_no_more_requests_a_second_than_allowed(server: Server) -> None:
    server.answers = [chat("Hello.")]

    async def many(model: OpenAICompatible) -> None:
        await asyncio.gather(*(generate(model, seed=seed) for seed in range(8)))

    started = time.perf_counter()
    use(server, many, rate=10, concurrency=15)
    # A tenth of a second apart, from the first on.
    assert time.perf_counter() - started > 0.65


def test_no_more_requests_at_once_than_allowed(server: Server) -> None:
    server.answers, server.delay = [chat("Hello.")], 0.03

    async def many(model: OpenAICompatible) -> None:
        await asyncio.gather(*(generate(model, seed=seed) for seed in range(12)))

    use(server, many, concurrency=3)
    assert (server.most_at_once, len(server.requests)) == (3, 12)


def test_a_slow_server_times_out(server: Server) -> None:
    server.answers, server.delay = [chat("Hello.")], 0.5
    with pytest.raises(ModelUnavailable, match=r"failed 2 times, the last time with no answer within 0.05 s"):
        use(server, generate, timeout=0.05, retries=1)


def test_no_server() -> None:
    for url, reason in (
        ("http://127.0.0.1:9/v1", r"no connection to 127.0.0.1:9 \(Connection refused\)"),
        ("http://no-such-host.invalid/v1", r"the host 'no-such-host.invalid' is not known \("),
    ):
        with pytest.raises(ModelUnavailable, match=f"failed 2 times, the last time with {reason}"):
            use(Server(url=url), generate, retries=1)


def test_a_plain_server_asked_for_a_secure_connection(server: Server) -> None:
    with pytest.raises(ModelUnavailable, match=r"the last time with no secure connection to 127.0.0.1:\d+ \(.+\)"):
        use(Server(url=server.url.replace("http:", "https:")), generate, retries=0)
