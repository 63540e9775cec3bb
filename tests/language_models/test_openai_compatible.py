import asyncio
import math
import re
import time
from collections.abc import Callable
from email.utils import formatdate
from typing import Any

import pytest
from stand_in import COUNTS, Server, chat

from language_models.openai_compatible import OpenAICompatible
from language_models.protocol import Caller, Generation, ModelError, ModelUnavailable, Refused

ADA = Caller(module="action", resident="ada")


def use(server: Server, ask: Callable[[OpenAICompatible], Any], **options: Any) -> Any:
    async def run() -> Any:
        settings: dict[str, Any] = {"backoff": 0.01, "api_key": "", **options}
        async with OpenAICompatible(server.url, settings.pop("model", "qwen"), **settings) as model:
            return await ask(model)

    return asyncio.run(run())


def generate(model: OpenAICompatible, **options: Any) -> Any:
    return model.generate("Ada thinks:", caller=ADA, **options)


def test_generate_by_chat(server: Server) -> None:
    server.answers = [chat("Hello, Ben.")]
    answer: Generation = use(server, lambda model: generate(model, seed=4, stop=["\n"], max_tokens=9), api_key="secret")
    assert answer.text == "Hello, Ben."
    usage = answer.usage
    assert (usage.prompt_tokens, usage.cached_tokens, usage.generated_tokens, usage.call) == (12, 8, 3, -1)
    assert usage.seconds > 0
    ((path, headers, body),) = server.requests
    assert path == "/v1/chat/completions"
    assert headers["Authorization"] == "Bearer secret"
    assert body == {
        "model": "qwen",
        "messages": [{"role": "user", "content": "Ada thinks:"}],
        "max_tokens": 9,
        "temperature": 0.7,
        "seed": 4,
        "stop": ["\n"],
    }


def test_generate_by_completions_with_a_grammar(server: Server) -> None:
    server.answers = [{"choices": [{"text": "yes"}]}]
    options: dict[str, Any] = {"endpoint": "completions", "grammar_field": "grammar"}
    answer = use(server, lambda model: generate(model, pattern='root ::= "yes" | "no"'), **options)
    assert (answer.text, answer.usage.prompt_tokens) == ("yes", 0)
    ((path, headers, body),) = server.requests
    assert path == "/v1/completions"
    assert "Authorization" not in headers
    assert (body["prompt"], body["grammar"]) == ("Ada thinks:", 'root ::= "yes" | "no"')


def test_fields_that_only_some_servers_take(server: Server) -> None:
    server.answers = [chat("Hello, Ben.")]
    extra = {"chat_template_kwargs": {"enable_thinking": False}, "temperature": 1}
    use(server, lambda model: generate(model, max_tokens=9), max_tokens_field="max_completion_tokens", extra_body=extra)
    body = server.requests[0][2]
    assert (body["max_completion_tokens"], body["temperature"]) == (9, 1)
    assert body["chat_template_kwargs"] == {"enable_thinking": False}
    assert "max_tokens" not in body


