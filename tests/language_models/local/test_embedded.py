"""The model that comes with the install, on its weights: loaded once with two slots, and once with one."""

from __future__ import annotations

import asyncio
import json
import math
import re
import threading
import time
from collections.abc import Coroutine, Iterator
from pathlib import Path
from typing import Any, TypeVar
from urllib.request import urlopen

import pytest
from gguf_files import LARGE, STRING, TEMPLATE, UINT32, gguf_bytes
from mind_schema import SCHEMA, TIES
from model_calls import CALLER, generate, request

from language_models.embedders.hash_embedder import HashEmbedder
from language_models.grammar import compile_grammar
from language_models.json_answers import read_object, write_object
from language_models.json_grammar import grammar_of, shortened
from language_models.local.cancellable_request import CancellableRequest
from language_models.local.embedded import EmbeddedModel
from language_models.protocol import ModelError, ModelUnavailable, Usage

FORM = r'root ::= "LL thought: I want to " [a-z ]{5,40} ".\n"'
PROMPT = "You are LL. MD asks you to come to the canteen. What do you do?\n"
NO_LAYERS = [
    ("general.architecture", STRING, "llama"),
    *((f"llama.{key}", UINT32, 0) for key in ("block_count", "context_length", "embedding_length")),
]
T = TypeVar("T")


def run(coroutine: Coroutine[Any, Any, T]) -> T:
    return asyncio.run(coroutine)


def one_text(most: int, least: int = 30) -> dict[str, Any]:
    thought = {"type": "string", "minLength": least, "maxLength": most}
    return {
        "type": "object",
        "properties": {"thought": thought},
        "required": ["thought"],
        "additionalProperties": False,
    }


@pytest.fixture(scope="module")
def model() -> Iterator[EmbeddedModel]:
    with EmbeddedModel.smollm2(slots=2, context=256, threads=1, embedder=HashEmbedder()) as model:
        yield model


@pytest.fixture(scope="module")
def hasty() -> Iterator[EmbeddedModel]:
    """One slot with a long context, to be waited for."""
    with EmbeddedModel.smollm2(slots=1, context=2000, threads=1) as model:
        yield model
        model.close()


def test_a_text_obeys_its_grammar(model: EmbeddedModel) -> None:
    written = generate(model, "LL is tired.\n", max_tokens=40, seed=1, pattern=FORM)
    assert compile_grammar(FORM).fullmatch(written.text), written.text
    assert written.alternatives == ()
    usage = written.usage
    assert (usage.prompt_tokens > 3, usage.generated_tokens > 5, usage.seconds > 0) == (True, True, True)


def test_a_text_is_made_of_the_vocabulary(model: EmbeddedModel) -> None:
    words = frozenset(("the", "a", "book", "bed", "is", "on", "and", "it", "she", "read", "reads", "good"))
    written = generate(model, "The book", max_tokens=16, seed=3, vocabulary=words)
    found = re.findall(r"[A-Za-z]+", written.text)
    assert found
    # Words may share tokens, so that one of the vocabulary may run into the next; nothing else occurs.
    assert all(re.fullmatch(f"(?:{'|'.join(words)})+", word.lower()) for word in found), written.text
    assert not re.search(r"\d", written.text)


@pytest.mark.parametrize(("fixture", "samples", "requests"), [("hasty", 2, 2), ("model", 3, 2)])
def test_more_samples_than_slots_are_drawn_one_after_another(
    fixture: str, samples: int, requests: int, request: pytest.FixtureRequest
) -> None:
    model: EmbeddedModel = request.getfixturevalue(fixture)
    model._deadline = 60.0
    form = r'root ::= [a-z]{4,8} "."'
    asked: dict[str, Any] = {"caller": CALLER, "max_tokens": 12, "temperature": 1.0, "pattern": form}
    one = generate(model, "LL is tired.\n", seed=1, **asked)
    written = generate(model, "LL is tired.\n", seed=1, samples=samples, **asked)
    texts = [written.text, *written.alternatives]
    assert len(set(texts)) == samples
    assert all(compile_grammar(form).fullmatch(text) for text in texts), texts
    assert written.usage.prompt_tokens == requests * one.usage.prompt_tokens
    assert written.usage.generated_tokens > 2 * samples


def test_the_same_seed_writes_the_same(model: EmbeddedModel) -> None:
    first, again, other = (
        generate(model, "Once upon a time", max_tokens=8, temperature=1.0, seed=seed).text for seed in (5, 5, 6)
    )
    assert first == again != other


