"""Where one is, with whom, and what there is, in a few lines; furniture only where it is of use."""

from __future__ import annotations

import json
from typing import Any

import pytest
from plain_english import wrong_with
from random_life import random_life
from scenes import observe

from irollan_env.world.events import Event
from irollan_env.world.observation import Observation
from itcma_s.deliberation.llm_policy.acquaintance import Acquaintance, Dealings
from itcma_s.deliberation.llm_policy.scene import scene
from itcma_s.memory.familiarity import Familiarity


def told(observation: Observation, strangers: tuple[str, ...] = (), givers: dict[str, str] | None = None) -> list[str]:
    acquaintance = Acquaintance(
        people={name: Dealings(met=0, talked=int(name not in strangers)) for name in observation.company},
        origins=givers or {},
    )
    return scene(observation, acquaintance, ())


def seen(**more: Any) -> str:
    return told(observe("outside", **more))[1]


def test_alone_with_nothing() -> None:
    assert told(observe("outside")) == ["It is step 3. You are outside, alone.", "You hold nothing."]
    assert told(observe("MD's Home"))[0] == "It is step 3. You are in your house, alone."
    assert told(observe("LL's Home"))[0] == "It is step 3. You are in LL's house, alone."
    assert told(observe("Public Reading Room"))[0] == "It is step 3. You are in the reading room, alone."


def test_whom_one_is_with_and_who_is_a_stranger() -> None:
    line = told(observe(people=("AY", "WL", "SG")), ("WL",))[0]
    assert line.endswith("with AY, WL (you have not spoken yet) and SG.")


def test_what_somebody_is_seen_to_do() -> None:
    observation = next(
        one
        for seed in range(5)
        for one, _ in random_life(seed)
        if any(percept.doing and percept.doing.startswith("talking with") for percept in one.percepts)
    )
    assert "talking with" in told(observation)[0]


def test_things_of_a_kind_are_told_together() -> None:
    assert seen(items={f"food {n}": "foodshelf 3" for n in (4, 5, 6, 8)}) == "You see food 4 to 6 and 8."
    assert seen(items={"food 4": "foodshelf 3", "book 1": "bookshelf 1"}) == "You see food 4 and book 1."


def test_one_thing_alone_is_told_with_where_it_lies() -> None:
    assert seen(items={"beefsteak": "table 2"}) == "You see the beefsteak on the table."


def test_what_became_of_things() -> None:
    items = {"food 4": "stoveburner 2", "food 5": "table 9"}
    assert seen(items=items, status={"food 4": ("hot",), "food 5": ("hot", "eaten")}) == (
        "You see food 4 (hot) on the stove and food 5 (hot and eaten) on the table."
    )


def test_furniture_is_told_where_it_is_sought_for_its_use() -> None:
    furniture = ("table 9", "chair 1", "stoveburner 2", "stoveburner 3", "sinkbasin 2", "bed 4")
    assert seen(furniture=furniture) == "You see a stove and a sink."
    assert told(observe(furniture=("table 9", "chair 1")))[1] == "You hold nothing."


def test_what_one_holds_and_has_from_whom() -> None:
    lines = told(observe(held=("food 5", "MD's clothes 1"), status={"food 5": ("hot",)}), givers={"food 5": "AY"})
    assert lines[-1] == "You hold food 5 (hot, from AY) and your clothes 1."


def test_what_is_eaten_is_told_as_what_is_left_of_it() -> None:
    lines = told(observe(held=("food 5",), status={"food 5": ("hot", "eaten")}), givers={"food 5": "AY"})
    assert lines[-1] == "You hold what is left of food 5."


def test_who_is_described_is_no_stranger() -> None:
    observation, unknown = observe(people=("AY",)), Acquaintance(people={"AY": Dealings(met=0)})
    assert "not spoken yet" in scene(observation, unknown, ())[0]
    assert "not spoken yet" not in scene(observation, unknown, ("AY",))[0]


