"""Answers that a server cut off: the reason says at how many tokens, and the error what to do."""

import json
from typing import Any

import pytest
from asking import choose, generate, use
from mind_schema import GOOD, SCHEMA
from stand_in import Server, chat

from language_models.protocol import ModelError

OBJECT = json.dumps(GOOD)


def cut(text: str | None, tokens: int | None = 300) -> dict[str, Any]:
    answer = chat(text)
    answer["choices"][0]["finish_reason"] = "length"
    answer["usage"] = {} if tokens is None else {"prompt_tokens": 12, "completion_tokens": tokens}
    return answer


def ask(model: Any) -> Any:
    return generate(model, schema=SCHEMA, max_tokens=300)


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (
            cut(OBJECT[:60]),
            "was cut off at 300 tokens and is no JSON object: Unterminated string starting at: line 1 col",
        ),
        (cut(OBJECT[:60], tokens=None), "was cut off at 300 tokens and is no JSON object: Unterminated string"),
        (cut("Let me think. I am"), 'was cut off at 300 tokens and begins with "Let me think. I am" and has no JSON'),
        (cut(""), "was cut off at 300 tokens and is empty"),
        (cut(None), "was cut off at 300 tokens and is empty"),
        (cut(OBJECT[:60], tokens=90), "was cut off at 90 tokens, of 300 that it could have and is no JSON object"),
    ],
)
def test_a_form_that_had_no_room_says_so_and_what_to_do(server: Server, answer: dict[str, Any], reason: str) -> None:
    server.answers = [answer]
    with pytest.raises(ModelError, match="set thinking to more tokens among the options of a TOML file") as error:
        use(server, ask, choosing="structured")
    assert all(attempt.reason.startswith(reason) for attempt in error.value.usage.attempts)
    assert len(error.value.usage.attempts) == 3
    assert reason in str(error.value)
    assert ("grammar_field" in str(error.value)) == ("is empty" not in reason)
    assert ("OLLAMA_CONTEXT_LENGTH" in str(error.value)) == ("of 300" in reason)


def test_tokens_of_thinking_are_counted_with_those_of_the_answer(server: Server) -> None:
    server.answers = [cut(OBJECT[:60], tokens=None)]
    with pytest.raises(ModelError, match="was cut off at 1,000 tokens and is no JSON object"):
        use(server, ask, choosing="structured", thinking=700)


def test_an_object_that_is_whole_is_read_though_what_stands_behind_it_was_cut_off(server: Server) -> None:
    server.answers = [cut(f"{OBJECT}\nI chose this, since")]
    answer = use(server, ask, choosing="structured")
    assert (json.loads(answer.text), answer.usage.attempts) == (GOOD, ())


def test_a_text_of_no_form_may_be_cut_off(server: Server) -> None:
    server.answers = [cut("I am home and")]
    assert use(server, generate).text == "I am home and"


def test_a_pattern_and_a_choice_that_had_no_room_say_so_too(server: Server) -> None:
    server.answers = [cut("I am ho")]
    with pytest.raises(ModelError, match="was cut off at 300 tokens and does not obey the pattern; set thinking"):
        use(server, lambda model: generate(model, max_tokens=300, pattern='root ::= "I am home."'))
    server.answers = [cut('{"choice": "st', tokens=None)]
    with pytest.raises(ModelError, match="was cut off at 40 tokens and is not JSON with a choice; set thinking"):
        use(server, choose, choosing="structured")