# Two copies of the weights, and each request is computed from its beginning: 5 s on an idle machine.
@pytest.mark.slow
def test_where_it_is_exact_an_answer_hangs_on_nothing_but_the_request() -> None:
    """Asked first, asked after others with the same beginning, and asked beside them, the last bits are the same."""
    begin = "LL is in the garden, and sees a table, an apple on it, and MD, who is reading. "

    async def ask() -> tuple[tuple[float, ...], str]:
        scores = await exact.score(f"{begin}LL wants to", [" eat the apple"], caller=CALLER)
        text = await exact.generate(request(f"{begin}LL said:", max_tokens=4, seed=3, samples=2))
        return scores.values, "|".join([text.text, *text.alternatives])

    async def beside_others() -> list[Any]:
        return (await asyncio.gather(exact.generate(request(begin[:-1], max_tokens=3)), ask(), ask()))[1:]

    with EmbeddedModel.smollm2(exact=True, slots=2, context=256, threads=1) as exact:
        first = run(ask())
        assert run(beside_others()) == [first, first]
        assert run(ask()) == first
        assert len({server.listening_address for server in exact._pool.servers}) == 2


def test_a_stop_ends_the_text(model: EmbeddedModel) -> None:
    written = generate(model, "1, 2, 3, 4,", max_tokens=12, temperature=0, stop=["7"])
    assert "6" in written.text
    assert "7" not in written.text


def test_what_is_likelier_scores_higher(model: EmbeddedModel) -> None:
    likely, unlikely, longer = run(
        model.score("The capital of France is", [" Paris", " table", " Paris, a city"], caller=CALLER)
    ).values
    assert likely > unlikely
    assert -math.inf < longer < likely < 0
    # A sum over tokens: the rest, given the beginning, is what is missing.
    (rest,) = run(model.score("The capital of France is Paris", [", a city"], caller=CALLER)).values
    assert longer == pytest.approx(likely + rest, abs=0.2)


def test_a_choice_does_not_hang_on_the_order_of_options_and_descriptions_stand_for_them(model: EmbeddedModel) -> None:
    def choose(prompt: str, options: list[str], **more: Any) -> Any:
        return run(model.choose(prompt, options, caller=CALLER, query="I want to read the book.", **more))

    options = ["rest on the bed", "read the book", "go out"]
    given, turned = choose("You are at home.", options), choose("You are at home.", options[::-1])
    assert given.option == turned.option == "read the book"
    assert given.probabilities == pytest.approx(turned.probabilities[::-1], abs=0.02)
    assert sum(given.probabilities) == pytest.approx(1.0)
    assert max(given.probabilities) == given.probabilities[1]
    assert choose("", ["x", "y"], descriptions=["I lie down and sleep.", "I read the book."]).option == "y"


@pytest.mark.parametrize(("schema", "instructed"), [(SCHEMA, False), (TIES, True)], ids=["mind", "ranking"])
def test_a_small_model_writes_objects_of_a_schema(
    hasty: EmbeddedModel, monkeypatch: pytest.MonkeyPatch, schema: dict[str, Any], instructed: bool
) -> None:
    monkeypatch.setattr(hasty, "instructed", instructed)
    hasty._deadline = 60.0
    samples = 1 if schema is SCHEMA else 2
    written = generate(hasty, PROMPT, seed=1, max_tokens=160, schema=schema, samples=samples)
    for text in (written.text, *written.alternatives):
        assert text == write_object(read_object(text, schema))
        assert compile_grammar(grammar_of(schema)).fullmatch(text)
    assert len(written.alternatives) == samples - 1
    assert written.usage.retries == len(written.usage.attempts)


def test_an_object_that_breaks_off_is_asked_for_again_with_shorter_texts(model: EmbeddedModel) -> None:
    schema = one_text(600, least=8)
    numbers = "I list all numbers: 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17\n"
    written = generate(model, numbers, schema=schema, max_tokens=22, temperature=0.0)
    assert len(read_object(written.text, schema)["thought"]) <= 22
    assert 1 <= written.usage.retries <= 2
    assert all(attempt.reason.startswith("is no JSON object") for attempt in written.usage.attempts)
    assert written.usage.generated_tokens > 22
    with pytest.raises(ModelError, match="which is no JSON object") as error:
        generate(model, PROMPT, max_tokens=3, schema=one_text(600))
    assert (error.value.usage.retries, len(error.value.usage.attempts)) == (2, 3)


