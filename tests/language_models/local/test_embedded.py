"""The model that comes with the install, on the weights that come with it."""

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
from model_calls import CALLER, generate, request

from language_models.embedders.hash_embedder import HashEmbedder
from language_models.grammar import compile_grammar
from language_models.local.cancellable_request import CancellableRequest
from language_models.local.embedded import EmbeddedModel
from language_models.protocol import ModelError, ModelUnavailable, Usage

FORM = r'root ::= "LL thought: I want to " [a-z ]{5,40} ".\n"'
T = TypeVar("T")


def run(coroutine: Coroutine[Any, Any, T]) -> T:
    return asyncio.run(coroutine)


@pytest.fixture(scope="module")
def model() -> Iterator[EmbeddedModel]:
    model = EmbeddedModel.smollm2(slots=2, context=256, threads=1, embedder=HashEmbedder())
    yield model
    model.close()


def test_a_text_obeys_its_grammar(model: EmbeddedModel) -> None:
    written = generate(model, "LL is tired.\n", max_tokens=40, seed=1, pattern=FORM)
    assert compile_grammar(FORM).fullmatch(written.text), written.text
    assert written.alternatives == ()
    assert written.usage.prompt_tokens > 3
    assert written.usage.generated_tokens > 5
    assert written.usage.seconds > 0


def test_a_text_is_made_of_the_vocabulary(model: EmbeddedModel) -> None:
    words = frozenset(("the", "a", "book", "bed", "is", "on", "and", "it", "she", "read", "reads", "good"))
    written = generate(model, "The book", max_tokens=16, seed=3, vocabulary=words)
    pieces = {part for word in words for part in re.findall("[a-z]+", word)}
    found = re.findall(r"[A-Za-z]+", written.text)
    assert found
    # Words may share tokens, so that one of the vocabulary may run into the next; nothing else occurs.
    assert all(re.fullmatch(f"(?:{'|'.join(pieces)})+", word.lower()) for word in found), written.text
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
        generate(model, "Once upon a time", max_tokens=12, temperature=1.0, seed=seed).text for seed in (5, 5, 6)
    )
    assert first == again
    assert first != other


def test_where_it_is_exact_an_answer_hangs_on_nothing_but_the_request() -> None:
    """Asked first, asked after others with the same beginning, and asked beside them, the last bits are the same."""
    exact = EmbeddedModel.smollm2(exact=True, slots=2, context=512, threads=1)
    begin = "LL is in the garden, and sees a table, an apple on it, and MD, who is reading. "

    async def ask() -> tuple[tuple[float, ...], str]:
        scores = await exact.score(f"{begin}LL wants to", [" eat the apple", " talk to MD"], caller=CALLER)
        text = await exact.generate(request(f"{begin}LL said:", max_tokens=6, seed=3, samples=2))
        return scores.values, "|".join([text.text, *text.alternatives])

    async def beside_others() -> list[Any]:
        others = [exact.generate(request(begin[:-n], max_tokens=3 * n, seed=n)) for n in range(1, 3)]
        return (await asyncio.gather(*others, ask(), ask()))[-2:]

    try:
        first = run(ask())
        assert run(beside_others()) == [first, first]
        assert run(ask()) == first
        assert len({server.listening_address for server in exact._pool.servers}) == 2
    finally:
        exact.close()


def test_a_stop_ends_the_text(model: EmbeddedModel) -> None:
    written = generate(model, "1, 2, 3, 4,", max_tokens=12, temperature=0, stop=["7"])
    assert "6" in written.text
    assert "7" not in written.text


def test_what_is_likelier_scores_higher(model: EmbeddedModel) -> None:
    likely, unlikely, longer = run(
        model.score("The capital of France is", [" Paris", " table", " Paris, a city"], caller=CALLER)
    ).values
    assert likely > unlikely
    assert longer < likely < 0
    assert all(map(math.isfinite, (likely, unlikely, longer)))
    # A sum over tokens: the rest, given the beginning, is what is missing.
    (rest,) = run(model.score("The capital of France is Paris", [", a city"], caller=CALLER)).values
    assert longer == pytest.approx(likely + rest, abs=0.2)


def test_the_order_of_options_does_not_matter(model: EmbeddedModel) -> None:
    options = ["rest on the bed", "read the book", "go out"]
    given = run(model.choose("You are at home.", options, caller=CALLER, query="I want to read the book."))
    turned = run(model.choose("You are at home.", options[::-1], caller=CALLER, query="I want to read the book."))
    assert given.option == turned.option == "read the book"
    assert given.probabilities == pytest.approx(turned.probabilities[::-1], abs=0.02)
    assert sum(given.probabilities) == pytest.approx(1.0)
    assert max(given.probabilities) == given.probabilities[1]


def test_descriptions_stand_for_options(model: EmbeddedModel) -> None:
    meant = ["I lie down and sleep.", "I read the book."]
    choice = run(model.choose("", ["x", "y"], caller=CALLER, query="I want to read the book.", descriptions=meant))
    assert choice.option == "y"


def test_a_grammar_that_does_not_parse_fails(model: EmbeddedModel) -> None:
    with pytest.raises(ModelError):
        generate(model, "LL", pattern="root ::= (")


