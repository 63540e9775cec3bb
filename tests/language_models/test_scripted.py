import asyncio
import itertools
import json
import math
import re
import subprocess
import sys

import pytest
from mind_schema import GOOD, RANKING, SCHEMA, TIES

from language_models.json_answers import read_object, write_object
from language_models.protocol import Caller, GenerateRequest, LanguageModel, ModelError
from language_models.scripted import ScriptedModel, stable_hash

ADA = Caller(module="action", resident="ada", time=3)
PROMPT = "Place: kitchen\nHere is Ben, who asks about the money.\nAda thinks:"


def generate(model: LanguageModel, prompt: str = PROMPT, **options: object) -> str:
    return asyncio.run(model.generate(GenerateRequest(prompt=prompt, caller=ADA, **options))).text  # type: ignore[arg-type]


def test_the_same_request_has_the_same_answer_in_every_process() -> None:
    code = (
        "import asyncio; from language_models.protocol import Caller, GenerateRequest; "
        "from language_models.scripted import ScriptedModel as S; "
        f"asked = GenerateRequest(prompt={PROMPT!r}, caller=Caller(module='action'), seed=5);"
        "print(asyncio.run(S().generate(asked)).text)"
    )
    other = subprocess.run([sys.executable, "-c", code], env={"PYTHONHASHSEED": "1"}, capture_output=True, text=True)
    assert other.stdout.strip() == generate(ScriptedModel(), seed=5)


def test_stable_hash_does_not_change_between_releases() -> None:
    assert stable_hash("a", 1) == 0x839E11A421D370BE
    assert stable_hash("a", "b") != stable_hash("b", "a")
    assert stable_hash("ab") != stable_hash("a", "b")


def test_the_seed_matters_unless_greedy() -> None:
    assert len({generate(ScriptedModel(), seed=seed) for seed in range(20)}) > 3
    assert len({generate(ScriptedModel(), seed=seed, temperature=0) for seed in range(20)}) == 1


def test_text_comes_from_outputs_then_answers_then_writers() -> None:
    table = [("money", ["I took it.", "Who took it?"]), (".", ["Hm."])]
    writers = {"action": lambda prompt, seed: f"{len(prompt)} {seed}"}
    assert generate(ScriptedModel(writers=writers), seed=4) == f"{len(PROMPT)} 4"
    assert generate(ScriptedModel(answers=table, writers=writers)) in ("I took it.", "Who took it?")
    assert generate(ScriptedModel(answers=table), "Nothing") == "Hm."
    assert generate(ScriptedModel(answers=table, outputs=["Planned."])) == "Planned."


def test_stop_and_max_tokens_cut_the_text() -> None:
    assert generate(ScriptedModel(outputs=["One two.\nThree"]), stop=["\n"]) == "One two."
    assert generate(ScriptedModel(outputs=["One two, three"]), max_tokens=3) == "One two,"
    with pytest.raises(ModelError, match="is empty"):
        generate(ScriptedModel(outputs=["\nThree"]), stop=["\n"])


def test_a_pattern_is_kept_or_the_call_fails() -> None:
    pattern = 'root ::= [A-Z] [a-z ]+ "." "\\n" "(silent)"'
    model = ScriptedModel(writers={"action": lambda prompt, seed: "He waits.\n(silent)"})
    assert generate(model, pattern=pattern) == "He waits.\n(silent)"
    assert generate(ScriptedModel(), pattern=pattern).endswith(".\n(silent)")
    with pytest.raises(ModelError, match=r"module 'action' does not obey the pattern.*change the writer"):
        generate(ScriptedModel(outputs=["He waits."]), pattern=pattern)


def test_choice_does_not_depend_on_the_order_of_options() -> None:
    options = ["go to kitchen", "take the bill", "chat with ben", "wait"]
    seen = set()
    for order in itertools.permutations(options):
        choice = asyncio.run(ScriptedModel().choose(PROMPT, order, caller=ADA))
        assert math.isclose(sum(choice.probabilities), 1)
        assert choice.probabilities[order.index(choice.option)] == max(choice.probabilities)
        seen.add((choice.option, tuple(sorted(zip(order, choice.probabilities, strict=True)))))
    assert len(seen) == 1
    chosen = {asyncio.run(ScriptedModel().choose(f"step {n}", options, caller=ADA)).option for n in range(40)}
    assert chosen == set(options)


def test_scores_are_negative_and_stable() -> None:
    first = asyncio.run(ScriptedModel().score(PROMPT, ["go", "take the bill"], caller=ADA))
    second = asyncio.run(ScriptedModel().score(PROMPT, ["take the bill", "go"], caller=ADA))
    assert first.values == second.values[::-1]
    assert max(first.values) < 0
    assert first.usage.generated_tokens == 4


def test_outputs_serve_every_method_and_run_out() -> None:
    model = ScriptedModel(outputs=["Hello.", "b", [-1.0, -2.5]])

    async def three() -> tuple[object, ...]:
        text = await model.generate(GenerateRequest(prompt="p", caller=ADA))
        choice = await model.choose("p", ["a", "b"], caller=ADA)
        scores = await model.score("p", ["x", "y"], caller=ADA)
        return text.text, choice.option, choice.probabilities, scores.values

    assert asyncio.run(three()) == ("Hello.", "b", (0.0, 1.0), (-1.0, -2.5))
    with pytest.raises(ModelError, match=r"outputs ran out before call 3 \(module 'action', resident 'ada', time 3\)"):
        generate(model)


