"""What a server with the OpenAI API may answer that is wrong, refused, cut off, or thinking: what comes of each."""

import json
from typing import Any

import pytest
from asking import choose, generate, use
from mind_schema import GOOD, SCHEMA
from stand_in import Server, chat

from language_models.protocol import LONGEST_TEXT, ModelError, ModelUnavailable, PromptTooLong, Refused
from language_models.remote.prompt_length import says_too_long

OBJECT = json.dumps(GOOD)
HELLO = chat("Hello.")
STAY = chat('{"choice": "stay"}')
LONG = "w" * 2 * LONGEST_TEXT


def an_object(model: Any) -> Any:
    return generate(model, schema=SCHEMA, max_tokens=300)


def yes_or_no(model: Any) -> Any:
    return generate(model, pattern='root ::= "yes" | "no"', max_tokens=300)


def cut(text: str | None, tokens: int | None = 300) -> dict[str, Any]:
    answer = chat(text)
    answer["choices"][0]["finish_reason"] = "length"
    answer["usage"] = {} if tokens is None else {"prompt_tokens": 12, "completion_tokens": tokens}
    return answer


def thinking(text: Any, thought: str, key: str = "reasoning_content") -> dict[str, Any]:
    answer = chat(text)
    answer["choices"][0]["message"][key] = thought
    return answer


def said(status: int, message: str, **others: str) -> tuple[int, dict[str, str], Any]:
    return status, {}, {"error": {"message": message, **others}}


def content_of(answer: Any) -> str:
    """What is kept of an answer in a transcript."""
    content = answer[2] if isinstance(answer, tuple) else answer
    return (content.decode() if isinstance(content, bytes) else json.dumps(content))[:LONGEST_TEXT]


ALONE = "refused the request, status 400"
TOO_LONG = "longer than the model's context: serve the model with a longer one"


@pytest.mark.parametrize(
    ("answer", "error", "message"),
    [
        (
            said(401, "no such key"),
            ModelUnavailable,
            "401: .*no such key.*the key is missing or wrong.*IROLLAN_API_KEY",
        ),
        *[(said(status, LONG), None, f"status {status}") for status in (400, 403, 404)],
        (said(400, "temperature must be at most 2"), ModelError, ALONE),
        (said(400, "response_format: too many values of enum"), ModelError, ALONE),
        (said(400, "max_tokens is too large: 9. This model supports at most 4 completion tokens."), ModelError, ALONE),
        (said(400, "top_logprobs exceeds 5"), ModelError, ALONE),
        (said(400, "Range of max_tokens should be [1, 8192]", code="invalid_parameter_error"), ModelError, ALONE),
        (said(400, "temperature above 1 is not allowed, it must be at most 1"), ModelError, ALONE),
        (said(400, "max_tokens: 99999 exceeds the maximum of 8192"), ModelError, ALONE),
        (said(400, "stop: string too long, it exceeds the maximum length of 16"), ModelError, ALONE),
        (said(400, "Your input is large.", code="context_length_exceeded"), PromptTooLong, f"400: .*{TOO_LONG}"),
        ((400, {}, {"trace": "line 1, " * 99, "error": "maximum model length of 4"}), PromptTooLong, TOO_LONG),
        (said(422, "`inputs` must have less than 4096 tokens. Given: 4545"), PromptTooLong, TOO_LONG),
        (said(422, "`inputs` tokens + `max_new_tokens` must be <= 4096. Given: 40"), PromptTooLong, TOO_LONG),
        ((413, {}, b""), PromptTooLong, TOO_LONG),
        (chat("x" * 20_000), ModelError, "sent more than 10000 bytes"),
        ({"choices": [{"message": {"content": "I"}, "finish_reason": "content_filter"}]}, Refused, "content filter"),
    ],
)
def test_what_is_not_asked_again(
    server: Server, monkeypatch: pytest.MonkeyPatch, answer: Any, error: type[Exception] | None, message: str
) -> None:
    monkeypatch.setattr("language_models.remote.http_request.LONGEST_ANSWER", 10_000)
    server.answers = [(503, {}, b"busy"), answer]
    with pytest.raises((ModelError, ModelUnavailable), match=message) as caught:
        use(server, generate)
    assert error in (None, type(caught.value))
    before, attempt = caught.value.usage.attempts
    # The answer itself is kept, and not only its beginning, as in the error.
    assert (before.reason, len(server.requests), attempt.text) == ("status 503: busy", 2, content_of(answer))
    sent = isinstance(answer, tuple) or "10000" in message
    assert attempt.kind == ("network" if sent else "unusable")


def test_many_servers_say_that_a_prompt_is_too_long() -> None:
    for message in (
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
    ):
        assert says_too_long(400, message), message
    assert not says_too_long(500, "prompt is too long")


