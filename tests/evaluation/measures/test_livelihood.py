"""Measures of livelihood by hand: hunger, what people have, and occupations."""

from __future__ import annotations

import math
from typing import Any

import pytest
from social_scenes import record

from evaluation.measures.data_frames import actions
from evaluation.measures.livelihood import hardship, occupation, occupations, property_inequality

HOMES = {"AY": "AY's Home", "SG": "AY's Home", "LL": "LL's Home"}


def thing(name: str, *, held: bool = False, **more: Any) -> dict[str, Any]:
    return {"name": name, "kind": "item", "held": held, **more}


def test_hunger_and_being_out() -> None:
    levels = {"AY": [0.5, 0.8, 0.9, 0.2], "SG": [0.1, 0.2, 0.3, 0.4]}
    records = [
        record(time, name, needs={"hunger": level}, variables={"out": 1.0} if level == 0.9 else {})
        for name, felt in levels.items()
        for time, level in enumerate(felt)
    ]
    table = hardship(actions(records))
    assert table.loc["AY"].to_dict() == {"went_hungry": 1, "hungry_steps": 0.5, "went_out": 1}
    assert table.loc["SG"].to_dict() == {"went_hungry": 0, "hungry_steps": 0, "went_out": 0}
    assert hardship(actions([record()])).isna().all(axis=None)


def test_what_people_have_is_held_or_in_the_home_that_they_began_in() -> None:
    records = [record(0, name, place=home, percepts=[thing("food 9")]) for name, home in HOMES.items()]
    records += [
        record(1, "AY", place="AY's Home", percepts=[thing("food 1"), thing("food 2"), thing("coin 1", held=True)]),
        record(1, "SG", place="outside", percepts=[thing("apple 1", held=True), thing("food 3")]),
        record(1, "LL", "use apple 2", place="outside", result="You use the apple 2. It eases your hunger."),
    ]
    # Food: AY 1 (half of two), SG 1 + 1, as apples are eaten, LL 1, last seen in LL's Home. Coins: AY 1.
    found = property_inequality(actions(records))
    assert found == pytest.approx({"gini_food": (1 + 0 + 1) / (2 * 4), "gini_coins": 1.0})
    assert all(map(math.isnan, property_inequality(actions([record(), record(0, "SG")])).values()))
    # A pile counts with all its things.
    piles = [
        record(0, "AY", place="AY's Home", percepts=[thing("coin 1", held=True, count=30), thing("coin 2", count=10)])
    ]
    piles += [record(0, "SG", place="SG's Home", percepts=[thing("coin 3", held=True, count=20)])]
    assert property_inequality(actions(piles))["gini_coins"] == pytest.approx(20 / 60)


def test_an_occupation_is_what_most_deeds_are_about() -> None:
    farming = ["take food 1 from field 1", "put food 1 in/on field 2", "use food 2", "use chair 1", "go to outside"]
    deeds = {
        "AY": [("Farm", deed) for deed in farming],
        "SG": [("Mill", f"use millstone {n}") for n in (1, 1, 1)] + [("Pub", "use bed 1")] * 4,
        "LL": [("Mill", "use millstone 1")] * 2,
    }
    records = [record(n, name, deed, place=at) for name, own in deeds.items() for n, (at, deed) in enumerate(own)]
    records.append(record(9, "LL", "use millstone 1", "inadmissible", place="Mill"))
    frame = actions(records)
    found = {name: occupation(frame[frame["resident"] == name]) for name in deeds}
    assert found == {"AY": ("Farm", "food"), "SG": ("Mill", "millstone"), "LL": None}
    assert occupations(frame) == {"occupations": 2}
