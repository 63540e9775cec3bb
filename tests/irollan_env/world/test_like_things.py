"""Many things alike are a pile: said by their number, perceived as one, and one of them is offered."""

from __future__ import annotations

from pathlib import Path

import pytest

import irollan_env
from irollan_env.map.loading import load_map
from irollan_env.world.like_things import MANY
from irollan_env.world.mechanic import Mechanic
from irollan_env.world.observation import Observation
from irollan_env.world.world import World

MAP = """
name = "Treasure"
kinds = "irollan_valley"
[[grounds]]
name = "Ground"
[[areas]]
name = "Ada's Home"
ground = "Ground"
furniture = { table = 1, foodshelf = 1, stoveburner = 1 }
things = { table = { coin = LYING }, foodshelf = { food = 3 } }
[[residents]]
name = "Ada"
home = "Ada's Home"
holds = { coin = HELD }
[[residents]]
name = "Ben"
home = "Ada's Home"
[item_kinds]
coin = { }
"""


def treasure(folder: Path, lying: int, held: int = 1) -> World:
    path = folder / "treasure.toml"
    path.write_text(MAP.replace("LYING", str(lying)).replace("HELD", str(held)))
    return World(load_map(path), 0)


def test_sixty_coins_here_and_in_the_hands_stay_usable(tmp_path: Path) -> None:
    world = treasure(tmp_path, 60, 60)
    seen = world.observe("Ada")
    assert "60 coins placed on the table 1" in seen.sentence
    assert seen.sentence.endswith("You are holding 60 coins.")
    coins = [one for one in seen.percepts if one.name.startswith("coin")]
    assert [(one.name, one.count, one.held) for one in coins] == [("coin 1", 60, False), ("coin 61", 60, True)]
    assert [one for one in seen.admissible if one.startswith("take coin")] == ["take coin 1 from table 1"]
    assert len(seen.admissible) == len(treasure(tmp_path, 1, 1).observe("Ada").admissible)
    assert seen.admissible == world.admissible("Ada")
    assert Observation.from_json(seen.to_json()) == seen
    # One that is not offered can be taken all the same.
    assert world.step({"Ada": "take coin 7 from table 1"})["Ada"].kind == "executed"
    assert "59 coins placed on the table 1" in world.observe("Ben").sentence


class Pastimes(Mechanic):
    primitives = ("polish {item}", "show {held} to {person}")


def test_primitives_of_ones_own_are_offered_with_one_of_a_pile(tmp_path: Path) -> None:
    world = World(treasure(tmp_path, 60, 60).map, 0, mechanics=[Pastimes()])
    offered = [one for one in world.admissible("Ada") if "[coin " in one]
    assert offered == ["polish [coin 1]", "polish [coin 61]", "show [coin 61] to [Ben]"]


def test_learners_have_numbers_for_all_and_few_that_are_admissible(tmp_path: Path) -> None:
    env = irollan_env.parallel_env(map=treasure(tmp_path, 60, 60).map)
    shown, infos = env.reset(seed=0)
    assert shown["Ada"]["observation"].count("coin") == 2
    assert shown["Ada"]["action_mask"].sum() == len(infos["Ada"]["admissible_actions"]) + 1 < 20
    assert "take coin 60 from table 1" in env.catalogue.numbers


@pytest.mark.parametrize(("lying", "shown"), [(MANY - 1, MANY - 1), (MANY, 1)])
def test_fewer_are_named_one_by_one(tmp_path: Path, lying: int, shown: int) -> None:
    world = treasure(tmp_path, lying)
    assert len([one for one in world.admissible("Ben") if one.startswith("take coin")]) == shown


def test_what_differs_is_no_pile(tmp_path: Path) -> None:
    world = treasure(tmp_path, 21)
    world.set_status("coin 3", ["hot"], cause="test")
    assert "20 coins placed on the table 1" in world.sentence("Ben")
    assert "the coin 3 placed on the table 1 in the hot status" in world.sentence("Ben")
    world.set_status("coin 4", ["hot"], cause="test")
    assert "coins" not in world.sentence("Ben")