@pytest.mark.parametrize("fault", ["truncated", "closed", "dripping"])
def test_a_broken_answer_is_asked_for_again(server: Server, fault: str) -> None:
    server.faults, server.answers = [fault], [HELLO]
    answer = use(server, generate, timeout=0.2)
    assert (answer.text, answer.usage.retries) == ("Hello.", 1)


DEEP = chat('{"choice": ' + "[" * 100_000)
BROKEN = "is no JSON object: Unterminated string starting at: line 1 col"


@pytest.mark.parametrize(
    ("answer", "ask", "options", "reason", "remedy"),
    [
        (chat("  "), yes_or_no, {}, "is empty", ""),
        (chat("Perhaps."), yes_or_no, {}, "does not obey the pattern", ""),
        (DEEP, choose, {"choosing": "plain"}, "is not JSON with a choice", ""),
        (chat('{"choice": "fly"}'), choose, {"choosing": "plain"}, "chooses none of the options ['go', 'stay']", ""),
        (cut(OBJECT[:60]), an_object, {}, f"was cut off at 300 tokens and {BROKEN}", "grammar_field"),
        (cut(OBJECT[:60], None), an_object, {}, f"was cut off at 300 tokens and {BROKEN}", "set thinking to more tok"),
        (cut(OBJECT[:60], None), an_object, {"thinking": 700}, f"was cut off at 1,000 tokens and {BROKEN}", "thinking"),
        (
            cut(OBJECT[:60], 90),
            an_object,
            {},
            "was cut off at 90 tokens, of 300 that it could have and is no JSON object",
            "OLLAMA_CONTEXT_LENGTH",
        ),
        (cut("Let me think."), an_object, {}, 'was cut off at 300 tokens and begins with "Let me think."', "thinking"),
        (cut(""), an_object, {}, "was cut off at 300 tokens and is empty", "set thinking to more tokens"),
        (cut("y"), yes_or_no, {}, "was cut off at 300 tokens and does not obey the pattern", "set thinking"),
        (
            cut('{"choice": "st', None),
            choose,
            {"choosing": "structured"},
            "was cut off at 40 tokens and is not JSON with a choice",
            "set thinking",
        ),
    ],
)
def test_an_answer_of_no_use_is_asked_for_again_and_then_fails(
    server: Server, answer: Any, ask: Any, options: dict[str, Any], reason: str, remedy: str
) -> None:
    good = {generate: chat("Hello."), yes_or_no: chat("yes"), choose: STAY, an_object: chat(OBJECT)}[ask]
    options = {"choosing": "structured", **options}
    server.answers = [answer, good]
    (attempt,) = use(server, ask, **options).usage.attempts
    assert (attempt.kind, attempt.reason.startswith(reason)) == ("unusable", True), attempt
    server.answers = [answer]
    with pytest.raises(ModelError, match="gave no usable answer in 3 asks") as error:
        use(server, ask, **options)
    assert [one.reason for one in error.value.usage.attempts] == [attempt.reason] * 3
    assert remedy in str(error.value)
    assert ("OLLAMA_CONTEXT_LENGTH" in str(error.value)) == ("of 300" in reason)


@pytest.mark.parametrize(
    ("answer", "ask", "text"),
    [
        (cut(f"{OBJECT}\nI chose this, since"), an_object, OBJECT),
        (cut("I am home and"), generate, "I am home and"),
        (chat("I said <think>so</think>."), generate, "I said <think>so</think>."),
        (chat('{"words": "Do you write </think>?"}'), generate, '{"words": "Do you write </think>?"}'),
        (chat(f'Shall I? {{"action": 1}}? No.</think>Here:\n{OBJECT}'), an_object, OBJECT),
    ],
)
def test_what_stands_around_an_answer_is_no_part_of_it(server: Server, answer: Any, ask: Any, text: str) -> None:
    server.answers = [answer]
    found = use(server, ask, choosing="plain")
    assert (found.text, found.usage.attempts) == (text, ())


def test_thinking_has_tokens_of_its_own(server: Server) -> None:
    """Objects and choices are thought about, and letters are not."""
    server.answers = [HELLO]
    use(server, generate)
    use(server, generate, thinking=500)
    use(server, lambda model: generate(model, max_tokens=30, think=70), thinking=500)
    server.answers = [thinking(OBJECT, "Hm.")]
    use(server, an_object, choosing="structured", thinking=500)
    server.answers = [chat('<think>{"choice": "go"}?</think>{"choice": "stay"}')]
    assert use(server, choose, choosing="structured", thinking=500).option == "stay"
    server.answers = [chat("A", {"A": -0.1, "B": -2.0})]
    use(server, choose, choosing="logprobs", thinking=500)
    limits = [body["max_tokens"] for _, _, body in server.requests]
    assert limits == [limits[0], limits[0] + 500, 100, 800, 540, 1, 1]
    with pytest.raises(ValueError, match="thinking must be at least 0 tokens, got -1"):
        use(server, generate, thinking=-1)
