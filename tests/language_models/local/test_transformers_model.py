import asyncio
import shutil
import time
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch")

import torch
from model_calls import CALLER, generate, request
from tiny_model import WORDS, save_tiny_model

from language_models.local.transformers_model import TransformersModel
from language_models.protocol import ModelError, ModelUnavailable
from language_models.registry import describe_model, find_model


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("tiny")
    save_tiny_model(path)
    return path


@pytest.fixture(scope="module")
def model(folder: Path) -> Any:
    found = find_model(f"transformers:{folder}")
    assert found.path == folder
    loaded = found.build(device="cpu")
    assert loaded.name == describe_model(f"transformers:{folder}").recorded_name == f"transformers:{folder.name}"
    yield loaded
    loaded.close()


def test_texts_follow_from_the_seed_and_leave_the_global_generator_alone(model: TransformersModel) -> None:
    state = torch.random.get_rng_state()
    first, again, other = (generate(model, "I want to", max_tokens=6, seed=seed, samples=2) for seed in (3, 3, 4))
    assert (first.text, first.alternatives) == (again.text, again.alternatives)
    assert first.text != other.text
    assert (torch.random.get_rng_state() == state).all()
    assert first.usage.prompt_tokens == 3
    assert first.usage.seconds > first.usage.waiting >= 0


def test_scores_are_log_probabilities(model: TransformersModel) -> None:
    single = [f" {word}" for word in WORDS]
    scores = asyncio.run(model.score("I want to", single, caller=CALLER)).values
    assert sum(torch.tensor(scores, dtype=torch.float64).exp()) == pytest.approx(1.0, abs=1e-6)
    both = asyncio.run(model.score("I want to", [" read book"], caller=CALLER)).values[0]
    first = asyncio.run(model.score("I want to", [" read"], caller=CALLER)).values[0]
    second = asyncio.run(model.score("I want to read", [" book"], caller=CALLER)).values[0]
    assert both == pytest.approx(first + second, abs=1e-4)


def test_several_texts_score_as_each_does_alone_and_the_prompt_is_read_once(model: TransformersModel) -> None:
    texts = [" read the book", " go", " read a house ."]
    together = asyncio.run(model.score("I want to", texts, caller=CALLER))
    alone = [asyncio.run(model.score("I want to", [text], caller=CALLER)).values[0] for text in texts]
    assert together.values == pytest.approx(alone, abs=1e-5)
    usage = together.usage
    assert (usage.prompt_tokens, usage.cached_tokens, usage.generated_tokens) == (9, 6, 8)


def test_a_conversation_begins_with_one_mark(folder: Path, tmp_path: Path) -> None:
    """Templates write the first token of a text themselves, and tokenizers would put another before it."""
    from tokenizers import processors
    from transformers import PreTrainedTokenizerFast

    shutil.copytree(folder, tmp_path / "chat")
    tokenizer: Any = PreTrainedTokenizerFast.from_pretrained(folder)
    tokenizer.backend_tokenizer.post_processor = processors.TemplateProcessing(
        single="[EOS] $A", special_tokens=[("[EOS]", 1)]
    )
    tokenizer.chat_template = "{{ eos_token }}{{ messages[0]['content'] }}"
    tokenizer.save_pretrained(tmp_path / "chat")
    talking = TransformersModel(tmp_path / "chat", device="cpu")
    answer = generate(talking, "I want to", max_tokens=6, seed=3)
    talking.close()
    assert answer.usage.prompt_tokens == 4


def test_a_choice_is_one_of_the_options_in_any_order(model: TransformersModel) -> None:
    options = ["go", "stay", "read a book"]
    one = asyncio.run(model.choose("I want to", options, caller=CALLER))
    other = asyncio.run(model.choose("I want to", options[::-1], caller=CALLER))
    assert one.option == other.option in options
    assert one.probabilities == pytest.approx(other.probabilities[::-1])
    assert sum(one.probabilities) == pytest.approx(1.0)


def test_what_does_not_obey_is_asked_for_again_and_then_fails(model: TransformersModel) -> None:
    pattern = 'root ::= "never so"'
    with pytest.raises(ModelError, match="gave no usable text in 3 asks") as error:
        generate(model, "I want to", max_tokens=3, pattern=pattern)
    usage = error.value.usage
    assert usage.retries == 2
    assert [(one.kind, one.reason) for one in usage.attempts] == [("unusable", "does not obey the pattern")] * 3
    assert all(one.text for one in usage.attempts)


@pytest.mark.parametrize("method", ["generate", "choose", "score"])
def test_the_deadline_stops_a_call_and_frees_the_worker(folder: Path, method: str) -> None:
    model = TransformersModel(folder, device="cpu", deadline=0.1)
    model._context = None
    steps = []
    decode = model._model.forward

    def slow(*arguments: Any, **options: Any) -> Any:
        time.sleep(0.02)
        steps.append(1)
        return decode(*arguments, **options)

    model._model.forward = slow
    many = [f" go stay {n}" for n in range(500)]
    asked = {
        "generate": lambda: model.generate(request("I want to", max_tokens=500, pattern='root ::= "never so"')),
        "choose": lambda: model.choose("I want to", many, caller=CALLER),
        "score": lambda: model.score("I want to", many, caller=CALLER),
    }
    with pytest.raises(
        ModelUnavailable, match=r"gave no answer within its deadline of 0\.1 s, and was stopped; end other"
    ):
        asyncio.run(asked[method]())
    model.close()
    assert len(steps) < 50


def test_more_than_the_model_reads_is_refused_and_not_cut(model: TransformersModel) -> None:
    longest = model._context
    assert longest is not None
    for asked in (
        model.choose("go " * longest, ["go", "stay"], caller=CALLER),
        model.generate(request("go " * (longest - 5), max_tokens=6)),
    ):
        with pytest.raises(ModelUnavailable, match=rf"reads at most {longest} tokens, and this takes \d+; use a model"):
            asyncio.run(asked)


def test_what_is_no_model(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="there is no such folder"):
        find_model(f"transformers:{tmp_path / 'nowhere'}")
    with pytest.raises(FileNotFoundError, match=r"has no config\.json"):
        TransformersModel(tmp_path)
    (tmp_path / "config.json").write_text("{}")
    with pytest.raises(FileNotFoundError, match="no model that transformers reads"):
        TransformersModel(tmp_path)


@pytest.mark.parametrize("template", ["{% for %}", "{{ messages[0].nothing.at_all }}", "{{ raise_exception('no') }}"])
def test_a_broken_chat_template_is_named_before_a_run_begins(folder: Path, tmp_path: Path, template: str) -> None:
    shutil.copytree(folder, tmp_path / "broken")
    (tmp_path / "broken" / "chat_template.jinja").write_text(template)
    message = r"the chat template of .*broken cannot be used: \w+: .*; correct chat_template in"
    with pytest.raises(ModelUnavailable, match=message) as error:
        TransformersModel(tmp_path / "broken")
    assert "\n" not in str(error.value)
