"""Maps drawn from a seed: valleys for tasks, and towns joined by roads."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from irollan_env import ValleyMap, World, generate_towns, generate_valley, parallel_env
from irollan_env.map.drawn import draw_valley
from irollan_env.map.generate import MOST_RESIDENTS
from irollan_env.map.records import Ground, Rectangle, Road
from irollan_env.map.valley_map import DEFAULT_MAP


def draw(seed, **asked):
    return draw_valley(np.random.default_rng(seed), **asked)


@pytest.mark.parametrize(("level", "places"), [(1, 9), (2, 11), (3, 14)])
def test_levels_are_larger_and_all_have_what_tasks_need(level, places):
    for seed in range(10):
        valley = draw_valley(np.random.default_rng(seed), level=level, unseen=seed % 2 == 0)
        tables = valley.tables
        assert (len(tables.places), len(valley.grounds)) == (places, level)
        kinds = {piece.kind for piece in valley.furniture}
        assert {"sinkbasin", "stoveburner", "table"} <= kinds
        assert len(tables.growing) == 1
        assert sum(tables.heavy) == 1
        assert len(tables.items) == 35
        assert [resident.name for resident in valley.residents] == ["AY", "SG", "MD", "WL", "LL", "WM"]


def test_no_home_bears_a_name_and_homes_change_hands():
    homes = set()
    for seed in range(10):
        for resident in draw_valley(np.random.default_rng(seed)).residents:
            assert resident.name not in resident.home
            homes.add((resident.name, resident.home))
    assert len(homes) > 50


def test_what_is_held_out_is_in_no_other_valley():
    def names(*, unseen):
        valleys = [draw_valley(np.random.default_rng(n), level=3, unseen=unseen) for n in range(40)]
        things = {item.kind for valley in valleys for item in valley.items}
        rooms = {word for valley in valleys for area in valley.areas for word in area.name.split(" ")}
        closing = {v.tables.furniture[f].rsplit(" ", 1)[0] for v in valleys for f, c in enumerate(v.tables.closes) if c}
        return things | rooms | closing

    assert names(unseen=True).isdisjoint(names(unseen=False))


SID = ["Sunny Glade", "Woodhaven", "Clearwater", "Meadowbrook", "Hilltop", "Riverbend"]


@pytest.mark.parametrize(("residents", "towns"), [(1, 1), (10, 6), (200, 25)])
def test_towns_share_the_residents_evenly_and_roads_join_them(residents, towns):
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


def test_each_town_is_of_its_own_kind():
    valley = generate_towns(60, towns=6, seed=0)
    ground = {area.name: area.ground for area in valley.areas}
    kinds = [{f.kind for f in valley.furniture if ground[f.place] == town} for town in SID]
    assert all(one != other for one, other in pairwise(kinds))
    assert "shrine" in kinds[3]
    assert not any("shrine" in kind for kind in kinds[:3] + kinds[4:])


@pytest.mark.slow  # 12 s: ten thousand residents is what the documentation promises, and takes as long as it takes
def test_ten_thousand():
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


@pytest.mark.parametrize("count", [0, 10_001, True, 2.5])
def test_impossible_numbers(count):
    with pytest.raises(ValueError, match=r"must be an integer in \[1, 10000\]"):
        generate_valley(count)
    with pytest.raises(ValueError, match=r"must be an integer in \[1, 10000\]"):
        generate_towns(count)
    with pytest.raises(ValueError, match=r"towns must be an integer in \[1, 10\], got 11"):
        generate_towns(10, towns=11)


def test_along_a_road():
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
def test_contradictions_are_named(changes, message):
    with pytest.raises(ValueError, match=message):
        replace(VALLEY, **changes)


def test_a_file_can_have_roads(tmp_path):
    east = '[[grounds]]\nname = "East"\nrectangle = [100, 0, 110, 10]\n'
    roads = '[[roads]]\nends = ["outside", "East"]\ngates = [50, 5, 100, 5]\n'
    path = tmp_path / "map.toml"
    path.write_text(DEFAULT_MAP.read_text(encoding="utf-8") + east + roads, encoding="utf-8")
    assert ValleyMap.from_toml(path) == replace(VALLEY, grounds=(*VALLEY.grounds, EAST), roads=(ROAD,))
    world = World(ValleyMap.from_toml(path), seed=0)
    for action in ("go to outside", "go to East", "go to outside", "go to AY's Home"):
        assert world.step({"AY": action})["AY"].kind == "executed"
    path.write_text(DEFAULT_MAP.read_text(encoding="utf-8") + east + roads.replace(', "East"', ""), encoding="utf-8")
    with pytest.raises(ValueError, match="'ends' of entry 1 of 'roads' must be two names"):
        ValleyMap.from_toml(path)


def test_another_level_is_refused():
    with pytest.raises(ValueError, match=r"level must be one of \(1, 2, 3\), got 4"):
        draw(0, level=4)


@pytest.mark.parametrize("homes", [1, 2, 7])
def test_a_valley_has_as_many_homes_as_wanted(homes):
    valley = generate_valley(homes, seed=3)
    assert len(valley.residents) == homes
    assert [ground.name for ground in valley.grounds] == ["outside"]
    assert [area.name for area in valley.areas][homes:] == ["Public Canteen", "Public Reading Room"]
    assert {resident.home for resident in valley.residents} == {area.name for area in valley.areas[:homes]}
