"""Mechanics: rules of a world beside the primitives' own, their state, and what they may do to the world."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from irollan_env.actions import Action
from irollan_env.map.valley_map import ValleyMap
from irollan_env.world.mechanic import Mechanic, MechanicError
from irollan_env.world.world import World

SONG = Action("chat with table 1: ...")


class Singing(Mechanic):
    """Tables that listen, books that are not to be taken, and a fresh beverage each other step."""

    name = "singing"

    def __init__(self) -> None:
        self.heard: list[str] = []

    def begin(self, world: World) -> None:
        world.move("food 1", "table 1", cause="laid")

    def before_step(self, world: World) -> None:
        self.heard.append(f"step {world.time}")

    def after_step(self, world: World) -> None:
        if world.time % 2 == 0:
            world.add("beverage", "table 1", cause="poured", status=["hot"])
        self.heard.append(str(world.random.integers(1000)))

    def refuse(self, world: World, resident: str, action: Action) -> str | None:
        return "Food is not to be taken." if str(action).startswith("take food") else None

    def offers(self, world: World, resident: str) -> list[Action]:
        return [SONG] if world.place_of(resident) == "AY's Home" else []

    def perform(self, world: World, resident: str, action: Action) -> str | None:
        self.heard.append(action.words)
        return "The table listens."

    def after_action(self, world: World, resident: str, action: Action) -> str:
        return "It echoes." if action.listed == SONG else ""

    def observe(self, world: World, resident: str) -> list[str]:
        return [f"You have heard {len(self.heard)} things."]

    def needs(self, world: World, resident: str) -> dict[str, float]:
        return {"hunger": 0.25}

    def variables(self, world: World, resident: str | None) -> dict[str, float]:
        return {"songs": len(self.heard)} if resident is None else {}

    def get_state(self) -> Any:
        return self.heard

    def set_state(self, state: Any) -> None:
        self.heard = list(state)


@pytest.fixture(scope="module")
def valley() -> ValleyMap:
    default = ValleyMap.default()
    kinds = tuple(replace(kind, spare=2 if kind.name == "beverage" else 0) for kind in default.item_kinds)
    return replace(default, item_kinds=kinds)


@pytest.fixture
def world(valley: ValleyMap) -> World:
    return World(valley, 3, mechanics=[Singing()])


def test_what_mechanics_offer_and_refuse_is_admissible_or_not(world: World) -> None:
    admissible = world.admissible("AY")
    assert SONG in admissible
    assert not any(action.startswith("take food") for action in admissible)
    outcomes = world.step({"AY": 'chat with table 1: "La la"', "SG": "take food 1 from table 1"})
    assert outcomes["AY"].result == "The table listens. It echoes."
    assert outcomes["SG"].kind == "inadmissible"
    assert world.mechanics[0].get_state()[:2] == ["step 0", "La la"]
    refused = world.step({"AY": "take food 1 from table 1"})["AY"]
    assert refused == ("inadmissible", "Nothing happens. Food is not to be taken.")


def test_what_mechanics_let_residents_perceive_and_record(world: World) -> None:
    seen = world.observe("LL")
    assert seen.sentence.endswith(". You have heard 0 things.")
    assert seen.needs == {"hunger": 0.25}
    assert type(seen).from_json(json.loads(json.dumps(seen.to_json()))) == seen
    assert world.variables()["world"] == {"songs": 0.0}
    assert world.variables()["LL"] == {"hunger": 0.25}
    assert [(change.what, change.thing, change.cause) for change in world.changes] == [("moved", "food 1", "laid")]


def test_spare_items_come_and_go(world: World) -> None:
    spare = [name for name in world.map.tables.items if name.startswith("beverage") and not world.exists(name)]
    assert len(spare) == 2
    world.step({})
    world.step({})
    assert world.where_is(spare[0]) == "table 1"
    assert world.status_of(spare[0]) == ("hot",)
    assert Action(f"take {spare[0]} from table 1") in world.admissible("AY")
    assert world.changes[-1] == (2, "added", spare[0], None, "table 1", "poured")
    world.step({"AY": f"take {spare[0]} from table 1"})
    world.remove(spare[0], cause="drunk")
    assert world.holding("AY") == ()
    assert world.where_is(spare[0]) == "away"
    world.add("beverage", "LL", cause="gift")
    assert world.holding("LL") == (spare[0],)
    world.add("beverage", "LL", cause="gift")
    assert world.add("beverage", "LL", cause="gift") is None


def test_residents_leave_and_arrive(world: World) -> None:
    world.move_resident("WL", None, cause="left")
    assert not world.is_present("WL")
    assert world.admissible("WL") == ()
    seen = world.observe("WL")
    assert (seen.place, seen.sentence, seen.percepts) == ("away", "You are not here.", ())
    assert world.step({"WL": "go to outside"})["WL"] == ("executed", "")
    twin = World(world.map, 0, mechanics=[Singing()])
    twin.set_state(json.loads(json.dumps(world.get_state())))
    for one in (world, twin):
        one.move_resident("WL", "AY's Home", cause="arrived")
        assert "WL" in one.observe("AY").company
        assert one.observe("AY").events[-1].describe("AY", ()) == ("WL comes from away.")


def test_announcements_reach_who_is_there(world: World) -> None:
    world.announce("town hall", "A vote is held.", place="AY's Home")
    assert [message.sender for message in world.observe("AY").messages] == ["town hall"]
    assert world.observe("LL").messages == ()
    world.set_state(json.loads(json.dumps(world.get_state())))
    assert world.observe("AY").messages[0].text == "A vote is held."


def test_state_of_mechanics_is_part_of_the_worlds(world: World) -> None:
    world.step({})
    state = json.loads(json.dumps(world.get_state()))
    twin, copied = World(world.map, 9, mechanics=[Singing()]), world.copy()
    twin.set_state(state)
    for _ in range(3):
        for one in (world, twin, copied):
            one.step({"AY": 'chat with table 1: "Again"'})
    assert world.get_state() == twin.get_state() == copied.get_state()
    with pytest.raises(ValueError, match="mechanics"):
        World(world.map).set_state(state)


def test_failing_code_names_mechanic_and_hook(valley: ValleyMap) -> None:
    class Broken(Mechanic):
        name = "broken"

        def after_step(self, world: World) -> None:
            raise KeyError("x")

        def forget(self, item: str) -> None:
            raise KeyError(item)

        def catch_up(self, world: World) -> None:
            raise KeyError("x")

    world = World(valley, mechanics=[Broken()])
    with pytest.raises(MechanicError, match="'broken' failed in forget: KeyError"):
        world.remove("food 1", cause="test")
    with pytest.raises(MechanicError, match="'broken' failed in catch_up: KeyError"):
        world.catch_up()
    with pytest.raises(MechanicError, match=r"'broken' failed in after_step: KeyError"):
        World(valley, mechanics=[Broken()]).step({})
    with pytest.raises(ValueError, match="name of its own"):
        World(valley, mechanics=[Broken(), Broken()])
    with pytest.raises(ValueError, match="mechanic"):
        World(valley.with_mechanics({"neds": {}}))


@pytest.mark.parametrize("explicit", [True, False])
def test_what_happens_before_a_step_is_perceived_once(valley: ValleyMap, explicit: bool) -> None:
    """Callers who do not begin a step themselves observe it one step later."""

    class Crier(Mechanic):
        name = "crier"

        def before_step(self, world: World) -> None:
            world.announce("crier", f"It is step {world.time}.")

    world, heard = World(valley, mechanics=[Crier()]), []
    for _ in range(3):
        if explicit:
            world.begin_step()
            with pytest.raises(ValueError, match="begun"):
                world.get_state()
        heard.append([message.time for message in world.observe("LL").messages])
        world.step({})
    assert heard == ([[0], [1], [2]] if explicit else [[], [0], [1]])
    assert [change.time for change in world.changes] == [2]
