"""Models that think before they answer: what they think is counted, and is no part of the answer."""

import json
from typing import Any

import pytest
from asking import choose, generate, use
from mind_schema import GOOD, SCHEMA
from stand_in import COUNTS, Server, chat

from language_models.protocol import ModelError

EMPTY = "is empty: all its tokens went into thinking"


def thinking(text: Any, thought: str, key: str = "reasoning_content") -> dict[str, Any]:
    answer = chat(text)
    answer["choices"][0]["message"][key] = thought
    return answer


@pytest.mark.parametrize("key", ["reasoning_content", "reasoning"])
def test_what_stands_beside_the_answer_is_no_part_of_it(server: Server, key: str) -> None:
    server.answers = [thinking("I am home.", "Where am I?", key)]
    answer = use(server, generate)
    assert (answer.text, answer.usage.generated_tokens) == ("I am home.", COUNTS["completion_tokens"])


@pytest.mark.parametrize(
    "text",
    [
        "<think>Where?</think>\n\nI am home.",
        "\n<think>\n</think>I am home.",
        "Where? {here}.\n</think>\n\nI am home.",
        "</think>I am home.",
    ],
)
def test_a_block_at_the_beginning_is_no_part_of_the_answer(server: Server, text: str) -> None:
    server.answers = [chat(text)]
    assert use(server, generate).text == "I am home."


@pytest.mark.parametrize("text", ["I said <think>so</think>.", '{"words": "Do you write </think>?"}'])
def test_a_block_elsewhere_and_the_words_of_an_object_are_text(server: Server, text: str) -> None:
    server.answers = [chat(text)]
    assert use(server, generate).text == text


def test_an_object_is_read_behind_thinking_whose_beginning_is_missing(server: Server) -> None:
    server.answers = [chat('Shall I? {"action": 1}? No.</think>Here:\n' + json.dumps(GOOD))]
    found = use(server, lambda model: generate(model, schema=SCHEMA), choosing="plain")
    assert (json.loads(found.text), found.usage.attempts) == (GOOD, ())


@pytest.mark.parametrize(
    "answer",
    [
        thinking("", "So much to think of"),
        thinking(None, "So much to think of", "reasoning"),
        chat("<think>So much to think of"),
        chat("<think>So much</think>\n"),
        chat("So much\n</think>\n"),
    ],
)
def test_an_answer_that_is_all_thinking_is_of_no_use(server: Server, answer: dict[str, Any]) -> None:
    server.answers = [answer, chat("I am home.")]
    found = use(server, generate)
    assert found.text == "I am home."
    ((reason, text),) = [(attempt.reason, attempt.text) for attempt in found.usage.attempts]
    assert reason == EMPTY
    assert "So much" in text
    server.answers = [answer]
    with pytest.raises(ModelError, match="went into thinking; set thinking to more tokens"):
        use(server, generate)


def test_an_empty_answer_without_thinking_is_but_empty(server: Server) -> None:
    server.answers = [thinking("", "  "), chat("I am home.")]
    assert [attempt.reason for attempt in use(server, generate).usage.attempts] == ["is empty"]


def test_thinking_has_tokens_of_its_own(server: Server) -> None:
    server.answers = [chat("I am home.")]
    use(server, lambda model: generate(model, max_tokens=30))
    use(server, lambda model: generate(model, max_tokens=30), thinking=500)
    use(server, lambda model: generate(model, max_tokens=30, think=70), thinking=500)
    assert [body["max_tokens"] for _, _, body in server.requests] == [30, 530, 100]


def test_objects_and_choices_are_thought_about_and_letters_are_not(server: Server) -> None:
    server.answers = [thinking(json.dumps(GOOD), "Hm.")]
    use(server, lambda model: generate(model, max_tokens=30, schema=SCHEMA), choosing="structured", thinking=500)
    server.answers = [
        thinking('{"choice": "stay"}', "{stay}?"),
        chat('<think>{"choice": "go"}?</think>{"choice": "stay"}'),
    ]
    for _ in range(2):
        assert use(server, choose, choosing="structured", thinking=500).option == "stay"
    server.answers = [chat("A", {"A": -0.1, "B": -2.0})]
    use(server, choose, choosing="logprobs", thinking=500)
    limits = [body["max_tokens"] for _, _, body in server.requests]
    assert limits == [530, 540, 540, 1, 1]


def test_thinking_must_not_be_negative(server: Server) -> None:
    with pytest.raises(ValueError, match="thinking must be at least 0 tokens, got -1"):
        use(server, generate, thinking=-1)
