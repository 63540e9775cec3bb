"""Objects of a JSON schema from an address: held where the server can, read strictly everywhere."""

import asyncio
import dataclasses
import json
from typing import Any

import pytest
from asking import ADA, generate, use
from mind_schema import GOOD, RANKING, SCHEMA
from stand_in import COUNTS, Server, chat

from language_models.json_grammar import grammar_of
from language_models.protocol import Attempt, GenerateRequest, ModelError, ModelUnavailable
from language_models.remote.openai_compatible import OpenAICompatible
from language_models.scripted import object_by_rule
from language_models.transcript.recording import RecordedModel
from language_models.transcript.replaying import ReplayedModel
from language_models.transcript.transcript import Transcript

OBJECT = json.dumps(GOOD)


def ask(model: OpenAICompatible, **options: Any) -> Any:
    return generate(model, **{"schema": SCHEMA, "max_tokens": 300, **options})


async def twice(model: OpenAICompatible) -> Any:
    assert model.chooser.method is None
    return await ask(model), await ask(model), model.chooser.method


def obeying(path: str, body: dict[str, Any]) -> dict[str, Any]:
    """A server that holds its answers to a schema, and gives no log-probabilities."""
    if (form := body.get("response_format")) is None:
        return chat("Well, let me think.")
    schema = form["json_schema"]["schema"]
    return chat(json.dumps(object_by_rule(schema, lambda count, where: 0, lambda where: "I wonder.")))


def refusing(path: str, body: dict[str, Any]) -> Any:
    """A server that knows no response_format, of a model that keeps to a form by itself."""
    if "response_format" in body:
        return 400, {}, b'{"error": {"message": "unknown field response_format"}}'
    return chat(OBJECT)


def test_a_server_that_can_is_held_to_the_schema(server: Server) -> None:
    server.answers = [obeying]
    answer = use(server, ask, choosing="structured")
    ((_, _, body),) = server.requests
    assert body["response_format"] == {
        "type": "json_schema",
        "json_schema": {"name": "answer", "strict": True, "schema": SCHEMA},
    }
    assert list(body["response_format"]["json_schema"]["schema"]["properties"]) == list(SCHEMA["properties"])
    assert list(json.loads(answer.text)) == list(SCHEMA["properties"])
    assert (body["max_tokens"], body["seed"], answer.usage.retries) == (300, 0, 0)


def test_whether_items_differ_is_read_and_not_sent(server: Server) -> None:
    server.answers = [chat('{"order": ["LL", "LL", "MD", "AY"]}'), chat('{"order": ["WL", "LL", "MD", "AY"]}')]
    answer = use(server, lambda model: ask(model, schema=RANKING), choosing="structured")
    assert "uniqueItems" not in json.dumps(server.requests[0][2])
    assert answer.text == '{"order": ["WL", "LL", "MD", "AY"]}'
    assert [attempt.reason for attempt in answer.usage.attempts] == ["has \"LL\" twice in 'order'"]


@pytest.mark.parametrize(("answering", "method"), [(obeying, "structured"), (refusing, "plain")])
def test_what_the_server_can_do_is_found_out_as_for_a_choice_and_once(
    server: Server, answering: Any, method: str
) -> None:
    server.answers = [answering]
    first, second, found = use(server, twice)
    assert (found, len(server.requests), second.usage.prompt_tokens) == (method, 4, 12)
    assert first.usage.prompt_tokens == (36 if method == "structured" else 24)
    assert ("response_format" in server.requests[-1][2]) == (method == "structured")


@pytest.mark.parametrize(
    ("options", "grammar"),
    [({"choosing": "plain"}, None), ({"choosing": "logprobs"}, None), ({"grammar_field": "g"}, grammar_of(SCHEMA))],
)
def test_a_way_without_a_schema_sends_none(server: Server, options: Any, grammar: str | None) -> None:
    server.answers = [chat(f"```json\n{OBJECT}\n```")]
    answer = use(server, ask, **options)
    ((_, _, body),) = server.requests
    assert (json.loads(answer.text), answer.usage.attempts) == (GOOD, ())
    assert ("response_format" in body, body.get("g")) == (False, grammar)


