"""Map files that leave out positions, numbers and kinds; tables from which the same map is read again; pictures."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tomli_w

from irollan_env.environments.drawing import draw_world, save_picture
from irollan_env.map.drawn import draw_valley
from irollan_env.map.generate import generate_towns
from irollan_env.map.layout import lay_out
from irollan_env.map.loading import TEMPLATE, load_map
from irollan_env.map.toml_file import map_to_tables
from irollan_env.map.valley_map import DEFAULT_MAP, ValleyMap
from irollan_env.map.warnings import warnings_of
from irollan_env.world.mechanics.reference import describe_keys, map_tables, mechanic_tables
from irollan_env.world.mechanics.registry import MECHANICS
from irollan_env.world.world import World

VILLAGES = """
name = "Two Villages"
kinds = "irollan_valley"
grounds = [{ name = "North" }, { name = "South" }]
roads = [{ ends = ["North", "South"] }]
residents = [{ name = "Ada", home = "Ada's Home", display_name = "Ada" }]
[[areas]]
name = "Ada's Home"
ground = "North"
furniture = { table = 2, bed = 1 }
things = { table = { coin = 3, book = 1 } }
[[areas]]
name = "Hall"
ground = "South"
furniture = { table = 1 }
[item_kinds]
coin = { spare = 2 }
"""


def read(tmp_path: Path, text: str) -> ValleyMap:
    path = tmp_path / "map.toml"
    path.write_text(text)
    return ValleyMap.from_toml(path)


def test_what_a_file_leaves_out_is_laid_out(tmp_path: Path) -> None:
    villages = read(tmp_path, VILLAGES)
    assert [piece.name for piece in villages.furniture] == ["table 1", "table 2", "bed 1", "table 3"]
    assert [(item.name, item.on) for item in villages.items] == [
        ("coin 1", "table 1"),
        ("coin 2", "table 2"),
        ("coin 3", "table 1"),
        ("book 1", "table 2"),
    ]
    world = World(villages, 0)
    for place in ("North", "South", "Hall"):
        assert world.step({"Ada": f"go to {place}"})["Ada"].kind == "executed"
    assert world.step({"Ada": "leave Hall"})["Ada"].result == "You leave Hall."
    assert world.spare("coin") == 2


def test_residents_hold_things_at_the_start(tmp_path: Path) -> None:
    holding = VILLAGES.replace('home = "Ada\'s Home"', 'home = "Ada\'s Home", holds = { coin = 2 }', 1)
    villages = read(tmp_path, holding)
    world = World(villages, 0)
    assert world.holding("Ada") == ("coin 4", "coin 5")
    assert "You are holding the coin 4, the coin 5." in world.observe("Ada").sentence
    assert world.where_is("coin 4") == "Ada"
    twin = World(villages, 1)
    twin.set_state(world.get_state())
    assert twin.observe("Ada") == world.observe("Ada")
    assert read(tmp_path, tomli_w.dumps(map_to_tables(villages))) == villages
    two = holding.replace(
        "]\n[[areas]]", ', { name = "Ben", home = "Ada\'s Home", holds = { book = 1 } }]\n[[areas]]', 1
    )
    assert [item.name for item in load_map(read(tmp_path, two), 1).items] == [item.name for item in villages.items]


def test_a_whole_file_stays_as_it_is() -> None:
    data = tomllib.loads(DEFAULT_MAP.read_text())
    assert lay_out(data) | {"areas": data["areas"]} == data


@pytest.mark.parametrize(
    "valley_map",
    [
        ValleyMap.default(),
        generate_towns(40),
        draw_valley(np.random.default_rng(3), level=2),
        ValleyMap.default().with_mechanics({"calendar": {"dark": [18, 6]}}),
    ],
    ids=["paper", "towns", "drawn", "mechanics"],
)
def test_maps_are_written_and_read_again(valley_map: ValleyMap, tmp_path: Path) -> None:
    assert read(tmp_path, tomli_w.dumps(map_to_tables(valley_map))) == valley_map


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ('"irollan_valley"', '"valley"', "'kinds' of the map: .*irollan_valley"),
        ("{ table = 2, bed = 1 }", "{ tabel = 2 }", "tabel|table"),
        ("{ table = 2, bed = 1 }", "{ table = -1 }", "'table' in 'furniture' of area"),
        ("{ table = 2, bed = 1 }", '["table"]', "'furniture' of area .* must be a table"),
        ("{ table = { coin", "{ chair = { coin", "'things' of area .*chair"),
        ('ends = ["North", "South"]', 'ends = ["North", "Soth"]', "South"),
        ('ground = "South"', 'ground = "Sotuh"', "South"),
        ("furniture = { table = 1 }", "furniture = { table = 1 }\nsize = [0, 3]", "'size' of area 'Hall'"),
        ('name = "North" }', 'name = "North", rectangle = [0, 0, 9, 9] }', "give each one, or none"),
        ("furniture = { table = 1 }", "furniture = { table = 1 }\ndoor = [0, 3]", "'Hall' has a rectangle or a door"),
        ('name = "Hall"', 'title = "Hall"', "lacks|name"),
    ],
)
def test_what_cannot_be_laid_out_is_named(before: str, after: str, message: str, tmp_path: Path) -> None:
    assert before in VILLAGES
    with pytest.raises(ValueError, match=message):
        read(tmp_path, VILLAGES.replace(before, after, 1))


def test_warnings_name_what_may_not_be_meant(tmp_path: Path) -> None:
    apart = read(tmp_path, VILLAGES.replace('roads = [{ ends = ["North", "South"] }]', ""))
    assert any("no way leads from North to South, Hall" in one for one in warnings_of(apart))
    assert not list(warnings_of(ValleyMap.default()))


def test_worlds_are_drawn(tmp_path: Path) -> None:
    world = World(ValleyMap.default(), 0)
    before = draw_world(world, width=300)
    assert before.shape[1:] == (300, 3)
    assert before.dtype == np.uint8
    world.step({"AY": "leave AY's Home"})
    assert (draw_world(world, width=300) != before).any()
    world.take_turn({"AY": "go to SG's Home"})
    draw_world(world, width=300)
    draw_world(World(read(tmp_path, VILLAGES.replace('"North"', '"$North_$"'))))
    for suffix in ("png", "svg"):
        save_picture(generate_towns(40), tmp_path / f"towns.{suffix}", width=200)
        assert (tmp_path / f"towns.{suffix}").stat().st_size > 1000
    with pytest.raises(ValueError, match=r"\.png, \.svg or \.pdf"):
        save_picture(world.map, tmp_path / "towns.gif")


def test_every_key_is_described() -> None:
    tables = [*map_tables(), *(table for name in MECHANICS for table in mechanic_tables(name))]
    assert all(key.meaning for table in tables for key in table.keys)
    assert all(table.purpose for table in tables)
    text = describe_keys("trade")
    assert "prices [needed]: Kind of item -> its price" in text
    with pytest.raises(ValueError, match="did you mean 'trade'"):
        describe_keys("trad")


def _fields() -> Any:
    return [(table.heading, key.name) for table in map_tables() for key in table.keys]


def test_keys_are_those_that_the_reader_takes() -> None:
    keys = _fields()
    assert ("[[areas]]", "furniture") in keys
    assert ("[item_kinds]", "use.add") in keys
    assert ("[item_kinds]", "name") not in keys


ODD: tuple[Any, ...] = (7, -1, 1.5, True, "x", "", [], {}, [1], {"x": 1}, ["x"], [{"name": "x"}], 10**30)


def _paths(node: Any, at: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    parts = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    return [path for key, value in parts for path in ((*at, key), *_paths(value, (*at, key)))]


@pytest.mark.parametrize("seed", [*range(16), *(pytest.param(n, marks=pytest.mark.slow) for n in range(16, 300))])
def test_a_wrong_file_is_refused_in_a_line_or_works(seed: int, tmp_path: Path) -> None:
    """A key is dropped, swapped with another one, renamed or given another type in the file that `map new` writes."""
    generator = np.random.default_rng(seed)
    whole = tomllib.loads(TEMPLATE.read_text())
    paths = _paths(whole)
    *above, key = paths[int(generator.integers(len(paths)))]
    *others, other = paths[int(generator.integers(len(paths)))]
    parent, taken = whole, tomllib.loads(TEMPLATE.read_text())
    for part in above:
        parent = parent[part]
    for part in (*others, other):
        taken = taken[part]
    how = ("drop", "swap", "rename", "retype")[seed % 4]
    old = parent[key]
    if how == "drop" or (how == "rename" and isinstance(parent, dict)):
        del parent[key]
    else:
        parent[key] = taken if how == "swap" else ODD[int(generator.integers(len(ODD)))]
    if how == "rename" and isinstance(parent, dict):
        parent[f"{key}q"] = old
    path = tmp_path / "odd.toml"
    path.write_text(tomli_w.dumps(whole))
    refusal = _refusal(path)
    assert "\n" not in refusal
    assert not refusal or "odd.toml" in refusal or "mechanics" in refusal


def _refusal(path: Path) -> str:
    try:
        World(ValleyMap.from_toml(path), 0).step({})
    except ValueError as error:
        return str(error)
    return ""
