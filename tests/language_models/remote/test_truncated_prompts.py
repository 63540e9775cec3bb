"""A server that cuts what is longer than its context without a word, as Ollama does, and what looks like it."""

from typing import Any

import pytest
from asking import ADA, choose, use
from stand_in import Server, chat

from language_models.protocol import GenerateRequest, PromptTooLong
from language_models.remote.openai_compatible import OpenAICompatible
from language_models.token_counts import count_tokens

CONTEXT = 2048


def prompt(words: int) -> str:
    return "I see a bed. " * (words // 5)


def tokens(text: str) -> int:
    return round(1.05 * count_tokens(text))


def cut(text: str) -> int:
    return tokens(text) if tokens(text) <= CONTEXT else CONTEXT // 2 + 2


def counting(read: Any) -> Any:
    """A server that reports what is read of a prompt."""

    def answer(path: str, body: Any) -> Any:
        text = body["messages"][0]["content"] if "chat" in path else body["prompt"]
        usage = {"prompt_tokens": read(text), "completion_tokens": 1}
        if "chat" in path:
            return {**chat("Good day.", {"A": -0.1, "B": -2.0}), "usage": usage}
        return {"choices": [{"text": "Good day."}], "usage": usage}

    return answer


def shared(text: str, other: str) -> int:
    """How long the beginning is that two texts share."""
    places = (place for place, (a, b) in enumerate(zip(text, other, strict=False)) if a != b)
    return len(other) if text.startswith(other) else next(places, 0)


def ask(words: int) -> Any:
    return lambda model: model.generate(GenerateRequest(prompt=prompt(words), caller=ADA))


@pytest.mark.parametrize("words", [2000, 40_000])
def test_a_prompt_that_was_cut_stops_the_run_with_the_numbers_and_the_remedy(server: Server, words: int) -> None:
    server.answers = [counting(cut)]
    message = rf"^{server.url} read 1,026 tokens of a prompt of {words:,} words and marks, .* OLLAMA_CONTEXT_LENGTH in "
    with pytest.raises(PromptTooLong, match=message) as error:
        use(server, ask(words))
    usage = error.value.usage
    assert (len(server.requests), usage.prompt_tokens, usage.generated_tokens) == (2, 2 * 1026, 2)
    assert [attempt.reason for attempt in usage.attempts] == ["seems to be to a part of the prompt only"] * 2
    assert "Good day." in usage.attempts[0].text


@pytest.mark.parametrize("choosing", ["logprobs", "structured", "plain"])
def test_so_does_one_of_a_choice(server: Server, choosing: str) -> None:
    server.answers = [counting(cut)]
    with pytest.raises(PromptTooLong, match="read 1,026 tokens of a prompt of "):
        use(server, lambda model: model.choose(prompt(4000), ["go", "stay"], caller=ADA), choosing=choosing)


@pytest.mark.parametrize(
    ("words", "read", "endpoint"),
    [
        (1900, cut, "chat"),
        (1900, cut, "completions"),
        # A server that does not count cuts nothing,
        *[(4000, lambda _, read=read: read, "chat") for read in (None, 0, 12, 511)],
        # nor does a tokenizer that takes fewer tokens than there are words.
        (4000, lambda text: round(0.65 * count_tokens(text)), "chat"),
    ],
)
def test_a_prompt_that_is_read_whole_is_asked_once(server: Server, words: int, read: Any, endpoint: str) -> None:
    server.answers = [counting(read)]
    assert use(server, ask(words), endpoint=endpoint).text == "Good day."
    assert len(server.requests) == 1


def test_short_prompts_are_never_cut(server: Server) -> None:
    server.answers = [counting(lambda text: 512)]
    assert use(server, choose, choosing="logprobs").option == "go"
    assert len(server.requests) == 2


def test_a_server_that_counts_only_what_its_cache_had_not_cuts_nothing(server: Server) -> None:
    """As Ollama did for some time; that is found out once, with a prompt that no cache can have."""
    cached: list[str] = []

    def fresh(text: str) -> int:
        known = max((shared(text, other) for other in cached), default=0)
        cached.append(text)
        return tokens(text[known:])

    server.answers = [counting(fresh)]

    async def day(model: OpenAICompatible) -> list[Any]:
        prompts = [prompt(4000) + prompt(1000) * n for n in range(4)]
        return [await model.generate(GenerateRequest(prompt=text, caller=ADA)) for text in prompts]

    answers = use(server, day)
    assert [(answer.text, answer.usage.attempts) for answer in answers] == [("Good day.", ())] * 4
    # The second seemed to be cut, and was sent once more behind another beginning.
    assert len(server.requests) == 5
    assert answers[1].usage.prompt_tokens > tokens(prompt(5000))
    assert answers[3].usage.prompt_tokens < 1500
    sent = [body["messages"][0]["content"] for _, _, body in server.requests]
    assert sent[2].endswith(f")\n{sent[1]}")
    first, again = ({**body, "messages": None} for _, _, body in server.requests[1:3])
    assert first == again