def test_a_server_that_does_not_answer_fails(model: EmbeddedModel, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(request: CancellableRequest, address: str) -> dict[str, Any]:
        raise ConnectionRefusedError("gone")

    monkeypatch.setattr(CancellableRequest, "run", broken)
    with pytest.raises(ModelError, match="smollm2 did not answer at /tokenize"):
        run(model.score("LL is", [" in a place never named before"], caller=CALLER))


@pytest.fixture(scope="module")
def hasty() -> Iterator[EmbeddedModel]:
    model = EmbeddedModel.smollm2(slots=1, context=2000, threads=1)
    yield model
    model.close()
    model.close()


@pytest.mark.parametrize("method", ["generate", "choose", "score"])
def test_the_deadline_stops_a_call_and_frees_its_slot(hasty: EmbeddedModel, method: str) -> None:
    """A text of 1,500 tokens takes half a minute here; the next call has the only slot at once."""
    model = hasty
    model._deadline = 0.2
    long = "a b c d e f g h " * 90
    asked: dict[str, Coroutine[Any, Any, Any]] = {
        "generate": model.generate(request("Once upon a time", max_tokens=1500, pattern="root ::= [a-z ]*")),
        "choose": model.choose("", [long, "go"], caller=CALLER, query="Once upon a time"),
        "score": model.score("Once upon a time", [long], caller=CALLER),
    }
    with pytest.raises(
        ModelUnavailable, match=r"smollm2 gave no answer within its deadline of 0\.2 s, .* set a longer"
    ):
        run(asked.pop(method))
    for other in asked.values():
        other.close()
    model._deadline = 10.0
    assert generate(model, "Hello", max_tokens=1).usage.generated_tokens == 1


@pytest.mark.parametrize("method", ["generate", "choose"])
def test_waiting_for_a_slot_is_counted(hasty: EmbeddedModel, method: str) -> None:
    """A text has the only slot, so that what is asked meanwhile waits until it ends, and is computed only then."""
    model = hasty
    model._deadline = 60.0

    def busy() -> bool:
        with urlopen(f"{model.server.listening_address}/slots") as answer:
            return any(slot["is_processing"] for slot in json.load(answer))

    async def beside_a_text() -> tuple[Usage, float]:
        form = "root ::= [a-z ]{60,90}"
        writing = asyncio.ensure_future(model.generate(request("Once", max_tokens=60, pattern=form)))
        while not await asyncio.to_thread(busy):
            pass
        ended: list[float] = []
        writing.add_done_callback(lambda _: ended.append(time.perf_counter()))
        asked = time.perf_counter()
        match method:
            case "generate":
                usage = (await model.generate(request("LL is", max_tokens=2))).usage
            case _:
                usage = (await model.choose("", ["rest", "read"], caller=CALLER, query="I want to read.")).usage
        assert (await writing).usage.waiting < usage.waiting
        return usage, ended[0] - asked

    usage, held = run(beside_a_text())
    assert held / 2 < usage.waiting < usage.seconds


def test_closing_stops_what_is_under_way() -> None:
    closed = EmbeddedModel.smollm2(slots=1, context=2000, threads=1)

    async def close_meanwhile() -> None:
        writing = asyncio.ensure_future(closed.generate(request("Once", max_tokens=1500, pattern="root ::= [a-z ]*")))
        await asyncio.sleep(0.2)
        closed.close()
        with pytest.raises(ModelError, match="did not answer at /v1/completions"):
            await writing

    before = threading.active_count()
    run(close_meanwhile())
    assert threading.active_count() <= before


def test_files_that_are_no_models(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"model file '.*none\.gguf' does not exist; give the path"):
        EmbeddedModel(tmp_path / "none.gguf")
    (tmp_path / "text.gguf").write_bytes(b"hello")
    with pytest.raises(ValueError, match=r"text\.gguf' is no GGUF file: it begins with b'hell' where b'GGUF'"):
        EmbeddedModel(tmp_path / "text.gguf")
    (tmp_path / "empty.gguf").touch()
    with pytest.raises(ValueError, match="is no GGUF file: it begins with b''"):
        EmbeddedModel(tmp_path / "empty.gguf")
    (tmp_path / "cut.gguf").write_bytes(b"GGUF" + bytes(8))
    with pytest.raises(ValueError, match=r"could not load .*cut\.gguf"):
        EmbeddedModel(tmp_path / "cut.gguf")


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


def test_the_context_is_what_the_file_allows_at_most(model: EmbeddedModel) -> None:
    assert (model.context, model.trained) == (256, 8192)
    with pytest.raises(ValueError, match=r"context must be at most 8192, what SmolLM2.* was trained with, got 8193"):
        EmbeddedModel.smollm2(slots=1, context=8193)


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ({"slots": 0}, "slots must be at least 1, got 0"),
        ({"context": 8}, "context must be at least 16, got 8"),
        ({"threads": 0}, "threads must be at least 1, got 0"),
        ({"deadline": 0}, "deadline must be above 0, got 0"),
    ],
)
def test_numbers_are_checked(option: dict[str, int], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        EmbeddedModel.smollm2(**option)


def test_a_model_that_was_asked_nothing_is_let_go() -> None:
    EmbeddedModel.smollm2(slots=1).close()