def test_the_key_comes_from_the_environment(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    server.answers = [chat("Hello.")]
    monkeypatch.setenv("IROLLAN_API_KEY", "first")
    use(server, generate, api_key=None)
    monkeypatch.setenv("OTHER_API_KEY", "second")
    use(server, generate, api_key=None, key_variable="OTHER_API_KEY")
    assert [headers["Authorization"] for _, headers, _ in server.requests] == ["Bearer first", "Bearer second"]
    server.answers = [(401, {}, {})]
    with pytest.raises(ModelUnavailable, match="put it into the environment variable OTHER_API_KEY"):
        use(server, generate, api_key=None, key_variable="OTHER_API_KEY")


def test_the_key_of_openai_goes_to_nobody_else(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    server.answers = [chat("Hello.")]
    monkeypatch.delenv("IROLLAN_API_KEY", raising=False)
    monkeypatch.setenv("OPENAI_API_KEY", "of OpenAI")
    use(server, generate, api_key=None)
    assert "Authorization" not in server.requests[0][1]


def test_what_does_not_obey_the_pattern_is_asked_for_again_and_counted(server: Server) -> None:
    server.answers = [chat("Perhaps."), chat(""), chat("yes")]
    answer = use(server, lambda model: generate(model, seed=7, pattern='root ::= "yes" | "no"'))
    assert answer.text == "yes"
    assert (answer.usage.prompt_tokens, answer.usage.generated_tokens) == (36, 9)
    assert [body["seed"] for _, _, body in server.requests] == [7, 8, 9]


def test_empty_lines_around_what_obeys_the_pattern_are_left_out(server: Server) -> None:
    server.answers = [chat("\n\nyes \n")]
    answer = use(server, lambda model: generate(model, pattern='root ::= "yes" | "no"'))
    assert (answer.text, answer.usage.retries) == ("yes", 0)


def test_after_so_many_asks_the_call_fails(server: Server) -> None:
    server.answers = [chat("Perhaps.")]
    message = r"no usable answer in 2 asks; the last was 'Perhaps.', which does not obey"
    with pytest.raises(ModelError, match=message) as error:
        use(server, lambda model: generate(model, pattern='root ::= "yes"'), asks=2)
    assert error.value.usage.prompt_tokens == 24


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


def test_a_wrong_key_is_not_tried_again(server: Server) -> None:
    server.answers = [(401, {}, {"error": {"message": "no such key"}})]
    message = r"status 401: .*no such key.*; the key is missing or wrong; put it into .* IROLLAN_API_KEY"
    with pytest.raises(ModelUnavailable, match=message):
        use(server, generate)
    assert len(server.requests) == 1


def test_an_account_without_money_stops_the_run(server: Server) -> None:
    server.answers = [(402, {}, {"error": {"message": "Insufficient Balance"}})]
    message = r"status 402: .*Insufficient Balance.*; nothing is left .*; add to the account .* IROLLAN_API_KEY belongs"
    with pytest.raises(ModelUnavailable, match=message):
        use(server, generate)
    assert len(server.requests) == 1


def test_a_request_that_the_server_will_not_take_fails_alone(server: Server) -> None:
    server.answers = [(400, {}, {"error": {"message": "the prompt is too long"}})]
    with pytest.raises(ModelError, match=r"refused the request, status 400.*the prompt is too long"):
        use(server, generate)
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    "error",
    [
        {"message": "This model's maximum context length is 4096 tokens. However, you requested 9000 tokens."},
        {"message": "the request exceeds the available context size", "type": "exceed_context_size_error"},
        {"message": "Your input is too long.", "code": "context_length_exceeded"},
    ],
)
def test_a_prompt_longer_than_the_context_stops_the_run_and_names_the_remedy(server: Server, error: Any) -> None:
    server.answers = [(400, {}, {"error": error})]
    with pytest.raises(ModelUnavailable, match=r"status 400.*the prompt is longer.*serve the model with a longer one"):
        use(server, choose)
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    "choice",
    [
        {"message": {"content": None, "refusal": "I cannot help with that."}},
        {"message": {"content": "I"}, "finish_reason": "content_filter"},
    ],
)
def test_what_the_model_refuses_is_a_refusal(server: Server, choice: Any) -> None:
    server.answers = [{"choices": [choice], "usage": COUNTS}]
    with pytest.raises(Refused, match=r"the model refused to answer: (I cannot help|its content filter)") as error:
        use(server, generate)
    assert error.value.usage.prompt_tokens == 12
    assert len(server.requests) == 1


def test_an_answer_of_a_megabyte_is_not_taken(server: Server) -> None:
    server.answers = [chat("long " * 200_000), chat("Hello.")]
    answer = use(server, generate)
    assert (answer.text, answer.usage.retries) == ("Hello.", 1)


def test_a_body_that_does_not_end_is_not_read_to_its_end(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("language_models.patient_client.LONGEST_ANSWER", 10_000)
    server.answers = [chat("x" * 20_000)]
    with pytest.raises(ModelError, match="sent more than 10000 bytes"):
        use(server, generate)


@pytest.mark.parametrize("fault", ["truncated", "closed", "dripping"])
def test_a_broken_answer_is_asked_for_again(server: Server, fault: str) -> None:
    server.faults = [fault]
    server.answers = [chat("Hello.")]
    answer = use(server, generate, timeout=0.4)
    assert (answer.text, answer.usage.retries) == ("Hello.", 1)


def test_the_deadline_ends_all_waiting(server: Server) -> None:
    server.answers = [(503, {}, b"busy")]
    started = time.perf_counter()
    with pytest.raises(ModelUnavailable, match=r"no answer within 0.2 s, over 1 requests, the .* had status 503: busy"):
        use(server, generate, deadline=0.2, backoff=30)
    assert time.perf_counter() - started < 5


@pytest.mark.parametrize("status", [429, 503])
def test_a_server_that_asks_to_wait_longer_than_the_deadline_is_given_up_at_once(server: Server, status: int) -> None:
    server.answers = [(status, {"Retry-After": "120"}, {})]
    started = time.perf_counter()
    message = r"asks to wait 120 s, longer than the \S+ s left of the deadline of 30 s \(status \d+: {}\); "
    with pytest.raises(ModelUnavailable, match=message):
        use(server, generate, deadline=30)
    assert (time.perf_counter() - started < 5, len(server.requests)) == (True, 1)


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


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ({"choices": []}, "holds no text"),
        ({"choices": [{"message": {"content": None}}]}, "which is no text"),
        ({"choices": [{"message": {"content": "a\ud800"}}]}, "not valid Unicode"),
    ],
)
def test_answers_that_make_no_sense(server: Server, answer: Any, message: str) -> None:
    server.answers = [answer]
    with pytest.raises(ModelError, match=re.escape(message)):
        use(server, generate)


