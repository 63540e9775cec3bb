"""How one feels is told with what made it so, and nothing of how it was computed."""

from __future__ import annotations

import itertools

import pytest
from plain_english import wrong_with
from scenes import observe

from itcma_s.deliberation.feeling_in_words import feeling, standing

CALM = (0.0, 0.0, 0.0)


def test_calm_and_without_cause() -> None:
    assert feeling(CALM, 0.0, {}, CALM) == "You feel calm, and have no great urge to act."


def test_a_turn_for_the_better_is_told_with_what_made_it_so() -> None:
    text = feeling((0.6, 0.2, 0.0), 0.0, {"AY answered": 0.4, "filtered": -0.1}, CALM)
    assert (
        text == "You feel happy and curious, better than before, since AY answered you, and have no great urge to act."
    )


def test_a_turn_for_the_worse_needs_a_cause() -> None:
    assert feeling((-0.4, 0.0, 0.0), 0.0, {"filtered": -0.4}, CALM) == (
        "You feel unhappy and calm, worse than before, since you were held back, and have no great urge to act."
    )
    assert (
        feeling((0.2, 0.0, 0.0), 0.0, {}, (0.9, 0.0, 0.0))
        == "You feel content and calm, and have no great urge to act."
    )


def test_at_most_two_causes_the_greatest_first() -> None:
    causes = {"met AY": 0.2, "AY spoke to me": 0.5, "was given food 6 by WL": 0.4}
    assert "since AY spoke to you and you were given food 6 by WL," in feeling((0.7, 0.0, 0.0), 0.0, causes, CALM)


def test_what_is_small_or_of_every_step_is_passed_over() -> None:
    causes = {"gained resources": 0.2, "saw new things": 0.05}
    assert "since" not in feeling((0.7, 0.0, 0.0), 0.0, causes, CALM)
    assert "since the others think more of you," in feeling((0.7, 0.0, 0.0), 0.0, {"gained resources": 0.4}, CALM)


@pytest.mark.parametrize(
    ("driver", "said"),
    [
        (-2.0, "a wish to rest"),
        (-0.2, "no great urge"),
        (0.2, "no great urge"),
        (0.5, "an urge"),
        (9.0, "a strong urge"),
    ],
)
def test_the_driver_is_told_in_every_step(driver: float, said: str) -> None:
    assert f", and have {said}" in feeling(CALM, driver, {}, CALM)


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
    ("resources", "said"),
    [
        (6.0, "think much of you"),
        (4.9, "think well of you"),
        (1.0, "think neither well nor ill of you"),
        (-2.9, "think little of you"),
        (-24.0, "hardly notice you"),
    ],
)
def test_what_one_counts_for(resources: float, said: str) -> None:
    assert standing(observe(resources=resources)) == f"The others {said}."


@pytest.mark.parametrize(
    ("topic", "mood"), [(-0.5, "tense"), (0.0, "flat"), (0.2, "calm"), (0.5, "friendly"), (0.9, "lively")]
)
def test_the_mood_of_a_place(topic: float, mood: str) -> None:
    assert standing(observe(topic=topic, people=("AY",))) == f"The mood here is {mood}."


def test_a_habit_is_told_where_it_stands_out() -> None:
    habitus = {"chat with AY: ...": 0.7, "use chair 3": 0.1, "go to outside": 0.2}
    assert standing(observe(habitus=habitus)) == "In moments like this you are inclined to talk."
    assert standing(observe(habitus={"chat with AY: ...": 0.36, "use chair 3": 0.32, "go to outside": 0.32})) == ""
    assert standing(observe(habitus={"chat with AY: ...": 1.0})) == ""


def test_all_of_section_4_in_one_sentence() -> None:
    seen = observe(topic=0.4, resources=3.0, habitus={"chat with AY: ...": 0.8, "use chair 3": 0.2})
    assert standing(seen) == (
        "The mood here is friendly; the others think well of you; in moments like this you are inclined to talk."
    )