def test_one_that_is_instructed_is_asked_in_its_template(model: EmbeddedModel, monkeypatch: pytest.MonkeyPatch) -> None:
    prompts: list[str] = []
    complete = model._complete

    async def listening(body: dict[str, Any], bias: str = "") -> dict[str, Any]:
        prompts.append(body["prompt"])
        return await complete(body, bias)

    monkeypatch.setattr(model, "_complete", listening)
    options = ["go", 'say "no"']
    for instructed in (False, True):
        monkeypatch.setattr(model, "instructed", instructed)
        generate(model, PROMPT, max_tokens=4, temperature=0.0)
        choice = run(model.choose(PROMPT, options, caller=CALLER, descriptions=["see MD", "stay"], query="see MD"))
        assert choice.option in options
        assert (set(choice.probabilities) == {0.0, 1.0}) == instructed
    assert prompts[0] == PROMPT
    told, chosen = prompts[-2:]
    assert told.endswith(f"<|im_start|>user\n{PROMPT}<|im_end|>\n<|im_start|>assistant\n")
    assert 'Options:\n- go (see MD)\n- say "no" (stay)\n\nAnswer with one of the options' in chosen


def test_what_cannot_be_asked_of_it(model: EmbeddedModel, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ValueError, match="smollm2 cannot be given 5 tokens to think in; leave think out"):
        generate(model, PROMPT, think=5)
    with pytest.raises(ModelError):
        generate(model, "LL", pattern="root ::= (")

    def broken(request: CancellableRequest, address: str) -> dict[str, Any]:
        raise ConnectionRefusedError("gone")

    monkeypatch.setattr(CancellableRequest, "run", broken)
    with pytest.raises(ModelError, match="smollm2 did not answer at /tokenize"):
        run(model.score("LL is", [" in a place never named before"], caller=CALLER))


@pytest.mark.parametrize("method", ["generate", "choose", "score"])
def test_the_deadline_stops_a_call_and_frees_its_slot(hasty: EmbeddedModel, method: str) -> None:
    """A text of 1,500 tokens takes half a minute here; the next call has the only slot at once."""
    hasty._deadline = 0.2
    long = "a b c d e f g h " * 90
    asked: dict[str, Coroutine[Any, Any, Any]] = {
        "generate": hasty.generate(request("Once upon a time", max_tokens=1500, pattern="root ::= [a-z ]*")),
        "choose": hasty.choose("", [long, "go"], caller=CALLER, query="Once upon a time"),
        "score": hasty.score("Once upon a time", [long], caller=CALLER),
    }
    with pytest.raises(ModelUnavailable, match=r"smollm2 gave no answer within its deadline of 0\.2 s, .* a longer"):
        run(asked.pop(method))
    for other in asked.values():
        other.close()
    hasty._deadline = 10.0
    assert generate(hasty, "Hello", max_tokens=1).usage.generated_tokens == 1


@pytest.mark.parametrize("method", ["generate", "choose"])
def test_waiting_for_a_slot_is_counted(hasty: EmbeddedModel, method: str) -> None:
    """A text has the only slot, so that what is asked meanwhile waits until it ends, and is computed only then."""
    hasty._deadline = 60.0

    def busy() -> bool:
        with urlopen(f"{hasty.server.listening_address}/slots") as answer:
            return any(slot["is_processing"] for slot in json.load(answer))

    async def beside_a_text() -> tuple[Usage, float]:
        form = "root ::= [a-z ]{60,90}"
        writing = asyncio.ensure_future(hasty.generate(request("Once", max_tokens=60, pattern=form)))
        while not await asyncio.to_thread(busy):
            pass
        ended: list[float] = []
        writing.add_done_callback(lambda _: ended.append(time.perf_counter()))
        asked = time.perf_counter()
        if method == "generate":
            usage = (await hasty.generate(request("LL is", max_tokens=2))).usage
        else:
            usage = (await hasty.choose("", ["rest", "read"], caller=CALLER, query="I want to read.")).usage
        assert (await writing).usage.waiting < usage.waiting
        return usage, ended[0] - asked

    usage, held = run(beside_a_text())
    assert held / 2 < usage.waiting < usage.seconds