@pytest.mark.parametrize("body", [b"<html>", b"[1]", b"", b"[" * 100_000, b'{"a":' * 100_000])
def test_a_body_that_is_no_json_object_is_asked_for_again(server: Server, body: bytes) -> None:
    server.answers = [body, chat("Hello.")]
    assert use(server, generate).text == "Hello."
    server.answers = [body]
    with pytest.raises(ModelUnavailable, match="failed 2 times, the last time with no JSON object: "):
        use(server, generate, retries=1)


@pytest.mark.parametrize(
    ("usage", "message"),
    [
        ("none", "usage must be an object, got 'none'"),
        ([12], "usage must be an object"),
        ({"prompt_tokens": "many"}, "prompt_tokens must be a count of tokens, got 'many'"),
        ({"completion_tokens": -1}, "completion_tokens must be a count of tokens, got '-1'"),
        ({"completion_tokens": 1.5}, "completion_tokens must be a count"),
        ({"completion_tokens": True}, "completion_tokens must be a count"),
        ({"prompt_tokens": math.inf}, "prompt_tokens must be a count"),
        ({"prompt_tokens": math.nan}, "prompt_tokens must be a count"),
        ({"prompt_tokens": 10**30}, "prompt_tokens must be a count"),
        ({"prompt_tokens_details": 3}, "prompt_tokens_details must be an object"),
    ],
)
def test_an_answer_with_a_usage_that_makes_no_sense_is_asked_for_again(
    server: Server, usage: Any, message: str
) -> None:
    server.answers = [{**chat("Hi."), "usage": usage}, chat("Hello.")]
    answer = use(server, generate)
    assert (answer.text, answer.usage.retries, answer.usage.prompt_tokens) == ("Hello.", 1, 12)
    server.answers = [{**chat("Hi."), "usage": usage}]
    with pytest.raises(ModelUnavailable, match=f"failed 2 times, .* a usage that cannot be read: {message}"):
        use(server, generate, retries=1)


@pytest.mark.parametrize("usage", [None, {}, {"prompt_tokens": None, "prompt_tokens_details": None}])
def test_a_usage_that_is_not_reported_is_none(server: Server, usage: Any) -> None:
    server.answers = [{**chat("Hello."), "usage": usage}]
    assert (use(server, generate).usage.prompt_tokens, len(server.requests)) == (0, 1)


def test_a_choice_nested_without_end_is_asked_for_again(server: Server) -> None:
    server.answers = [chat('{"choice": ' + "[" * 100_000), chat('{"choice": "stay"}')]
    assert use(server, choose).option == "stay"


def test_no_more_requests_at_once_than_allowed(server: Server) -> None:
    server.answers, server.delay = [chat("Hello.")], 0.03

    async def many(model: OpenAICompatible) -> None:
        await asyncio.gather(*(generate(model, seed=seed) for seed in range(12)))

    use(server, many, concurrency=3)
    assert (server.most_at_once, len(server.requests)) == (3, 12)


def choose(model: OpenAICompatible) -> Any:
    return model.choose("What now?", ["go", "stay"], caller=ADA, descriptions=["see Ben", "rest"])


def test_choose_by_schema(server: Server) -> None:
    server.answers = [chat("I would go"), chat('{"choice": "run"}'), chat('{"choice": "stay"}')]
    choice = use(server, choose)
    assert (choice.option, choice.probabilities, choice.usage.prompt_tokens) == ("stay", (0.0, 1.0), 36)
    body = server.requests[0][2]
    schema = body["response_format"]["json_schema"]["schema"]
    assert schema["properties"]["choice"]["enum"] == ["go", "stay"]
    assert "What now?\n\nOptions:\n- go (see Ben)\n- stay (rest)\n" in body["messages"][0]["content"]


