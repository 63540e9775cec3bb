"""Furniture and places are called as people call them; things that their numbers tell apart keep these."""

from __future__ import annotations

import pytest

from irollan_env.world.nouns import without_numbers
from irollan_env.world.observation import mood


@pytest.mark.parametrize(
    ("text", "called"),
    [
        ("put beefsteak on stoveburner 2", "put the beefsteak on the stove"),
        ("took food 1 from foodshelf 1", "took food 1 from the food shelf"),
        ("went to LL's Home", "went to LL's house"),
        ("went to Public Canteen", "went to the canteen"),
        ("took 10 dollar from table 16", "took the dollar bill from the table"),
    ],
)
def test_names_as_people_say_them(text: str, called: str) -> None:
    assert without_numbers(text) == called


def test_the_mood_has_one_scale() -> None:
    assert [mood(topic) for topic in (-0.06, 0.0, 0.05, 0.35, 0.65)] == ["tense", "flat", "calm", "friendly", "lively"]