def test_who_has_what_and_who_just_came() -> None:
    events = (
        Event(time=2, actor="AY", deed="handed", thing="book 4", other="WL"),
        Event(time=2, actor="SG", deed="used", thing="food 1", text="The food 1 is now eaten."),
        Event(time=2, actor="SG", deed="came", other="outside"),
    )
    acquaintance = Acquaintance()
    acquaintance.notice(observe(people=("AY", "WL", "SG"), events=events), None, None)
    line = scene(observe(people=("AY", "WL", "SG"), events=events), acquaintance, ("AY", "WL", "SG"))[0]
    assert line.endswith("with AY, WL (has book 4) and SG (just came).")
    acquaintance.notice(observe(held=("book 4",)), None, None)
    assert acquaintance.held_by("WL") == ()


def test_who_put_what_where_is_known_until_it_is_taken() -> None:
    acquaintance = Acquaintance()
    put = Event(time=2, actor="AY", deed="put", thing="toy 1", other="table 2")
    acquaintance.notice(observe(people=("AY",), events=(put,)), None, None, laid="book 1")
    assert acquaintance.laid == {"book 1": "MD", "toy 1": "AY"}
    took = Event(time=3, actor="AY", deed="took", thing="toy 1", other="table 2")
    acquaintance.notice(observe(people=("AY",), events=(took,), held=["book 1"]), None, None)
    assert acquaintance.laid == {}


def test_what_one_saw_eaten_is_not_told_of_a_place() -> None:
    acquaintance, known = Acquaintance(), Familiarity()
    eaten = Event(time=2, actor="AY", deed="used", thing="food 4", text="The food 4 is now eaten.")
    lying = {"food 4": "foodshelf 3", "food 5": "foodshelf 3"}
    inside = observe("Public Canteen", people=("AY",), items=lying, events=(eaten,))
    acquaintance.notice(inside, None, None)
    known.learn(inside)
    acquaintance.refresh(inside, known)
    outside = observe("outside", time=4)
    known.learn(outside)
    acquaintance.refresh(outside, known)
    assert acquaintance.told_places == {"Public Canteen": "food 5"}
    assert acquaintance.sighted == {"AY": ("Public Canteen", inside.time)}
    again = Acquaintance.from_state(json.loads(json.dumps(acquaintance.get_state())))
    assert again == acquaintance


def test_what_one_gave_away_and_got_back_is_from_nobody() -> None:
    acquaintance = Acquaintance()
    acquaintance.notice(observe(people=("SG",), held=("book 7",)), None, None)
    acquaintance.notice(observe(people=("SG",)), ("book 7", "SG"), None)
    back = (Event(time=2, actor="SG", deed="handed", thing="book 7", other="MD"),)
    acquaintance.notice(observe(people=("SG",), held=("book 7",), events=back), None, None)
    assert acquaintance.origins == {"book 7": ""}
    other = (Event(time=2, actor="SG", deed="handed", thing="book 8", other="MD"),)
    acquaintance.notice(observe(people=("SG",), held=("book 7", "book 8"), events=other), None, None)
    assert acquaintance.origins == {"book 7": "", "book 8": "SG"}


def test_who_sits_is_told_so_and_what_can_be_taken_is_told_there_alone() -> None:
    observation = observe(
        "Public Canteen",
        items={"food 4": "foodshelf 3", "food 5": "foodshelf 3"},
        status={"food 5": ("hot",)},
        admissible=("leave chair 2", "leave Public Canteen"),
    )
    lines = scene(observation, Acquaintance(), (), {"food 4", "food 5"})
    assert lines[0] == "It is step 3. You are in the canteen, sitting on a chair, alone."
    assert lines[1] == "You see food 5 (hot) on the food shelf."


def test_what_one_is_doing() -> None:
    assert told(observe(doing="using the book 3"))[-1] == "You hold nothing, and are reading book 3."
    assert told(observe(doing="moving"))[-1] == "You hold nothing."


@pytest.mark.parametrize("seed", range(3))
def test_every_line_of_a_random_life_is_plain_english(seed: int) -> None:
    lines = 0
    for observation, _ in random_life(seed):
        for line in told(observation, ("AY",), dict.fromkeys(observation.holding, "they")):
            lines += 1
            assert wrong_with(line, observation.resident) == [], line
            assert line.startswith(("It is step", "You see", "You hold"))
            assert line.endswith(".")
            assert len(line) < 400
    assert lines > 300