def test_choose_never_returns_anything_else(server: Server) -> None:
    for answer in ('{"choice": "run"}', '{"choice": ["go"]}', '"go"', "go", "[]", "3"):
        server.answers = [chat(answer)]
        with pytest.raises(ModelError, match=r'no usable answer in 3 asks; .*; where .* choosing = "logprobs" among'):
            use(server, choose)


@pytest.mark.parametrize(
    "text",
    ['{"choice": "stay"}', 'I stay here.\n```json\n{"choice": "stay"}\n```', ' {"choice": "stay", "why": "rain"} '],
)
def test_choose_with_words_alone(server: Server, text: str) -> None:
    server.answers = [chat("stay"), chat('{"choice": "fly"}'), chat(text)]
    choice = use(server, choose, choosing="plain")
    assert (choice.option, choice.usage.retries) == ("stay", 2)
    assert not any("response_format" in body for _, _, body in server.requests)


def test_a_server_that_takes_no_schema_stops_the_run_and_names_the_remedy(server: Server) -> None:
    server.answers = [(400, {}, {"error": "'response_format.type' must be 'json_object' or 'text'"})]
    with pytest.raises(ModelUnavailable, match='set choosing = "plain" among the options of a'):
        use(server, choose)
    with pytest.raises(ModelError, match="status 400"):
        use(server, choose, choosing="plain")


def test_choose_by_letter(server: Server) -> None:
    def logprobs(asked: str) -> dict[str, float]:
        if "A. go" in asked:
            return {"B": math.log(0.5), " A": math.log(0.2), "A": math.log(0.05), "The": math.log(0.1)}
        return {"A": math.log(0.8), "B": math.log(0.1)}

    server.answers = [lambda path, body: chat("B", logprobs(body["messages"][0]["content"]))]
    choice = use(server, choose, choosing="logprobs")
    assert choice.option == "stay"
    # The share of the one is 2 to 1 listed last, and 8 to 1 listed first: 4 to 1 as their geometric mean.
    assert choice.probabilities == pytest.approx((1 / 5, 4 / 5))
    assert choice.usage.prompt_tokens == 2 * COUNTS["prompt_tokens"]
    assert server.requests[0][2]["top_logprobs"] == 20
    server.answers = [
        lambda path, body: {"choices": [{"text": "A", "logprobs": {"top_logprobs": [logprobs(body["prompt"])]}}]}
    ]
    assert use(server, choose, choosing="logprobs", endpoint="completions").option == "stay"


def test_an_option_that_is_not_among_the_likely_tokens_has_no_more_than_the_last_of_them(server: Server) -> None:
    # A model that always answers with the first letter, and reports nothing of the other.
    server.answers = [chat("A", {"A": math.log(0.99), "The": math.log(0.01)})]
    choice = use(server, choose, choosing="logprobs")
    assert choice.probabilities == pytest.approx((0.5, 0.5))


def test_what_both_orders_cost_is_counted_when_one_of_them_fails(server: Server) -> None:
    def answer(path: str, body: Any) -> Any:
        useful = "A. go" in body["messages"][0]["content"]
        return chat("A" if useful else "The", {"A" if useful else "The": -0.1})

    server.answers = [answer]
    with pytest.raises(ModelError, match="no letter of an option") as error:
        use(server, choose, choosing="logprobs")
    usage = error.value.usage
    assert (usage.prompt_tokens, usage.retries) == (4 * COUNTS["prompt_tokens"], 2)


def test_choose_by_letter_without_letters_or_log_probabilities(server: Server) -> None:
    server.answers = [chat("The", {"The": -0.1})]
    with pytest.raises(ModelError, match="no letter of an option among the likely tokens"):
        use(server, choose, choosing="logprobs")
    server.answers = [chat("A")]
    with pytest.raises(ModelError, match=r'returns no log-probabilities; choose with choosing="structured"'):
        use(server, choose, choosing="logprobs")


