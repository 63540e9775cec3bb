"""Questionnaires: those shipped, files, and classes of Concordia's."""

import tomllib
from importlib.util import find_spec
from types import SimpleNamespace

import pytest
from project import DOCS

from evaluation.interviews.questionnaire import (
    KINDS,
    QuestionnaireError,
    find_questionnaire,
    instruments,
    make_questionnaire,
    read_questions,
)

LIKERT = {"id": "a", "kind": "likert", "text": "Am calm.", "scale": "calm", "points": ["no", "yes"]}
NUMBER = {"id": "b", "kind": "number", "text": "How calm?", "scale": "calm", "minimum": 1, "maximum": 2}
CHOICE = {"id": "c", "kind": "choice", "text": "Who is?", "options": ["LL", "nobody"]}
FREE = {"id": "d", "kind": "free", "text": "Why?"}


def questionnaire(*items, **data):
    return make_questionnaire("q.toml", {"title": "Calm", "scales": {"calm": "Calmness"}, "items": [*items], **data})


@pytest.mark.parametrize(
    ("name", "scales", "turned"),
    [("mini-ipip", {4}, {6, 7, 8, 9, 10, 15, 16, 17, 18, 19, 20}), ("ipip-trust", {10}, {7, 8, 9, 10})],
)
def test_shipped_ones_have_their_published_key_and_say_that_they_are_public_domain(name, scales, turned):
    shipped = find_questionnaire(name)
    assert {len(items) for items in shipped.of_scale.values()} == scales
    assert {int(item.id) for item in shipped.items if item.reversed} == turned
    assert all(len(item.answers) == 5 for item in shipped.items)
    assert shipped.licence == "public domain"
    assert "ipip.ori.org" in shipped.source


def test_every_kind_of_item_has_its_answers_and_values():
    read = questionnaire(LIKERT, NUMBER, CHOICE, FREE, {**CHOICE, "id": "e", "scale": "calm", "values": [2, 1]})
    assert [(item.answers, item.values) for item in read.items] == [
        (["no", "yes"], [1, 2]),
        (["1", "2"], [1, 2]),
        (["LL", "nobody"], []),
        ([], []),
        (["LL", "nobody"], [2, 1]),
    ]
    fine = questionnaire({**NUMBER, "minimum": -1, "maximum": 1, "step": 0.1, "reversed": True}).items[0]
    assert fine.answers[:2] == ["-1", "-0.9"]
    assert len(fine.answers) == 21
    assert fine.turned(-0.9) == pytest.approx(0.9)


@pytest.mark.parametrize(
    ("items", "data", "message"),
    [
        ([LIKERT], {"instruction": "?"}, "unknown key 'instruction'; did you mean 'instructions'"),
        ([LIKERT], {"title": 3}, "title: .* got '3'"),
        ([], {}, "items"),
        ([3], {}, "item 1: .* got '3'"),
        ([{**LIKERT, "kind": "likrt"}], {}, "item 'a' is of the kind 'likrt': .* did you mean 'likert'"),
        ([{"id": "a", "text": "?"}], {}, "item 'a' lacks 'kind'"),
        ([{**LIKERT, "scal": "calm"}], {}, "item 'a' has an unknown key 'scal'; did you mean 'scale'"),
        ([{key: value for key, value in LIKERT.items() if key != "scale"}], {}, "item 'a' lacks 'scale'"),
        ([{**LIKERT, "scale": "clam"}], {}, "item 'a' is of the scale 'clam', .* did you mean 'calm'"),
        ([{**LIKERT, "points": None}], {}, "item 'a' lacks 'points'"),
        ([{**LIKERT, "points": ["no", "no"]}], {}, "item 'a' has an answer twice"),
        ([{**LIKERT, "reversed": "yes"}], {}, "item 'a': reversed: .* got 'yes'"),
        ([LIKERT, {**NUMBER, "id": "a"}], {}, "two items have the id 'a'"),
        ([LIKERT, FREE], {"scales": {"calm": "Calm", "glad": "Glad"}}, "the scale 'glad' has no item"),
        ([LIKERT, {**NUMBER, "maximum": 9}], {}, "one range of values, got 1 to 2, 1 to 9"),
        ([{**NUMBER, "maximum": 0}], {}, "item 'b' must have from 2 to 101 numbers"),
        ([{**NUMBER, "maximum": 1e300}], {}, "item 'b' must have from 2 to 101 numbers"),
        ([{**NUMBER, "maximum": float("nan")}], {}, "item 'b': maximum"),
        ([LIKERT, {**CHOICE, "scale": "calm"}], {}, "item 'c' is of a scale, and lacks 'values'"),
        ([LIKERT, {**CHOICE, "values": [1]}], {}, "item 'c' must have a value for each of its 2 options"),
        ([LIKERT, {**FREE, "scale": "calm"}], {}, "item 'd': scale"),
    ],
)
def test_what_is_wrong_with_a_file_is_named_with_its_item_and_key(items, data, message):
    with pytest.raises(QuestionnaireError, match=f"q.toml: .*{message}") as refused:
        questionnaire(*items, **data)
    assert len(refused.value.faults) == 1


def test_all_faults_are_told():
    with pytest.raises(QuestionnaireError) as refused:
        questionnaire({**LIKERT, "scale": "clam"}, {**NUMBER, "id": "a"}, {**FREE, "id": "a"})
    assert len(refused.value.faults) == 3


def test_the_example_of_the_page_is_one():
    example = (DOCS / "questionnaires.md").read_text(encoding="utf-8").partition("```toml\n")[2].partition("```")[0]
    read = make_questionnaire("the page", tomllib.loads(example))
    assert {item.kind for item in read.items} == set(KINDS)


@pytest.mark.parametrize("name", ["mini-ipp", "nowhere.toml", "nowhere:Class", "collections:Counter"])
def test_a_name_that_stands_for_nothing_is_refused(name):
    with pytest.raises(ValueError, match=name):
        find_questionnaire(name)
    assert "mini-ipip" in instruments()


def test_a_questionnaire_in_the_form_of_concordias_is_read():
    def question(**data):
        return SimpleNamespace(**{"preprompt": "", "choices": None, "dimension": "ease", **data})

    agrees = ["{player_name} does not agree", "{player_name} agrees"]
    questions = [
        question(statement="At ease.", choices=agrees, ascending_scale=True, preprompt="Does {player_name} agree:"),
        question(statement="I worry.", choices=agrees, ascending_scale=False),
        question(statement="Why?"),
    ]
    made = {"name": "At_ease", "description": "Ease.", "context": "", "default_preprompt": "Say:"}
    read = read_questions("mine:Ease", SimpleNamespace(**made, questions=questions))
    assert [item.text for item in read.items] == [
        "Does {resident} agree: At ease.",
        "Say: I worry.",
        "Say: Why?",
    ]
    assert [item.reversed for item in read.items] == [False, True, False]
    assert read.of_scale["ease"] == read.items[:2]
    assert read.items[0].answers[1] == "{resident} agrees"


@pytest.mark.skipif(find_spec("concordia") is None, reason="gdm-concordia is not installed")
def test_concordias_own_questionnaire_is_read():
    module = "concordia.contrib.data.questionnaires.depression_anxiety_stress_scale"
    read = find_questionnaire(f"{module}:DASSQuestionnaire")
    assert set(read.scales) == {"anxiety", "depression", "stress"}
    assert all(len(item.answers) == 4 for item in read.items)
