"""What is counted of the small model's texts, and that it is measured in lives."""

import json

import pytest

from benchmarks.__main__ import main
from benchmarks.models.writer import Written, free_grammar, measurements
from language_models.grammar_sampling import sample_grammar


def text(thought, words="", *, partner="", asked=1, replaced=False):
    return Written(
        time=0,
        resident="LL",
        partner=partner,
        thought=thought,
        words=words,
        goal="",
        prompt="",
        pattern="",
        asked=asked,
        replaced=replaced,
    )


def test_what_was_written_again_or_before_is_counted():
    texts = [
        text("I go out."),
        text("I go out.", asked=2),
        text("I greet AY.", "Hello, AY.", partner="AY", asked=3, replaced=True),
        text("I greet SG.", "Hello.", partner="SG"),
        text("I greet AY again.", "Hello, AY.", partner="AY"),
    ]
    found = {one.name: one.value for one in measurements(texts)}
    assert found == {
        "thoughts": 5,
        "lines": 3,
        "written again": pytest.approx(2 / 5),
        "replaced": pytest.approx(1 / 5),
        "thoughts that were had before": pytest.approx(1 / 5),
        "lines said to the same person before": pytest.approx(1 / 3),
    }


def test_free_writing_has_the_form_alone():
    assert sample_grammar(free_grammar("LL", "AY"), 1).startswith("LL thinks: ")
    assert '\nLL says to AY: "' in sample_grammar(free_grammar("LL", "AY"), 1)
    assert "says" not in sample_grammar(free_grammar("LL", ""), 1)


def test_lives_are_measured(capsys):
    arguments = ["--model", "scripted", "--seed", "1", "--steps", "2", "--compared", "2", "--json"]
    assert main(["writer", *arguments]) == 0
    found = {one["name"]: one for one in json.loads(capsys.readouterr().out)["measurements"]}
    assert found["thoughts"]["value"] == 12
    assert found["processor time of a text, to that of one written freely"]["value"] > 0
