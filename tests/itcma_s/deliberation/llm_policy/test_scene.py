"""What one is told of where one is, and of what came of its last act."""

from __future__ import annotations

import json

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
