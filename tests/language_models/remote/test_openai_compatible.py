"""Texts, scores and settings of a server with the OpenAI API."""

import asyncio
import gc
import re
from typing import Any

import pytest
from asking import ADA, generate, use
from stand_in import COUNTS, Server, chat

from language_models.protocol import Generation, ModelError, ModelUnavailable
from language_models.remote.openai_compatible import OpenAICompatible


def test_generate_by_chat(server: Server) -> None:
    server.answers = [chat("Hello, Ben.")]
    answer: Generation = use(server, lambda model: generate(model, seed=4, stop=["\n"], max_tokens=9), api_key="secret")
    assert answer.text == "Hello, Ben."
    usage = answer.usage
    assert (usage.prompt_tokens, usage.cached_tokens, usage.generated_tokens, usage.call) == (12, 8, 3, -1)
    assert usage.seconds > 0
    ((path, headers, body),) = server.requests
    assert (path, headers["Authorization"]) == ("/v1/chat/completions", "Bearer secret")
    assert body == {
        "model": "qwen",
        "messages": [{"role": "user", "content": "Ada thinks:"}],
        "max_tokens": 9,
        "temperature": 0.7,
        "seed": 4,
        "stop": ["\n"],
        "stream": False,
    }


def test_generate_by_completions_with_a_grammar(server: Server) -> None:
    server.answers = [{"choices": [{"text": "yes"}]}]
    options: dict[str, Any] = {"endpoint": "completions", "grammar_field": "grammar"}
    answer = use(server, lambda model: generate(model, pattern='root ::= "yes" | "no"'), **options)
    assert (answer.text, answer.usage.prompt_tokens) == ("yes", 0)
    ((path, headers, body),) = server.requests
    assert (path, "Authorization" in headers) == ("/v1/completions", False)
    assert (body["prompt"], body["grammar"]) == ("Ada thinks:", 'root ::= "yes" | "no"')


def test_fields_that_only_some_servers_take(server: Server) -> None:
    server.answers = [chat("Hello, Ben.")]
    extra = {"chat_template_kwargs": {"enable_thinking": False}, "temperature": 1}
    use(server, lambda model: generate(model, max_tokens=9), max_tokens_field="max_completion_tokens", extra_body=extra)
    body = server.requests[0][2]
    assert (body["max_completion_tokens"], body["temperature"], "max_tokens" in body) == (9, 1, False)
    assert body["chat_template_kwargs"] == {"enable_thinking": False}


def test_the_key_comes_from_the_environment(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """That of OpenAI goes to nobody else; ends of lines are not sent."""
    server.answers = [chat("Hello.")]
    monkeypatch.setenv("OPENAI_API_KEY", "of OpenAI")
    monkeypatch.delenv("IROLLAN_API_KEY", raising=False)
    use(server, generate, api_key=None)
    monkeypatch.setenv("IROLLAN_API_KEY", "first\n")
    use(server, generate, api_key=None)
    monkeypatch.setenv("OTHER_API_KEY", "second")
    use(server, generate, api_key=None, key_variable="OTHER_API_KEY")
    use(server, generate, api_key="third\n")
    sent = [headers.get("Authorization") for _, headers, _ in server.requests]
    assert sent == [None, "Bearer first", "Bearer second", "Bearer third"]
    server.answers = [(401, {}, {})]
    with pytest.raises(ModelUnavailable, match="put it into the environment variable OTHER_API_KEY"):
        use(server, generate, api_key=None, key_variable="OTHER_API_KEY")


def test_what_does_not_obey_the_pattern_is_asked_for_again_and_counted(server: Server) -> None:
    server.answers = [chat("Perhaps."), chat(""), chat("yes")]
    answer = use(server, lambda model: generate(model, seed=7, pattern='root ::= "yes" | "no"'))
    assert answer.text == "yes"
    assert (answer.usage.prompt_tokens, answer.usage.generated_tokens) == (36, 9)
    assert [body["seed"] for _, _, body in server.requests] == [7, 8, 9]
    server.answers = [chat("Perhaps.")]
    message = r"no usable answer in 2 asks; the last was 'Perhaps.', which does not obey"
    with pytest.raises(ModelError, match=message) as error:
        use(server, lambda model: generate(model, pattern='root ::= "yes"'), asks=2)
    assert error.value.usage.prompt_tokens == 24


def test_after_a_bad_answer_samples_have_new_seeds_and_the_plain_prompt(server: Server) -> None:
    schema = {
        "type": "object",
        "properties": {"n": {"type": "string", "maxLength": 9}},
        "required": ["n"],
        "additionalProperties": False,
    }
    texts = ["no object", '{"n": "1"}', '{"n": "2"}', '{"n": "3"}']
    server.answers = [chat(text) for text in texts]
    answer = use(server, lambda model: generate(model, seed=5, samples=3, schema=schema), choosing="structured")
    assert len(answer.alternatives) == 2
    bodies = [body for _, _, body in server.requests]
    assert [body["seed"] for body in bodies] == [5, 6, 7, 8]
    assert ["Answer again" in body["messages"][0]["content"] for body in bodies] == [False, True, False, False]


def test_texts_of_one_request_have_consecutive_seeds(server: Server) -> None:
    one, empty = chat("one")["choices"][0], chat("")["choices"][0]
    server.answers = [{"choices": [one, empty]}, {"choices": [one, one]}]
    use(server, lambda model: generate(model, seed=5, samples=2))
    assert [body["seed"] for _, _, body in server.requests] == [5, 7]


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
    with pytest.raises(ModelUnavailable, match=r"serves one, two; name one of them, as in openai:http.*#MODEL"):
        use(server, generate, model="")
    server.answers = [{"data": [{"id": f"model-{number}"} for number in range(400)]}]
    with pytest.raises(ModelUnavailable, match=r"serves model-0, .* model-7 \.\.\. \(400 in all\); name one"):
        use(server, generate, model="")
    server.answers = [{"data": ["one"]}]
    with pytest.raises(ModelError, match="/models lists no models"):
        use(server, generate, model="")


def test_one_model_serves_several_event_loops(server: Server, caplog: pytest.LogCaptureFixture) -> None:
    server.answers = [chat("Hello.")]
    model = OpenAICompatible(server.url, "qwen", api_key="")
    for _ in range(2):
        assert asyncio.run(generate(model)).text == "Hello."
    gc.collect()
    assert "Unclosed" not in caplog.text


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"concurrency": 0}, "concurrency must be at least 1, got 0"),
        ({"retries": -1}, "retries must be at least 0, got -1"),
        ({"asks": 0}, "asks must be at least 1, got 0"),
        ({"timeout": 0}, "timeout must be above 0"),
        ({"rate": 0}, "rate must be above 0"),
        ({"deadline": -1}, "deadline must be above 0"),
        ({"endpoint": "talk"}, "endpoint must be one of chat, completions, got 'talk'"),
        ({"choosing": "lots"}, "choosing must be one of auto, logprobs, structured, logprobs+structured, plain, got"),
    ],
)
def test_wrong_settings(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        OpenAICompatible("http://host/v1", **options)
