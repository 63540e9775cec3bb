"""Generated maps: of any size, joined by roads, each town of its own kind, and no more to see in a larger one."""

from dataclasses import replace
from itertools import pairwise

import pytest

from irollan_env import ValleyMap, World, generate_towns, generate_valley, parallel_env
from irollan_env.map.generate import MOST_RESIDENTS
from irollan_env.map.records import Ground, Rectangle, Road

SID = ["Sunny Glade", "Woodhaven", "Clearwater", "Meadowbrook", "Hilltop", "Riverbend"]


@pytest.mark.parametrize("homes", [1, 2, 7])
def test_a_valley_has_as_many_homes_as_wanted(homes: int) -> None:
    valley = generate_valley(homes, seed=3)
    assert len(valley.residents) == homes
    assert [ground.name for ground in valley.grounds] == ["outside"]
    assert [area.name for area in valley.areas][homes:] == ["Public Canteen", "Public Reading Room"]
    assert {resident.home for resident in valley.residents} == {area.name for area in valley.areas[:homes]}


@pytest.mark.parametrize(("residents", "towns"), [(1, 1), (10, 6), (200, 25)])
def test_towns_share_the_residents_evenly_and_roads_join_them(residents: int, towns: int) -> None:
    valley = generate_towns(residents, towns=towns, seed=1)
    assert len(valley.residents) == residents
    ground = {area.name: area.ground for area in valley.areas}
    shares = [sum(ground[r.home] == g.name for r in valley.residents) for g in valley.grounds]
    assert max(shares) - min(shares) <= 1
    assert [one.name for one in valley.grounds][:6] == SID[:towns]
    reached, frontier = set(), [valley.grounds[0].name]
    while frontier:
        here = frontier.pop()
        reached.add(here)
        for road in valley.roads:
            if here in road.ends:
                frontier += {*road.ends} - reached
    assert reached == {one.name for one in valley.grounds}
    assert max(sum(g.name in road.ends for road in valley.roads) for g in valley.grounds) <= 4


def test_each_town_is_of_its_own_kind() -> None:
    valley = generate_towns(60, towns=6, seed=0)
    ground = {area.name: area.ground for area in valley.areas}
    kinds = [{f.kind for f in valley.furniture if ground[f.place] == town} for town in SID]
    assert all(one != other for one, other in pairwise(kinds))
    assert "shrine" in kinds[3]
    assert not any("shrine" in kind for kind in kinds[:3] + kinds[4:])


@pytest.mark.slow
def test_ten_thousand() -> None:
    valley = generate_towns(MOST_RESIDENTS, seed=0)
    assert len(valley.residents) == MOST_RESIDENTS
    with pytest.raises(ValueError, match=r"has more than [\d,]+ actions; at most 1,000,000 can be numbered"):
        parallel_env(map=valley)
    env = parallel_env(map=valley, slots=64)
    _, infos = env.reset(seed=0)
    _, _, _, _, infos = env.step({name: info["admissible_actions"][0] for name, info in infos.items()})
    assert len(infos) == MOST_RESIDENTS
    assert all(info["outcome"] == "executed" for info in infos.values())
    state = env.get_state()
    env.set_state(state)
    assert env.get_state() == state


def test_the_same_seed_makes_the_same_map() -> None:
    assert generate_towns(50, towns=3, seed=5) == generate_towns(50, towns=3, seed=5)
    assert generate_towns(50, towns=3, seed=5) != generate_towns(50, towns=3, seed=6)


@pytest.mark.parametrize("count", [0, 10_001, True, 2.5])
def test_impossible_numbers(count: int) -> None:
    with pytest.raises(ValueError, match=r"must be an integer in \[1, 10000\]"):
        generate_valley(count)
    with pytest.raises(ValueError, match=r"must be an integer in \[1, 10000\]"):
        generate_towns(count)
    with pytest.raises(ValueError, match=r"towns must be an integer in \[1, 10\], got 11"):
        generate_towns(10, towns=11)


