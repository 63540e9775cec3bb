"""How one feels is told with what made it so, and nothing of how it was computed."""

from __future__ import annotations

import itertools

import pytest
from plain_english import wrong_with
from scenes import observe

from itcma_s.deliberation.feeling_in_words import feeling, standing

CALM = (0.0, 0.0, 0.0)


@pytest.mark.parametrize(
    ("pleasure", "causes", "before", "told"),
    [
        (0.6, {"AY answered": 0.4, "filtered": -0.1}, 0.0, ", better than before, since AY answered you,"),
        (-0.4, {"filtered": -0.4}, 0.0, ", worse than before, since you were held back,"),
        (0.2, {}, 0.9, "You feel content and calm, and have"),  # a turn for the worse needs a cause
        (0.7, {"gained resources": 0.4}, 0.0, "since the others think more of you,"),
        (
            0.7,  # at most two, the greatest first
            {"met AY": 0.2, "AY spoke to me": 0.5, "was given food 6 by WL": 0.4},
            0.0,
            "since AY spoke to you and you were given food 6 by WL,",
        ),
    ],
)
def test_a_turn_is_told_with_its_causes(pleasure: float, causes: dict[str, float], before: float, told: str) -> None:
    assert told in feeling((pleasure, 0.0, 0.0), 0.0, causes, (before, 0.0, 0.0))


@pytest.mark.parametrize(
    ("driver", "said"),
    [(-2.0, "a wish"), (-0.2, "no great urge"), (0.2, "no great urge"), (0.5, "an urge"), (9.0, "a strong urge")],
)
def test_the_driver_is_told_in_every_step(driver: float, said: str) -> None:
    assert f", and have {said}" in feeling(CALM, driver, {}, CALM)


TERMS = (
    "came to Public Canteen for the first time",
    "came to outside for the first time",
    "met AY",
    "saw new things",
    "AY spoke to me",
    "AY ignored me",
    "AY answered",
    "was given food 6 by WL",
    "came nearer to the goal",
    "reached the goal to Meet AY (soon)",
    "filtered",
    "refused",
    "gained resources",
    "lost resources",
)


def test_every_cause_is_told_in_plain_words() -> None:
    for term, value, now in itertools.product(TERMS, (-0.4, 0.4), (-0.9, 0.0, 0.3)):
        text = feeling((now, 0.5, 0.5), now, {term: value}, CALM)
        assert wrong_with(text, "MD") == [], text
        assert "goal" not in text
        assert text.startswith("You feel ")


@pytest.mark.parametrize(
    ("resources", "said"),
    [(6.0, "much"), (4.9, "well"), (1.0, "neither well nor ill"), (-2.9, "little"), (-24.0, "hardly")],
)
def test_what_one_counts_for(resources: float, said: str) -> None:
    assert said in standing(observe(resources=resources))


@pytest.mark.parametrize(
    ("topic", "mood"), [(-0.5, "tense"), (0.0, "flat"), (0.2, "calm"), (0.5, "friendly"), (0.9, "lively")]
)
def test_the_mood_of_a_place(topic: float, mood: str) -> None:
    assert standing(observe(topic=topic, people=("AY",))) == f"The mood here is {mood}."


def test_a_habit_is_told_where_it_stands_out() -> None:
    habitus = {"chat with AY: ...": 0.7, "use chair 3": 0.1, "go to outside": 0.2}
    assert standing(observe(habitus=habitus)) == "In moments like this you are inclined to talk."
    assert standing(observe(habitus={"chat with AY: ...": 0.36, "use chair 3": 0.32, "go to outside": 0.32})) == ""
    assert standing(observe(habitus={"chat with AY: ...": 1.0})) == standing(observe()) == ""