@pytest.mark.parametrize(("choosing", "other"), [("structured", "plain"), ("logprobs+structured", "logprobs")])
def test_a_schema_that_is_refused_in_the_midst_of_a_run_stops_it(server: Server, choosing: str, other: str) -> None:
    server.answers = [refusing]
    with pytest.raises(ModelUnavailable, match=f'response_format.*set choosing = "{other}"'):
        use(server, ask, choosing=choosing)
    assert len(server.requests) == 1


def test_an_answer_of_no_use_is_asked_for_again_and_counted(server: Server) -> None:
    without = json.dumps({key: value for key, value in GOOD.items() if key != "thought"})
    server.answers = [chat("Sure."), chat(without), chat(OBJECT)]
    answer = use(server, lambda model: ask(model, seed=5), choosing="plain")
    assert answer.usage.attempts == (
        Attempt(kind="unusable", reason='begins with "Sure." and has no JSON object', text="Sure."),
        Attempt(kind="unusable", reason="has no key 'thought'", text=without),
    )
    assert (answer.usage.retries, answer.usage.generated_tokens) == (2, 9)
    assert [body["seed"] for _, _, body in server.requests] == [5, 6, 7]
    first, second, third = [body["messages"][0]["content"] for _, _, body in server.requests]
    assert first == "Ada thinks:"
    again = "Answer again, in the form that was asked for."
    assert second == f'{first}\n\nYour last answer begins with "Sure." and has no JSON object. {again}'
    assert third == f"{first}\n\nYour last answer has no key 'thought'. {again}"


@pytest.mark.parametrize(
    ("options", "remedy"),
    [
        ({"choosing": "structured"}, 'set grammar_field = "grammar", and elsewhere choosing = "plain", with which'),
        ({"choosing": "plain"}, 'set grammar_field = "grammar" among the options'),
        ({"choosing": "structured", "grammar_field": "bnf"}, 'leave out grammar_field and set choosing = "plain", wi'),
        ({"choosing": "plain", "grammar_field": "bnf"}, "or leave out grammar_field among the options of a TOML file"),
    ],
)
def test_the_remedy_is_one_that_is_not_set_yet(server: Server, options: dict[str, Any], remedy: str) -> None:
    server.answers = [chat(json.dumps({**GOOD, "action": 99}))]
    with pytest.raises(ModelError, match=r"which has 99 as .action. where a number") as error:
        use(server, ask, **options)
    assert remedy in str(error.value)


def test_every_sample_is_read(server: Server) -> None:
    def several(path: str, body: dict[str, Any]) -> dict[str, Any]:
        texts = [OBJECT, json.dumps({**GOOD, "action": body["seed"] + 1})]
        return {"choices": [chat(text)["choices"][0] for text in texts], "usage": COUNTS}

    server.answers = [several]
    answer = use(server, lambda model: ask(model, samples=2, seed=8), choosing="plain")
    assert [json.loads(text)["action"] for text in (answer.text, *answer.alternatives)] == [7, 9]


def test_a_schema_is_recorded_and_replayed_with_the_order_of_its_keys(server: Server) -> None:
    server.answers = [chat(OBJECT)]
    with Transcript(":memory:") as transcript:

        async def recorded(model: OpenAICompatible) -> Any:
            return await ask(RecordedModel(model, transcript), think=20)  # type: ignore[arg-type]

        first = use(server, recorded, choosing="plain")
        (call,) = transcript.calls()
        assert list(json.loads(call.request.parameters["schema"])["properties"]) == list(SCHEMA["properties"])
        assert call.request.parameters["think"] == 20
        asked = GenerateRequest(prompt="Ada thinks:", caller=ADA, max_tokens=300, schema=SCHEMA, think=20)
        assert asyncio.run(ReplayedModel(transcript).generate(asked)) == first
        for other in ({"schema": RANKING}, {"schema": None}, {"think": 0}):
            with pytest.raises(LookupError, match="holds no such generate call"):
                asyncio.run(ReplayedModel(transcript).generate(dataclasses.replace(asked, **other)))