def test_along_a_road() -> None:
    world = World(generate_towns(20, towns=4, seed=1), seed=0)
    name = world.residents[0]
    home = world.place_of(name)
    world.step({name: f"leave {home}"})
    seen = world.observe(name)
    assert seen.sentence.startswith("You are in Sunny Glade. Looking around you, you see a road to Woodhaven, a road")
    assert seen.admissible[:2] == ("go to Woodhaven", "go to Clearwater")
    assert [percept.name for percept in seen.percepts[:2]] == ["road to Woodhaven", "road to Clearwater"]
    assert not any(action.startswith("leave ") for action in seen.admissible)
    assert world.step({name: "go to Meadowbrook"})[name].result == (
        "Nothing happens. No road leads from Sunny Glade to Meadowbrook."
    )
    assert world.step({name: "go to Woodhaven"})[name].result == "You go to Woodhaven."
    assert world.step({name: f"go to {home}"})[name].result == (
        f"Nothing happens. No road leads from Woodhaven to {home}, which is in Sunny Glade."
    )
    twin = World(world.map)
    twin.set_state(world.get_state())
    assert twin.observe(name) == world.observe(name)


VALLEY = ValleyMap.default()
EAST = Ground(name="East", rectangle=Rectangle(100, 0, 110, 10))
ROAD = Road(ends=("outside", "East"), gates=((50, 5), (100, 5)))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"grounds": (*VALLEY.grounds, EAST)}, "ground 'East' has neither an area nor a road"),
        ({"grounds": (*VALLEY.grounds, replace(EAST, rectangle=Rectangle(40, 0, 60, 9)))}, "grounds 'outside' and"),
        ({"roads": (ROAD,)}, "the road between 'outside' and 'East': unknown ground 'East'"),
        (
            {"grounds": (*VALLEY.grounds, EAST), "roads": (replace(ROAD, gates=((49, 5), (100, 5))),)},
            "must meet 'outside' on an edge",
        ),
        ({"grounds": (*VALLEY.grounds, EAST), "roads": (ROAD, ROAD)}, "is listed twice"),
        ({"roads": (Road(ends=("outside", "outside"), gates=((50, 5), (50, 6))),)}, "leads back to where it begins"),
        ({"areas": (replace(VALLEY.areas[0], ground="inside"), *VALLEY.areas[1:])}, "unknown ground 'inside'"),
        ({"grounds": ()}, "needs at least one ground"),
    ],
)
def test_contradictions_are_named(changes: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        replace(VALLEY, **changes)  # type: ignore[arg-type]


def test_a_file_can_have_roads(tmp_path) -> None:
    text = """
    name = "Two grounds"
    eye_height = 1.6
    door_height = 1.0
    statuses = []
    [[grounds]]
    name = "West"
    rectangle = [0, 0, 10, 10]
    [[grounds]]
    name = "East"
    rectangle = [20, 0, 30, 10]
    [[roads]]
    ends = ["West", "East"]
    gates = [10, 5, 20, 5]
    [[areas]]
    name = "Hut"
    rectangle = [0, 0, 5, 5]
    door = [5, 2]
    ground = "West"
    [[residents]]
    name = "AB"
    home = "Hut"
    display_name = "Abel"
    [furniture_kinds]
    [item_kinds]
    [contents]
    furniture = []
    items = []
    """
    path = tmp_path / "map.toml"
    path.write_text(text, encoding="utf-8")
    world = World(ValleyMap.from_toml(path), seed=0)
    for action in ("go to West", "go to East", "go to West", "go to Hut"):
        assert world.step({"AB": action})["AB"].kind == "executed"
    path.write_text(text.replace('["West", "East"]', '["West"]'), encoding="utf-8")
    with pytest.raises(ValueError, match="'ends' of entry 1 of 'roads' must be two names"):
        ValleyMap.from_toml(path)


def test_what_is_seen_depends_on_the_town_alone() -> None:
    small, large = (generate_towns(8 * towns, towns=towns, seed=0) for towns in (4, 40))
    for valley in (small, large):
        world = World(valley, seed=0)
        for name in world.residents[:8]:
            world.step({name: f"leave {world.place_of(name)}"})
    lengths = []
    for valley in (small, large):
        world = World(valley, seed=0)
        world.step({name: f"leave {world.place_of(name)}" for name in world.residents})
        lengths.append(max(len(world.admissible(name)) for name in world.residents))
    assert lengths[1] <= lengths[0] + 2  # at most two roads more
