"""Objects of a JSON schema by the model that comes with the install, and models that are asked in their template."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest
from mind_schema import SCHEMA, TIES
from model_calls import CALLER, generate

from language_models.grammar import compile_grammar
from language_models.json_answers import read_object, write_object
from language_models.json_grammar import grammar_of, shortened
from language_models.local.embedded import EmbeddedModel
from language_models.protocol import ModelError

PROMPT = "You are LL. MD asks you to come to the canteen. What do you do?\n"
OPEN: dict[str, Any] = {
    "type": "object",
    "properties": {"thought": {"type": "string", "minLength": 30, "maxLength": 600}},
    "required": ["thought"],
    "additionalProperties": False,
}


@pytest.fixture(scope="module", params=[None, True], ids=["continues", "instructed"])
def model(request: pytest.FixtureRequest) -> Iterator[EmbeddedModel]:
    model = EmbeddedModel.smollm2(slots=2, context=512, threads=1, instructed=request.param)
    yield model
    model.close()


@pytest.mark.parametrize("schema", [SCHEMA, TIES], ids=["mind", "ranking"])
def test_a_small_model_writes_objects_of_a_schema(model: EmbeddedModel, schema: dict[str, Any]) -> None:
    asked: dict[str, Any] = {"caller": CALLER, "max_tokens": 300, "schema": schema}
    written = generate(model, PROMPT, seed=1, **asked)
    found = read_object(written.text, schema)
    assert written.text == write_object(found)
    assert compile_grammar(grammar_of(schema)).fullmatch(written.text)
    assert written.usage.retries == len(written.usage.attempts)


def test_an_object_that_breaks_off_is_asked_for_again_with_shorter_texts(model: EmbeddedModel) -> None:
    asked: dict[str, Any] = {"caller": CALLER, "max_tokens": 22, "temperature": 0.0}
    schema = {**OPEN, "properties": {"thought": {"type": "string", "minLength": 8, "maxLength": 600}}}
    numbers = "I list all numbers: 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17\n"
    written = generate(model, numbers, schema=schema, **asked)
    assert len(read_object(written.text, schema)["thought"]) <= 22
    assert 1 <= written.usage.retries <= 2
    assert all(attempt.reason.startswith("is no JSON object") for attempt in written.usage.attempts)
    assert written.usage.generated_tokens > 22


def test_an_object_that_has_no_room_is_no_answer(model: EmbeddedModel) -> None:
    with pytest.raises(ModelError, match="which is no JSON object") as error:
        generate(model, PROMPT, max_tokens=3, schema=OPEN)
    assert (error.value.usage.retries, len(error.value.usage.attempts)) == (2, 3)


def test_samples_are_objects_each(model: EmbeddedModel) -> None:
    written = generate(model, PROMPT, max_tokens=60, schema=TIES, samples=3, seed=1)
    for text in (written.text, *written.alternatives):
        read_object(text, TIES)
    assert len(written.alternatives) == 2


def test_it_cannot_be_given_tokens_to_think_in(model: EmbeddedModel) -> None:
    with pytest.raises(ValueError, match="smollm2 cannot be given 5 tokens to think in; leave think out"):
        generate(model, PROMPT, think=5)


def test_one_that_is_instructed_is_asked_in_its_template() -> None:
    asked = {"caller": CALLER, "max_tokens": 8, "temperature": 0.0}
    prompts: list[str] = []

    class Listening(EmbeddedModel):
        async def _complete(self, body: dict[str, Any], bias: str = "") -> dict[str, Any]:
            prompts.append(body["prompt"])
            return await super()._complete(body, bias)

    for instructed in (False, True):
        model = Listening.smollm2(slots=1, context=256, threads=1, instructed=instructed)
        try:
            generate(model, PROMPT, **asked)  # type: ignore[arg-type]
            choice = asyncio.run(
                model.choose(PROMPT, ["go", 'say "no"'], caller=CALLER, descriptions=["see MD", "stay"], query="see MD")
            )
        finally:
            model.close()
        assert choice.option in ("go", 'say "no"')
        assert (set(choice.probabilities) == {0.0, 1.0}) == instructed
    assert prompts[0] == PROMPT
    told, chosen = prompts[-2:]
    assert told.endswith(f"<|im_start|>user\n{PROMPT}<|im_end|>\n<|im_start|>assistant\n")
    assert 'Options:\n- go (see MD)\n- say "no" (stay)\n\nAnswer with one of the options' in chosen


def test_strings_are_shortened_alike_and_not_beyond_what_they_need() -> None:
    form = shortened(SCHEMA, 380)["properties"]
    assert form["thought"]["maxLength"] == 150 == 600 * 380 // 1520
    assert form["plan"]["items"]["maxLength"] == 30
    assert form["action"] == SCHEMA["properties"]["action"]
    assert shortened(SCHEMA, 10**6) == SCHEMA
    assert shortened(SCHEMA, 1)["properties"]["goal"]["maxLength"] == 8
    assert shortened(OPEN, 1)["properties"]["thought"]["maxLength"] == 30
