"""Residents that act by a policy, and what scripted ones do when they are spoken to."""

from typing import Any

import numpy as np
import pytest
from staging import stage

from irollan_env import ScriptedResident, World, chat_with, get_policy
from irollan_env.world.requests import INVITATION_STEPS


def scripted(world: World, name: str, seed: int = 0) -> ScriptedResident:
    assert name in world.residents
    return ScriptedResident(name, np.random.default_rng(seed))


def test_what_is_told_is_acknowledged_and_that_is_the_end_of_it() -> None:
    world = stage(people={"WL": "LL's Home"})
    resident, other = scripted(world, "LL"), scripted(world, "WL")
    world.step({"WL": chat_with("LL", "The beefsteak is mine.")})
    answer = resident.decide(world.observe("LL"))
    assert answer == 'chat with WL: "WL, I hear you: The beefsteak is mine."'
    world.step({"LL": answer})
    assert "I hear you:" not in str(other.decide(world.observe("WL")))


def test_what_is_asked_for_is_handed_over() -> None:
    world = stage(people={"WL": "LL's Home"}, holding={"LL": ["book 1"]})
    world.step({"WL": chat_with("LL", "Could you give me the book 1?")})
    assert scripted(world, "LL").decide(world.observe("LL")) == "put book 1 in/on WL"
    world.step({"WL": chat_with("LL", "Give me the book 2!")})
    assert "I hear you: Give me the book 2!" in str(scripted(world, "LL").decide(world.observe("LL")))


def test_who_is_invited_comes_and_stays_for_a_while() -> None:
    world = stage(people={"WL": "LL's Home"})
    resident = scripted(world, "LL")
    world.step({"WL": chat_with("LL", "Will you come to the Public Canteen?")})
    places = []
    for _ in range(INVITATION_STEPS + 12):
        world.step({"LL": resident.decide(world.observe("LL"))})
        places.append(world.place_of("LL"))
    assert places[:3] == ["LL's Home", "outside", "Public Canteen"]
    assert set(places[2 : INVITATION_STEPS - 1]) == {"Public Canteen"}
    assert set(places[INVITATION_STEPS:]) != {"Public Canteen"}


def test_a_place_that_is_not_there_is_given_up() -> None:
    world = stage(people={"WL": "outside", "LL": "outside"})
    resident = scripted(world, "LL")
    world.step({"WL": chat_with("LL", "Come to Atlantis.")})
    world.step({"LL": resident.decide(world.observe("LL"))})
    resident.decide(world.observe("LL"))
    assert resident.get_state()["invited_to"] is None


def test_scripted_residents_among_themselves_are_the_scripted_policy() -> None:
    worlds = World(seed=1), World(seed=1)
    residents = {name: scripted(worlds[0], name, number) for number, name in enumerate(worlds[0].residents)}
    plain = {name: np.random.default_rng(number) for number, name in enumerate(worlds[1].residents)}
    for _ in range(80):
        seen = {name: worlds[1].observe(name) for name in plain}
        worlds[1].step({name: get_policy("scripted")(seen[name], plain[name]) for name in plain})
        worlds[0].step({name: resident.decide(worlds[0].observe(name)) for name, resident in residents.items()})
    assert worlds[0].get_state() == worlds[1].get_state()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"until": -1}, "'until' of 'LL' must be an integer >= 0, got -1"),
        ({"invited_to": 3}, "'invited_to' of 'LL' must be null or a place, got 3"),
        ({"generator": {}}, "state.generator lacks 'state'"),
        ({"more": 1}, "unknown key 'more'"),
    ],
)
def test_a_bad_state(change: dict[str, Any], message: str) -> None:
    resident = ScriptedResident("LL", np.random.default_rng(0))
    with pytest.raises(ValueError, match=message):
        resident.set_state({**resident.get_state(), **change})