def test_choose_by_letter_among_more_options_than_letters(server: Server) -> None:
    options = [f"option {n}" for n in range(45)]

    def answer(path: str, body: Any) -> Any:
        listed = [line for line in body["messages"][0]["content"].splitlines() if ". option" in line]
        # "option 30 (its end)" is four times as likely as any other of its group, and wins the second round.
        wanted = next((line[0] for line in listed if line.endswith("option 30 (its end)")), "A")
        shares = {line[0]: 4 if line[0] == wanted else 1 for line in listed}
        return chat("A", {label: math.log(share / sum(shares.values())) for label, share in shares.items()})

    server.answers = [answer]
    described = [f"{option} (its end)" for option in options]
    choice = use(
        server, lambda m: m.choose("p", options, caller=ADA, descriptions=["its end"] * 45), choosing="logprobs"
    )
    assert choice.option == "option 30"
    assert len(choice.probabilities) == 45
    assert sum(choice.probabilities) == pytest.approx(1)
    assert max(range(45), key=lambda n: choice.probabilities[n]) == 30
    assert choice.probabilities[30] == pytest.approx(4 / 23 * 4 / 6)
    assert len(server.requests) == 8  # Each group, and the best of them, in both orders.
    assert choice.usage.prompt_tokens == 8 * COUNTS["prompt_tokens"]
    assert all(any(text in r[2]["messages"][0]["content"] for r in server.requests) for text in described)


def test_score_by_echo(server: Server) -> None:
    def echo(path: str, body: Any) -> dict[str, Any]:
        tokens = re.findall(r"\s?\S+", body["prompt"])
        offsets = [sum(map(len, tokens[:n])) for n in range(len(tokens))]
        values = [None, *(-float(len(token)) for token in tokens[1:])]
        logprobs = {"tokens": tokens, "token_logprobs": values, "text_offset": offsets}
        return {"choices": [{"text": body["prompt"], "logprobs": logprobs}], "usage": COUNTS}

    server.answers = [echo]
    scores = use(server, lambda model: model.score("Ada will", [" go home", " rest"], caller=ADA))
    assert scores.values == (-8.0, -5.0)
    assert (scores.usage.prompt_tokens, scores.usage.generated_tokens) == (24, 3)
    body = server.requests[0][2]
    assert (body["echo"], body["max_tokens"]) == (True, 0)


@pytest.mark.parametrize("logprobs", [None, {}, {"tokens": ["A"], "token_logprobs": [None], "text_offset": [0]}])
def test_a_server_that_does_not_score(server: Server, logprobs: Any) -> None:
    server.answers = [{"choices": [{"text": "A b", "logprobs": logprobs}]}]
    with pytest.raises(ModelError, match="does not score"):
        use(server, lambda model: model.score("A", [" b"], caller=ADA))


def test_the_only_model_served_is_taken(server: Server) -> None:
    server.answers = [{"data": [{"id": "tiny"}]}, chat("Hello.")]
    assert use(server, generate, model="").text == "Hello."
    assert [path for path, _, _ in server.requests] == ["/v1/models", "/v1/chat/completions"]
    assert server.requests[1][2]["model"] == "tiny"
    server.answers = [{"data": [{"id": "one"}, {"id": "two"}]}]
    with pytest.raises(ModelUnavailable, match=r"serves \['one', 'two'\]; name one of them, as in openai:http.*#MODEL"):
        use(server, generate, model="")
    server.answers = [{"data": ["one"]}]
    with pytest.raises(ModelError, match="/models lists no models"):
        use(server, generate, model="")


def test_one_model_serves_several_event_loops(server: Server) -> None:
    server.answers = [chat("Hello.")]
    model = OpenAICompatible(server.url, "qwen", api_key="")
    for _ in range(2):
        assert asyncio.run(generate(model)).text == "Hello."


@pytest.mark.parametrize(
    ("url", "options", "message"),
    [
        ("localhost:8000", {}, "must look like http://127.0.0.1:8000/v1, got 'localhost:8000'"),
        ("http://", {}, "must look like"),
        ("http://me:secret@host/v1", {}, "must hold no password; put the key into IROLLAN_API_KEY"),
        ("http://host/v1?key=1", {}, "must end before any ? or #"),
        ("http://host/v1", {"concurrency": 0}, "concurrency must be at least 1, got 0"),
        ("http://host/v1", {"retries": -1}, "retries must be at least 0, got -1"),
        ("http://host/v1", {"asks": 0}, "asks must be at least 1, got 0"),
        ("http://host/v1", {"timeout": 0}, "timeout must be above 0"),
        ("http://host/v1", {"rate": 0}, "rate must be above 0"),
        ("http://host/v1", {"deadline": -1}, "deadline must be above 0"),
        ("http://host/v1", {"endpoint": "talk"}, "endpoint must be one of chat, completions, got 'talk'"),
        ("http://host/v1", {"choosing": "lots"}, "choosing must be one of structured, logprobs, plain, got 'lots'"),
    ],
)
def test_wrong_settings(url: str, options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)) as error:
        OpenAICompatible(url, **options)
    assert "secret" not in str(error.value)
