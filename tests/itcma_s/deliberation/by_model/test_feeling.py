"""How one feels is told with what made it so, and nothing of how it was computed."""

from __future__ import annotations

import itertools

import pytest
from plain_english import wrong_with
from scenes import observe

from itcma_s.deliberation.by_model.feeling import feeling, standing

CALM = (0.0, 0.0, 0.0)


def test_calm_and_without_cause() -> None:
    assert feeling(CALM, 0.0, {}, CALM) == "You feel calm."


def test_a_turn_for_the_better_is_told_with_what_made_it_so() -> None:
    text = feeling((0.6, 0.2, 0.0), 0.0, {"AY answered": 0.4, "filtered": -0.1}, CALM)
    assert text == "You feel happy and curious, better than before, since AY answered you."


def test_a_turn_for_the_worse_needs_a_cause() -> None:
    assert feeling((-0.4, 0.0, 0.0), 0.0, {"filtered": -0.4}, CALM) == (
        "You feel unhappy and calm, worse than before, since you were held back."
    )
    assert feeling((0.2, 0.0, 0.0), 0.0, {}, (0.9, 0.0, 0.0)) == "You feel content and calm."


def test_at_most_two_causes_the_greatest_first() -> None:
    causes = {"met AY": 0.2, "AY spoke to me": 0.5, "was given food 6 by WL": 0.4}
    assert feeling((0.7, 0.0, 0.0), 0.0, causes, CALM).endswith(
        "since AY spoke to you and you were given food 6 by WL."
    )


def test_what_is_small_or_of_every_step_is_passed_over() -> None:
    causes = {"gained resources": 0.2, "saw new things": 0.05}
    assert "since" not in feeling((0.7, 0.0, 0.0), 0.0, causes, CALM)
    assert feeling((0.7, 0.0, 0.0), 0.0, {"gained resources": 0.4}, CALM).endswith(
        "since the others think more of you."
    )


def test_the_driver_is_felt_where_it_is_strong() -> None:
    assert "restless" in feeling(CALM, 0.5, {}, CALM)
    assert "taking your time" in feeling(CALM, -0.5, {}, CALM)
    assert feeling(CALM, 0.2, {}, CALM) == "You feel calm."


TERMS = {
    "came to Public Canteen for the first time": 0.3,
    "came to outside for the first time": 0.3,
    "met AY": 0.5,
    "saw new things": 0.3,
    "AY spoke to me": 0.2,
    "AY ignored me": -0.3,
    "AY answered": 0.4,
    "was given food 6 by WL": 0.5,
    "came nearer to the goal": 0.3,
    "reached the goal to Meet AY (soon)": 0.8,
    "filtered": -0.4,
    "refused": -0.2,
    "gained resources": 0.4,
    "lost resources": -0.4,
}


def test_every_cause_is_told_in_plain_words() -> None:
    for (term, value), now in itertools.product(TERMS.items(), (-0.9, -0.3, 0.0, 0.3, 0.9)):
        text = feeling((now, 0.5, 0.5), now, {term: value}, CALM)
        assert wrong_with(text, "MD") == [], text
        assert "goal" not in text
        assert text.startswith("You feel ")


def test_nothing_is_told_without_the_framework() -> None:
    assert standing(observe()) == ""


@pytest.mark.parametrize(
    ("resources", "said"), [(6.0, "think much"), (-4.0, "take little notice"), (0.0, ""), (4.9, ""), (-2.9, "")]
)
def test_what_one_counts_for(resources: float, said: str) -> None:
    text = standing(observe(resources=resources))
    assert (said in text) if said else text == ""


@pytest.mark.parametrize(("topic", "mood"), [(-0.5, "tense"), (0.2, "calm"), (0.5, "friendly"), (0.9, "lively")])
def test_the_mood_of_a_place_is_that_of_company(topic: float, mood: str) -> None:
    assert standing(observe(topic=topic, people=("AY",))) == f"The mood here is {mood}."
    assert standing(observe(topic=topic)) == ""
    assert standing(observe(topic=0.01, people=("AY",))) == ""


def test_a_habit_is_told_where_it_stands_out() -> None:
    habitus = {"chat with AY: ...": 0.7, "use chair 3": 0.1, "go to outside": 0.2}
    assert standing(observe(habitus=habitus)).endswith("you have mostly talked before.")
    assert standing(observe(habitus={"chat with AY: ...": 0.4, "use chair 3": 0.3, "go to outside": 0.3})) == ""
    assert standing(observe(habitus={"chat with AY: ...": 1.0})) == ""
