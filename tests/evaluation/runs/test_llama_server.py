"""An address that is no stand-in: llama.cpp's own server with the OpenAI API, on loopback, with the default model."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys

import pytest
from mind_schema import SCHEMA
from project import ROOT

from evaluation.commands.cli import main
from language_models.json_answers import read_object, write_object
from language_models.json_grammar import shortened
from language_models.protocol import Caller, GenerateRequest, ModelError
from language_models.remote.openai_compatible import OpenAICompatible

# The server loads the model and answers a request at a time.
pytestmark = pytest.mark.slow

CALLER = Caller(module="test")
OPTIONS = ("go to the kitchen and eat", "read book 1", "sleep in bed 2")


@pytest.fixture(scope="module")
def url():
    command = [sys.executable, "examples/llama_server.py", "--port", "0", "--threads", "1"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        said = server.stdout.readline().strip()
        yield said.removeprefix("openai:")
        server.terminate()


def ask(url, method, *arguments, **options):
    settings = {key: options.pop(key) for key in ("choosing", "endpoint", "grammar_field") if key in options}

    async def once():
        async with OpenAICompatible(url, api_key="", **settings) as model:
            if method == "generate":
                return await model.generate(GenerateRequest(prompt=arguments[0], caller=CALLER, **options))
            return await getattr(model, method)(*arguments, caller=CALLER, **options)

    return asyncio.run(once())


def test_the_command_tries_it(url, tmp_path, capsys):
    file = tmp_path / "models.toml"
    file.write_text(f'name = "openai:{url}"\n[options."openai:{url}"]\ngrammar_field = "grammar"\n')
    assert main(["models", "test", str(file), "--json"]) == 0
    trials = {trial["what"]: trial for trial in json.loads(capsys.readouterr().out)["trials"]}
    assert [what for what, trial in trials.items() if trial["works"]] == [
        "serves",
        "answers",
        "keeps to a form",
        "is held to a form",
        "chooses",
        "gives top_logprobs",
        "is held to a schema",
        "answers six at once",
    ]
    assert "does not score" in trials["gives log-probabilities"]["result"]
    assert "tokens a second" in trials["answers"]["result"]


def test_what_a_small_model_cannot_do_by_itself_is_said_with_a_remedy(url):
    with pytest.raises(
        ModelError, match=r'does not obey the pattern; .*; where the server .* grammar_field = "grammar"'
    ):
        ask(url, "generate", "The sky is", pattern='root ::= "zzz"', max_tokens=4)


@pytest.mark.parametrize(
    "settings", [{}, {"choosing": "structured"}, {"choosing": "logprobs", "endpoint": "completions"}]
)
def test_it_chooses_one_of_the_options(url, settings):
    choice = ask(url, "choose", "I am hungry. What do I do?", OPTIONS, **settings)
    assert choice.option in OPTIONS
    assert sum(choice.probabilities) == pytest.approx(1)
    # By itself, it is asked by letters for so few.
    assert (max(choice.probabilities) == 1) == (settings.get("choosing") == "structured")
    assert choice.usage.prompt_tokens > 20


def test_of_many_options_a_schema_tells_the_one(url):
    options = [f"go to house {number}" for number in range(21)]
    choice = ask(url, "choose", "I am hungry. What do I do?", options, choosing="logprobs+structured")
    assert sorted(choice.probabilities) == [0.0] * 20 + [1.0]


@pytest.mark.parametrize("settings", [{}, {"grammar_field": "grammar"}], ids=["schema", "grammar"])
def test_it_is_held_to_an_object_of_a_schema(url, settings):
    # What is open is short, so that a small model comes to an end.
    schema = shortened(SCHEMA, 200)
    for seed in range(2):
        prompt = "You are LL. MD asks you to come to the canteen. What do you do?"
        written = ask(url, "generate", prompt, schema=schema, max_tokens=300, seed=seed, **settings)
        assert written.text == write_object(read_object(written.text, schema))
        assert written.usage.attempts == ()


def test_it_takes_a_grammar_and_counts_what_is_cached(url):
    prompt = "LL sits in the garden of the valley and thinks about the day. " * 4
    options = {"pattern": 'root ::= "LL is " ("glad" | "tired") "."', "grammar_field": "grammar", "max_tokens": 12}
    first, second = (ask(url, "generate", prompt, seed=seed, **options) for seed in (0, 1))
    assert {first.text, second.text} <= {"LL is glad.", "LL is tired."}
    assert second.usage.cached_tokens > 40
