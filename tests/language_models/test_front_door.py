"""What is imported from the root: its examples run, and a backend of one's own has all that a model must have."""

import asyncio
import json
import sys
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

import language_models
from evaluation.commands.cli import main
from evaluation.models.model_list import model_rows
from language_models import (
    BaseModel,
    Caller,
    GenerateRequest,
    Generation,
    ModelError,
    ModelKind,
    Usage,
    find_model,
    load_embedder,
    load_model,
)

CALLER = Caller(module="action", resident="LL")
SCHEMA = {
    "type": "object",
    "properties": {"n": {"type": "integer", "minimum": 1, "maximum": 9}},
    "required": ["n"],
    "additionalProperties": False,
}
OWN = """
from language_models import BaseModel
from language_models.grammar_sampling import sample_grammar

class Mine(BaseModel):
    def __init__(self, temper="calm"):
        self.temper = temper

    async def write(self, request):
        return "I am " + self.temper if request.pattern is None else sample_grammar(request.pattern, request.prompt)

class Silent(BaseModel):
    pass

class Other:
    async def generate(self, request): ...
"""


class Planned(BaseModel):
    """Writes what is planned, one text after the other, and keeps what it was asked."""

    def __init__(self, *texts: str) -> None:
        self.texts = list(texts)
        self.requests: list[GenerateRequest] = []

    def write(self, request: GenerateRequest) -> str:
        self.requests.append(request)
        return self.texts.pop(0)


def generate(model: BaseModel, **settings: object) -> Generation:
    return asyncio.run(model.generate(GenerateRequest(prompt="LL says:", caller=CALLER, **settings)))  # type: ignore[arg-type]


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "own_models.py").write_text(OWN)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.delitem(sys.modules, "own_models", raising=False)


def test_what_the_root_exports_is_there_and_says_what_it_is() -> None:
    for name in language_models.__all__:
        assert getattr(language_models, name).__doc__, name
    assert set(language_models.__all__) <= set(dir(language_models))  # What help() goes through.
    with pytest.raises(AttributeError):
        _ = language_models.nothing


def test_a_text_of_another_form_is_asked_for_again() -> None:
    model = Planned("maybe", "", "yes. And no")
    answer = generate(model, pattern='root ::= "yes" | "no"', stop=["."], seed=5)
    assert (answer.text, answer.usage.retries) == ("yes", 2)
    assert [attempt.reason for attempt in answer.usage.attempts] == ["does not obey the pattern", "is empty"]
    assert [request.seed for request in model.requests] == [5, 6, 7]
    with pytest.raises(ModelError, match=r"asks for action of LL; .*'maybe', .*'root ::= \"yes\"'") as error:
        generate(Planned(*["maybe"] * 3), pattern='root ::= "yes"')
    assert len(error.value.usage.attempts) == 3


def test_every_request_of_a_call_has_a_seed_of_its_own() -> None:
    model = Planned("", "one", "two", "three")
    assert generate(model, samples=3, seed=5).alternatives == ("two", "three")
    assert [request.seed for request in model.requests] == [5, 6, 7, 8]


def test_objects_samples_and_counted_tokens() -> None:
    class Counting(BaseModel):
        async def write(self, request: GenerateRequest) -> Generation:
            return Generation(text=f'Sure: {{"n": "{request.seed}"}}', usage=Usage(prompt_tokens=7, generated_tokens=2))

    answer = generate(Counting(), schema=SCHEMA, samples=3, seed=4)
    assert [json.loads(text) for text in (answer.text, *answer.alternatives)] == [{"n": n} for n in (4, 5, 6)]
    assert (answer.usage.prompt_tokens, answer.usage.generated_tokens, answer.usage.retries) == (21, 6, 0)


def test_a_choice_follows_from_text_and_a_score_does_not() -> None:
    model = Planned('{"choice": "Stay."}')
    choice = asyncio.run(model.choose("It rains.", ["go", "stay"], caller=CALLER, descriptions=["get wet", "keep dry"]))
    assert (choice.option, choice.probabilities) == ("stay", (0.0, 1.0))
    assert "- stay (keep dry)" in model.requests[0].prompt
    with pytest.raises(ModelError, match="no log-probabilities"):
        asyncio.run(model.score("It", [" rains"], caller=CALLER))


def test_one_asks_from_plain_code_and_while_a_loop_runs() -> None:
    async def inside() -> str:
        with load_model("scripted") as model:
            return model.ask("LL sees SG. LL says:", max_tokens=16, seed=1)

    with load_model("scripted") as model:
        assert model.ask("LL sees SG. LL says:", max_tokens=16, seed=1) == asyncio.run(inside())
    model.close()


@pytest.mark.parametrize("request_", [{"think": 5}, {"vocabulary": frozenset({"a"})}])
def test_what_no_text_can_be_held_to_is_refused(request_: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="Planned"):
        generate(Planned("a"), **request_)


@pytest.mark.usefixtures("own")
def test_a_class_of_ones_own_is_loaded_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    spec = find_model("own_models:Mine")
    assert (spec.kind, spec.instructed) == (ModelKind.PLUGIN, True)
    with load_model("own_models:Mine", temper="tired") as model:
        assert (model.ask("How are you?"), model.name) == ("I am tired", "own_models:Mine")
    entry = EntryPoint("mine", "own_models:Mine", "irollan.models")
    monkeypatch.setattr("importlib.metadata.entry_points", lambda group: [entry] if group == entry.group else [])
    assert load_model("mine").ask("How are you?") == "I am calm"
    assert [row.here for row in model_rows() if row.name == "mine"] == [True]
    with pytest.raises(ValueError, match="did you mean 'mine'"):
        load_model("minee")


@pytest.mark.usefixtures("own")
@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("own_models:Silent", "neither write"),
        ("own_models:Other", "no language_models.BaseModel"),
        ("own_models:Nobody", "AttributeError"),
        ("no_such_module:Mine", "ModuleNotFoundError"),
    ],
)
def test_what_is_no_model_is_refused(name: str, message: str) -> None:
    with pytest.raises(ValueError, match=message) as error:
        load_model(name)
    assert name in str(error.value)


def test_unknown_options_are_named() -> None:
    with pytest.raises(ValueError, match=r"'time_out' of openai:.* did you mean 'timeout'"):
        load_model("openai:http://127.0.0.1:1/v1", time_out=3)
    with pytest.raises(ValueError, match=r"'dimensions' of hash: .* did you mean 'dimension'"):
        load_embedder("hash", dimensions=3)


# A whole run with its report, in place of one with each kind of backend.
@pytest.mark.slow
@pytest.mark.usefixtures("own")
def test_a_run_takes_a_class_of_ones_own_and_is_replayed_without_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = str(tmp_path / "run")
    model = ["--model", "own_models:Mine", "--embedder", "hash", "--deliberation", "similarity"]
    assert main(["run", *model, "--steps", "2", "--out", out]) == 0
    (tmp_path / "own_models.py").unlink()
    assert main(["replay", out]) == 0
    assert "identical" in capsys.readouterr().out