def test_closing_stops_what_is_under_way() -> None:
    """One that was asked nothing is let go, too."""
    before = threading.active_count()
    EmbeddedModel.smollm2(slots=1).close()
    closed = EmbeddedModel.smollm2(slots=1, context=2000, threads=1)

    async def close_meanwhile() -> None:
        writing = asyncio.ensure_future(closed.generate(request("Once", max_tokens=1500, pattern="root ::= [a-z ]*")))
        await asyncio.sleep(0.2)
        closed.close()
        with pytest.raises(ModelError, match="did not answer at /v1/completions"):
            await writing

    run(close_meanwhile())
    assert threading.active_count() <= before


@pytest.mark.parametrize(
    ("name", "content", "error", "message"),
    [
        ("none.gguf", None, FileNotFoundError, r"model file '.*none\.gguf' does not exist; give the path"),
        ("text.gguf", b"hello", ValueError, r"text\.gguf' is no GGUF file: it begins with b'hell' where b'GGUF'"),
        ("empty.gguf", b"", ValueError, "is no GGUF file: it begins with b''"),
        ("old.gguf", b"GGUF" + bytes(8), ValueError, r"could not load .*old\.gguf"),
        ("cut.gguf", gguf_bytes([TEMPLATE], LARGE)[:200], ValueError, r"cut\.gguf' is incomplete: .* it ends within"),
        ("half.gguf", gguf_bytes([TEMPLATE], LARGE), ValueError, r"incomplete: it has .* header describes 4,096,"),
        ("breaks.gguf", gguf_bytes(NO_LAYERS), ValueError, r"cannot load .*breaks\.gguf: it breaks off .*n_layer"),
    ],
)
def test_files_that_are_no_models(
    tmp_path: Path, name: str, content: bytes | None, error: type[Exception], message: str
) -> None:
    if content is not None:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(error, match=message):
        EmbeddedModel(tmp_path / name)


def test_a_file_that_llama_cpp_does_not_come_back_from_ends_after_a_deadline(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("language_models.local.trial_load.SECONDS", 0.001)
    (tmp_path / "hangs.gguf").write_bytes(gguf_bytes())
    with pytest.raises(ValueError, match=r"cannot load .*hangs\.gguf: it was not done within 0 s; get the file again"):
        EmbeddedModel(tmp_path / "hangs.gguf")


def test_a_prompt_that_does_not_fit_names_its_length_the_context_and_the_remedy(model: EmbeddedModel) -> None:
    remedy = re.escape("set context = 512 among the options of a TOML file for --model")
    with pytest.raises(ModelUnavailable, match=rf"a prompt of 3\d\d tokens .* the context of 256; {remedy}"):
        generate(model, "LL walks in the garden. " * 50, max_tokens=8)
    # One that fits, and leaves its answer too little, is not answered with half a text.
    with pytest.raises(ModelUnavailable, match=r"a prompt of 2\d\d tokens and its answer do not fit into the context"):
        generate(model, "LL walks in the garden. " * 41, max_tokens=64, pattern="root ::= [a-z ]+")
    with pytest.raises(ModelUnavailable, match=r"a prompt of 1\d\d\d tokens .* the context of 256"):
        run(model.score("word " * 1000, [" a"], caller=CALLER))
    with pytest.raises(ModelUnavailable, match="it was trained with 8192 at most: go on with another model by"):
        generate(model, "LL walks. " * 2800, max_tokens=8)


def test_numbers_are_checked(model: EmbeddedModel) -> None:
    assert (model.context, model.trained) == (256, 8192)
    for option, message in (
        ({"slots": 0}, "slots must be at least 1, got 0"),
        ({"context": 8}, "context must be at least 16, got 8"),
        ({"threads": 0}, "threads must be at least 1, got 0"),
        ({"deadline": 0}, "deadline must be above 0, got 0"),
        ({"slots": 1, "context": 8193}, r"context must be at most 8192, what SmolLM2.* was trained with, got 8193"),
    ):
        with pytest.raises(ValueError, match=message):
            EmbeddedModel.smollm2(**option)


def test_strings_are_shortened_alike_and_not_beyond_what_they_need() -> None:
    form = shortened(SCHEMA, 380)["properties"]
    assert form["thought"]["maxLength"] == 150 == 600 * 380 // 1520
    assert form["plan"]["items"]["maxLength"] == 30
    assert form["action"] == SCHEMA["properties"]["action"]
    assert shortened(SCHEMA, 10**6) == SCHEMA
    assert shortened(SCHEMA, 1)["properties"]["goal"]["maxLength"] == 8
    assert shortened(one_text(600), 1)["properties"]["thought"]["maxLength"] == 30
