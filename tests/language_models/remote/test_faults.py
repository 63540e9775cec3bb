"""What a server with the OpenAI API may answer that is wrong, refused or no answer."""

import math
import re
from typing import Any

import pytest
from asking import choose, generate, use
from stand_in import COUNTS, Server, chat

from language_models.protocol import ModelError, ModelUnavailable, Refused


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


@pytest.mark.parametrize(
    "message",
    [
        "messages must not be empty",
        "temperature must be at most 2",
        "response_format: too many values of enum",
        "max_tokens is too large: 99999. This model supports at most 4096 completion tokens.",
        "top_logprobs exceeds 5",
        "max_tokens: 99999 exceeds the maximum of 8192",
        "stop: string too long, it exceeds the maximum length of 16",
        "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
    ],
)
def test_a_request_that_the_server_will_not_take_fails_alone(server: Server, message: str) -> None:
    server.answers = [(400, {}, {"error": {"message": message}})]
    with pytest.raises(ModelError, match=f"refused the request, status 400.*{re.escape(message)}"):
        use(server, generate)
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    "message",
    [
        "This model's maximum context length is 4096 tokens. However, you requested 9000 tokens.",
        "THIS MODEL'S MAXIMUM CONTEXT LENGTH IS 4096 TOKENS.",
        "Your input exceeds the context window of this model. Please adjust your input and try again.",
        "Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in 509178 tokens.",
        "The decoder prompt (length 5000) is longer than the maximum model length of 4096.",
        "Make sure that `max_model_len` is no smaller than the number of text tokens.",
        "The input (250000 tokens) is longer than the model's context length (200000 tokens).",
        "Requested token count exceeds the model's maximum context length of 4096 tokens.",
        "the request exceeds the available context size, try increasing it",
        "request (9000 tokens) exceeds the available context size (4096 tokens), try increasing it",
        "tokens to keep from the initial prompt is greater than the context length",
        "prompt is too long: 213462 tokens > 200000 maximum",
        "input length and `max_tokens` exceed context limit: 178959 + 64000 > 200000",
        "Input is too long for requested model.",
        "The input token count (314175) exceeds the maximum number of tokens allowed (131072).",
        "prompt token count of 200000 exceeds the limit of 128000",
        "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
        "Prompt contains 40000 tokens, too large for model with 32768 maximum context length",
        "too many tokens: total number of tokens in the prompt cannot exceed 4081",
        "Please reduce the length of the messages or completion.",
        "Your request exceeded model token limit: 8192 (requested: 9000)",
        "Prompt exceeds max length",
        "Range of input length should be [1, 30720]",
        "Input length 131393 exceeds the maximum allowed input length of 131040 tokens.",
        "Prompt length 5000 is greater than max_seq_len 4096",
    ],
)
def test_a_prompt_longer_than_the_context_stops_the_run_and_names_the_remedy(server: Server, message: str) -> None:
    server.answers = [(400, {}, {"error": {"type": "BadRequestError", "message": message}})]
    with pytest.raises(ModelUnavailable, match=TOO_LONG.format(400)):
        use(server, choose, choosing="structured")
    assert len(server.requests) == 1


TOO_LONG = "status {}: .*the prompt is longer than the model's context: serve the model with a longer one"


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (422, {"error": "Input validation error: `inputs` must have less than 4096 tokens. Given: 4545"}),
        (422, {"error": "`inputs` tokens + `max_new_tokens` must be <= 4096. Given: 4000 `inputs` tokens"}),
        (413, b""),
        (400, {"error": {"message": "Your input is large.", "code": "context_length_exceeded"}}),
        (400, {"trace": "at line 1, " * 100, "error": "maximum model length of 4096"}),
    ],
)
def test_that_a_prompt_is_too_long_is_said_anywhere(server: Server, status: int, body: Any) -> None:
    server.answers = [(status, {}, body)]
    with pytest.raises(ModelUnavailable, match=TOO_LONG.format(status)):
        use(server, generate)
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
    monkeypatch.setattr("language_models.remote.http_request.LONGEST_ANSWER", 10_000)
    server.answers = [chat("x" * 20_000)]
    with pytest.raises(ModelError, match="sent more than 10000 bytes"):
        use(server, generate)


@pytest.mark.parametrize("fault", ["truncated", "closed", "dripping"])
def test_a_broken_answer_is_asked_for_again(server: Server, fault: str) -> None:
    server.faults = [fault]
    server.answers = [chat("Hello.")]
    answer = use(server, generate, timeout=1)
    assert (answer.text, answer.usage.retries) == ("Hello.", 1)


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
    with pytest.raises(ModelUnavailable, match=r"failed 2 times, the last time with (HTML, and )?no JSON object: "):
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
    assert use(server, choose, choosing="plain").option == "stay"