@pytest.mark.parametrize(
    ("output", "ask", "message"),
    [
        ("c", lambda model: model.choose("p", ["a", "b"], caller=ADA), "'c' is none of the options ['a', 'b']"),
        ([-1.0], lambda model: model.generate(GenerateRequest(prompt="p", caller=ADA)), "[-1.0] is no text"),
        ([-1.0], lambda model: model.score("p", ["a", "b"], caller=ADA), "not the 2 numbers"),
        ("a", lambda model: model.score("p", ["a"], caller=ADA), "not the 1 numbers"),
    ],
)
def test_outputs_of_the_wrong_kind(output: object, ask: object, message: str) -> None:
    with pytest.raises(ModelError) as error:
        asyncio.run(ask(ScriptedModel(outputs=[output])))  # type: ignore[operator, list-item]
    assert message in str(error.value)


def test_failures_are_planted_by_number_or_by_caller() -> None:
    model = ScriptedModel(outputs=["one", "two"], fail_on={1})
    assert generate(model) == "one"
    with pytest.raises(ModelError, match=r"planted failure of scripted call 1") as error:
        generate(model)
    assert error.value.usage.prompt_tokens > 0
    assert error.value.call == -1
    assert generate(model) == "two"
    assert model.calls == 3
    with pytest.raises(ModelError, match="planted failure"):
        generate(ScriptedModel(fail_on=lambda caller, prompt: caller.resident == "ada" and "money" in prompt))


def ask(method: str, *args: object, **options: object) -> object:
    return asyncio.run(getattr(ScriptedModel(), method)("p", *args, caller=ADA, **options))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: GenerateRequest(prompt="p", caller=ADA, max_tokens=0), "max_tokens must be at least 1, got 0"),
        (
            lambda: GenerateRequest(prompt="p", caller=ADA, temperature=-1.0),
            "temperature must be at least 0 (0 is greedy), got -1.0",
        ),
        (lambda: GenerateRequest(prompt="p", caller=ADA, temperature=math.nan), "got nan"),
        (lambda: GenerateRequest(prompt="p", caller=ADA, stop="."), "got the one string '.'"),
        (lambda: ask("choose", []), "options must hold at least one string, got none"),
        (lambda: ask("choose", ["a", "a"]), "options must differ from each other, got 'a' twice"),
        (lambda: ask("choose", ["a", ""]), "options must not hold an empty string"),
        (lambda: ask("choose", "ab"), "got the one string 'ab'"),
        (lambda: ask("choose", ["a"], descriptions=["x", "y"]), "one per option, got 2 for 1 options"),
        (lambda: ask("score", []), "continuations must hold at least one string"),
        (lambda: ScriptedModel(answers=[("(", ["x"])]), "'(' is no regular expression"),
        (lambda: ScriptedModel(answers=[("a", [])]), "answers for 'a' must be a list of at least one text"),
    ],
)
def test_wrong_arguments(call: object, message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        call()  # type: ignore[operator]


def test_an_object_of_a_schema_is_written_by_rule() -> None:
    texts = [generate(ScriptedModel(), schema=SCHEMA, seed=seed) for seed in range(30)]
    assert texts == [generate(ScriptedModel(), schema=SCHEMA, seed=seed) for seed in range(30)]
    found = [read_object(text, SCHEMA) for text in texts]
    assert all(list(one) == list(SCHEMA["properties"]) for one in found)
    assert {one["goal_is"] for one in found} == {"kept", "changed", "reached"}
    assert len({one["action"] for one in found}) > 10
    assert {len(one["plan"]) for one in found} == {1, 2}
    assert any("Ben" in one["thought"] for one in found)
    assert [write_object(one) for one in found] == texts


def test_unique_items_of_an_enum_come_in_a_drawn_order() -> None:
    orders = {
        tuple(read_object(generate(ScriptedModel(), schema=RANKING, seed=seed), RANKING)["order"]) for seed in range(40)
    }
    assert len(orders) > 10
    assert {frozenset(order) for order in orders} == {frozenset(("LL", "MD", "WL", "AY"))}
    read_object(generate(ScriptedModel(), schema=TIES), TIES)


@pytest.mark.parametrize(
    "form",
    [
        {"type": "string", "minLength": 90, "maxLength": 90},
        {"type": "string", "maxLength": 0},
        {"type": "string", "maxLength": 7},
        {"type": "integer", "enum": [3, 5]},
        {"type": "integer", "minimum": -5, "maximum": -5},
        {"type": "array", "items": {"type": "string"}, "minItems": 4},
        {"type": "array", "items": {"type": "string"}, "maxItems": 0},
        {"type": "array", "items": {"type": "string", "enum": ["a", "b", "c"]}, "uniqueItems": True, "maxItems": 2},
    ],
)
def test_objects_by_rule_keep_to_all_bounds(form: dict) -> None:
    schema = {"type": "object", "properties": {"a": form}, "required": ["a"], "additionalProperties": False}
    for seed in range(10):
        read_object(generate(ScriptedModel(), schema=schema, seed=seed), schema)


def test_planned_texts_must_be_objects_of_the_schema() -> None:
    assert generate(ScriptedModel(outputs=[f"```json\n{json.dumps(GOOD)}\n```"]), schema=SCHEMA) == json.dumps(GOOD)
    with pytest.raises(ModelError, match="for module 'action' has no key 'thought'; change the writer") as error:
        generate(ScriptedModel(outputs=["{}"]), schema=SCHEMA)
    assert [attempt.reason for attempt in error.value.usage.attempts] == ["has no key 'thought'"]
