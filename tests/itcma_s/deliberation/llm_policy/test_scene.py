"""What one is told of where one is, and of what came of its last act."""

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
from itcma_s.deliberation.llm_policy.outcome import Done, outcome
from itcma_s.deliberation.llm_policy.scene import scene
from itcma_s.memory.familiarity import Familiarity


def told(observation: Observation, strangers: tuple[str, ...] = (), givers: dict[str, str] | None = None) -> list[str]:
    acquaintance = Acquaintance(
        people={name: Dealings(met=0, talked=int(name not in strangers)) for name in observation.company},
        origins=givers or {},
    )
    return scene(observation, acquaintance, ())


def test_what_is_eaten_is_told_as_what_is_left_of_it() -> None:
    lines = told(observe(held=("food 5",), status={"food 5": ("hot", "eaten")}), givers={"food 5": "AY"})
    assert lines[-1] == "You hold what is left of food 5."


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


@pytest.mark.parametrize("seed", range(1))
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


def came_of(
    action: str | None, result: str, came_of_it: str = "executed", silent: tuple[str, ...] = (), **more: Any
) -> str:
    place = more.pop("place", "outside")
    done = Done(action=action, place=place, company=more.pop("hoped", ()))
    return outcome(done, observe(place, outcome=came_of_it, result=result, **more), silent)


def test_whom_one_hoped_to_find_is_missed() -> None:
    text = came_of(
        "go to Public Canteen", "You go to Public Canteen.", place="Public Canteen", hoped=("AY", "WL"), people=("WL",)
    )
    assert text == "Your last act: you went to the canteen. You had expected AY here."


def test_words_are_not_said_again_but_that_there_is_no_answer() -> None:
    said = 'You say to AY: "Hello."'
    assert came_of('chat with AY: "Hello."', said, people=("AY",)) == "Your last act: you spoke to AY."
    assert came_of('chat with AY: "Hello."', said, silent=("AY",), people=("AY",)).endswith("; AY has not answered.")
    assert came_of('chat with AY: "Hello."', said, silent=("AY",)).endswith("; AY is not here any more.")


def test_what_was_held_back_is_told_with_the_lost_words() -> None:
    text = came_of('chat with AY: "Are you hungry?"', "(This action has been filtered by LTRHA)", "filtered")
    assert '"Are you hungry?"' in text
    assert "held back" in text
    assert "LTRHA" not in text
    assert "held back" in came_of("use chair 3", "(This action has been filtered by LTRHA)", "filtered")


def test_what_could_not_be_done_is_told_with_the_reason() -> None:
    text = came_of("take food 5 from foodshelf 3", "Nothing happens. AY took the food 5 first.", "inadmissible")
    assert text == "Your last act: you wanted to take food 5 from the food shelf, but could not. AY took food 5 first."
