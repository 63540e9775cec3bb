"""The world's words are told in plain English, by example and over a random life."""

from __future__ import annotations

import pytest
from plain_english import wrong_with
from random_life import random_life

from itcma_s.deliberation.llm_policy.outcome import Done, outcome
from itcma_s.deliberation.plain_words import (
    past,
    plainly,
)

PLAIN = {
    "You take the food 5 from the foodshelf 3.": "You take food 5 from the food shelf.",
    "You go to Public Canteen.": "You go to the canteen.",
    "You go to outside.": "You go outside.",
    "AY goes to LL's Home.": "AY goes to LL's house.",
    "AY goes to MD's Home.": "AY goes to your house.",
    "AY puts the book 1 in/on bookshelf 2.": "AY puts book 1 on the bookshelf.",
    "You put the MD's clothes 1 in/on wardrobe 4.": "You put your clothes 1 on the wardrobe.",
    "AY uses the food 5.": "AY eats food 5.",
    "AY uses beefsteak.": "AY eats the beefsteak.",
    "AY uses bed 3.": "AY rests on the bed.",
    "using the beverage 2": "drinking beverage 2",
    "using chair 3": "sitting on the chair",
    "using LL's clothes 1": "wearing LL's clothes 1",
    "AY hands you food 6.": "AY hands you food 6.",
}


@pytest.mark.parametrize(("text", "plain"), PLAIN.items())
def test_the_worlds_words_in_plain_ones(text: str, plain: str) -> None:
    assert plainly(text, "MD") == plain


@pytest.mark.parametrize("seed", range(1))
def test_deeds_and_outcomes_of_a_random_life_are_plain_english(seed: int) -> None:
    lines, place = 0, {}
    for observation, wanted in random_life(seed):
        me = observation.resident
        texts = [past(plainly(event.describe(me, observation.places), me)) for event in observation.events]
        done = Done(action=wanted, place=place.get(me, observation.place)) if observation.outcome else None
        if told := outcome(done, observation, observation.company):
            texts.append(told)
        place[me] = observation.place
        for text in texts:
            lines += 1
            assert wrong_with(text, me) == [], text
            assert "\n" not in text
            assert text.endswith((".", "!", "?", "time in a row."))
    assert lines > 200
