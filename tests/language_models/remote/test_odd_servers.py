"""What becomes of each odd answer of a server: it is read, asked for again, or said in one line what it is."""

import json
from typing import Any

import pytest
from asking import ADA, generate, use
from mind_schema import SCHEMA
from odd_answers import AGAIN, CLOTHES, EMOJI, LEFT_OUT, OF_NO_USE, READ, THOUGHT, WORDS, Oddity, from_schema, honest
from stand_in import Server, chat

from language_models.protocol import ModelError, ModelUnavailable
from language_models.remote.openai_compatible import OpenAICompatible

FEW = ["go home", "Sleep in bed 1"]
MANY = [f"visit house {number}" for number in range(25)]
OBJECT = from_schema(SCHEMA)


def odd_server(server: Server, odd: Oddity) -> None:
    server.answers = [lambda path, body: odd(honest(body), body, len(server.requests) - 1)]


async def everything(model: OpenAICompatible) -> tuple[list[Any], int]:
    """A choice among few and among many, a text, several texts and an object; and how often it was asked again."""
    few = await model.choose("What now?", FEW, caller=ADA)
    many = await model.choose("What now?", MANY, caller=ADA)
    text = await generate(model, stop=["\n\n\n"])
    several = await generate(model, samples=2)
    found = await generate(model, schema=SCHEMA, max_tokens=300)
    answers = [few.option, many.option, text.text, *several.alternatives, json.loads(found.text)]
    return answers, sum(one.usage.retries for one in (few, many, text, several, found))


ALL = [FEW[0], MANY[0], WORDS, WORDS, OBJECT]


@pytest.mark.parametrize("name", READ)
def test_it_is_read_at_the_first_request(server: Server, name: str) -> None:
    odd_server(server, READ[name])
    found, retries = use(server, everything)
    plain = json.dumps(found).replace(json.dumps(EMOJI)[1:-1], "around").replace("look\\n\\taround", "look around")
    texts = [text.strip() if isinstance(text, str) else text for text in json.loads(plain)]
    assert (texts, retries) == (ALL, 0)


@pytest.mark.parametrize("name", AGAIN)
def test_it_is_asked_for_again(server: Server, name: str) -> None:
    odd_server(server, AGAIN[name])
    found, retries = use(server, everything)
    assert (found, retries > 0) == (ALL, True)


@pytest.mark.parametrize("name", LEFT_OUT)
def test_a_field_that_is_refused_is_left_out(server: Server, name: str) -> None:
    odd, changes = LEFT_OUT[name]
    odd_server(server, odd)

    async def ask(model: OpenAICompatible) -> Any:
        found, _ = await everything(model)
        return found, model.fields.changes

    found, left_out = use(server, ask)
    assert (found, left_out) == (ALL, changes)
    # Once is enough: it is not sent again.
    last = server.requests[-1][2]
    assert not set(last) & set(changes)


@pytest.mark.parametrize("name", OF_NO_USE)
def test_it_is_said_what_it_is(server: Server, name: str) -> None:
    odd, message = OF_NO_USE[name]
    odd_server(server, odd)
    ask = {"two tool calls": lambda model: generate(model, schema=SCHEMA)}.get(name, generate)
    with pytest.raises((ModelError, ModelUnavailable), match=message) as error:
        use(server, ask, choosing="structured", retries=1)
    assert "\n" not in str(error.value)
    if "pay" in name:
        assert len(server.requests) == 1


@pytest.mark.parametrize("name", CLOTHES)
def test_a_choice_in_other_clothes_is_taken(server: Server, name: str) -> None:
    options, meant = ["Sleep in bed 1", "sleep in bed 10", "go home"], ["you are tired", "it is far", ""]
    server.answers = [chat(CLOTHES[name](options[0], f"{options[0]} ({meant[0]})"))]
    choice = use(
        server,
        lambda model: model.choose("What now?", options, caller=ADA, descriptions=meant),
        choosing="plain",
    )
    assert (choice.option, choice.usage.attempts) == (options[0], ())


@pytest.mark.parametrize("text", ["sleep in bed", "Sleep in bed 1 or go home", '{"choice": "SAY HI"}', "{", "", "7"])
def test_a_choice_that_fits_no_option_alone_is_not_taken(server: Server, text: str) -> None:
    server.answers = [chat(text)]
    with pytest.raises(ModelError, match=r"chooses none of|is not JSON with a choice"):
        use(
            server,
            lambda model: model.choose("?", ["Sleep in bed 1", "say hi!", "say hi"], caller=ADA),
            choosing="plain",
        )


def test_what_a_model_thought_is_kept_apart(server: Server) -> None:
    for name in ("reasoning", "<think>", "harmony", "a part with thinking", "a stream with thinking"):
        odd_server(server, READ[name])
        found = use(server, generate)
        assert found.text == WORDS
        assert found.reasoning.replace(" ", "") == THOUGHT.replace(" ", ""), name


def test_lone_surrogates_are_replaced_and_counted(server: Server) -> None:
    server.answers = [{**chat("half \ud83d of a face"), "model": "x\udc00"}]

    async def ask(model: OpenAICompatible) -> Any:
        return (await generate(model)).text, model.answered_as, model.replaced

    assert use(server, ask) == ("half \ufffd of a face", ["x\ufffd"], 2)
    server.answers = [json.dumps(chat("caf\u00e9"), ensure_ascii=False).encode("latin-1")]
    assert use(server, ask) == ("caf\ufffd", ["qwen"], 1)
    server.answers = [(200, {"Content-Type": "application/json; charset=iso-8859-1"}, server.answers[0])]
    assert use(server, ask) == ("caf\u00e9", ["qwen"], 0)


def test_fields_are_dropped_by_an_option(server: Server) -> None:
    server.answers = [chat("Hello.")]
    use(server, generate, drop=["seed", "temperature"])
    assert not {"seed", "temperature"} & set(server.requests[0][2])
    with pytest.raises(ValueError, match=r"drop must be one of seed, .*, got 'messages'"):
        use(server, generate, drop=["messages"])
    # What a user adds is not left out in silence.
    server.answers = [(400, {}, {"error": {"message": "Unsupported parameter: 'seed'"}})]
    with pytest.raises(ModelError, match="Unsupported parameter: 'seed'"):
        use(server, generate, extra_body={"seed": 5})


def test_texts_stop_where_the_server_does_not_stop_them(server: Server) -> None:
    server.answers = [(400, {}, {"error": {"message": "'stop' is not supported"}}), chat("Hello.\nBen: Hi")]
    assert use(server, lambda model: generate(model, stop=["\nBen:"])).text == "Hello."


def test_seeds_have_31_bits(server: Server) -> None:
    server.answers = [chat("Hello.")]
    use(server, lambda model: generate(model, seed=2**32 - 1))
    assert server.requests[0][2]["seed"] == 2**31 - 1
