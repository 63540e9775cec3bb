"""The default map is the paper's, and a map that contradicts itself is refused with the reason."""

from collections import defaultdict
from dataclasses import replace

import pytest
from staging import MAP

from irollan_env import ValleyMap, World
from irollan_env.map.records import Area, Ground, Inhabitant, ItemKind, Rectangle
from irollan_env.map.valley_map import DEFAULT_MAP


def test_the_papers_valley():
    assert MAP.name == "IrollanValley"
    assert len(MAP.areas) == 8
    assert {resident.name: resident.display_name for resident in MAP.residents} == {
        "AY": "Eyjafjalla",
        "SG": "Pinecone",
        "MD": "Rosmontis",
        "WL": "Shamare",
        "LL": "Suzuran",
        "WM": "Warmy",
    }


def test_furniture_is_numbered_through_the_whole_world():
    numbers = defaultdict(list)
    for piece in MAP.furniture:
        numbers[piece.kind].append(piece.number)
    for kind, found in numbers.items():
        assert sorted(found) == list(range(1, len(found) + 1)), kind


def test_nothing_stands_on_something_else():
    positions = [piece.position for piece in MAP.furniture]
    assert len(set(positions)) == len(positions)


def without(name):
    return tuple(piece for piece in MAP.furniture if piece.name != name)


def moved(name, **changes):
    return tuple(replace(piece, **changes) if piece.name == name else piece for piece in MAP.furniture)


def flat(west):
    return Ground(name="outside", rectangle=Rectangle(west, 0, 5, 1))


FIRST_ITEM, FIRST_AREA = MAP.items[0], MAP.areas[0]
NO_SHELF = tuple(replace(k, receptacle=False) if k.name == "bookshelf" else k for k in MAP.furniture_kinds)
WET_STOVE = tuple(replace(k, removes=()) if k.name == "stoveburner" else k for k in MAP.furniture_kinds)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"furniture": moved("table 1", place="AY's home")}, "furniture 'table 1': unknown place \"AY's home\""),
        ({"furniture": moved("table 1", kind="tabel")}, "furniture 'tabel 1': unknown kind 'tabel'; did you mean"),
        ({"furniture": moved("table 2", number=1)}, "two things are named 'table 1': furniture and furniture"),
        ({"furniture": moved("table 1", position=(0.0, 0.0))}, r"'table 1' stands at \(0.0, 0.0\), outside"),
        (
            {"furniture": without("bookshelf 1")},
            "item 'book 1': unknown furniture or resident 'bookshelf 1'; did you mean",
        ),
        ({"furniture_kinds": NO_SHELF}, "item 'book 1' lies on 'bookshelf 1', but a bookshelf is no receptacle"),
        ({"furniture_kinds": WET_STOVE}, "'stoveburner' adds 'hot' but does not remove 'damp', and the two are"),
        ({"furniture_kinds": MAP.furniture_kinds * 2}, "furniture kind 'table' is listed twice"),
        ({"items": (replace(FIRST_ITEM, kind="fod"),)}, "item 'food 1': unknown kind 'fod'; did you mean 'food'"),
        ({"items": (replace(FIRST_ITEM, name="LL"),)}, "two things are named 'LL': a resident and an item"),
        ({"items": (replace(FIRST_ITEM, name=""),)}, "an item is named ''"),
        ({"items": (replace(FIRST_ITEM, name="a\nb"),)}, "a name needs visible characters"),
        ({"items": (replace(FIRST_ITEM, name="ham from LL"),)}, "'ham from LL' contains ' from '"),
        ({"areas": (replace(FIRST_AREA, name="away"), *MAP.areas[1:])}, "an area is named 'away', which records use"),
        ({"areas": (*MAP.areas, FIRST_AREA)}, 'two things are named "AY\'s Home"'),
        ({"areas": (*MAP.areas, replace(FIRST_AREA, name="Cellar"))}, "areas \"AY's Home\" and 'Cellar' overlap"),
        (
            {"areas": (*MAP.areas, Area(name="Far", rectangle=Rectangle(60, 0, 61, 1), door=(60, 0)))},
            "'Far' reaches beyond",
        ),
        ({"areas": (replace(FIRST_AREA, door=(4.0, 25.0)), *MAP.areas[1:])}, 'door of "AY\'s Home" must lie on an'),
        ({"grounds": (Ground(name="outside", rectangle=Rectangle(5, 0, 5, 1)),)}, "rectangle of 'outside' must"),
        ({"grounds": (Ground(name="outside", rectangle=Rectangle(float("nan"), 0, 5, 1)),)}, "rectangle of"),
        ({"residents": (Inhabitant(name="AY", home="Inn", display_name=""),)}, "resident 'AY': unknown home 'Inn'"),
        ({"residents": ()}, "needs at least one ground, one area and one resident"),
        ({"eye_height": -1.0}, "eye_height must be a finite number of metres >= 0, got -1.0"),
        ({"exclusive": (("damp", "warm"),)}, "exclusive: unknown status 'warm'"),
        ({"statuses": ("clean", "clean", "damp", "hot")}, "status 'clean' is listed twice"),
        ({"item_kinds": (ItemKind(name="food", adds=("stale",)),)}, "use of 'food': unknown status 'stale'"),
        ({"item_kinds": (ItemKind(name="food", adds=("hot",)),)}, "using 'food' adds 'hot', which is exclusive"),
        ({"item_kinds": (ItemKind(name="food", adds=("eaten",), usable=False),)}, "'food' is not usable, but its use"),
        ({"item_kinds": (ItemKind(name="food", once=True),)}, "'food' can be used once, but use leaves no mark on it"),
    ],
)
def test_contradictions_are_named(changes, message):
    with pytest.raises(ValueError, match=message):
        replace(MAP, **changes)


TEXT = DEFAULT_MAP.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda text: text.replace("eye_height = 1.6", "eye_hight = 1.6"), "the map lacks 'eye_height'"),
        (lambda text: "eye_hight = 1\n" + text, "the map has an unknown key 'eye_hight'; did you mean 'eye_height'"),
        (lambda text: text.replace("eye_height = 1.6", 'eye_height = "tall"'), "'eye_height' of the map must be"),
        (lambda text: text.replace("door = [4.0, 24.0]", "door = [4.0]"), "'door' of entry 1 of 'areas' must be 2"),
        (lambda text: text.replace('name = "LL"', "name = 1"), "'name' of entry 5 of 'residents' must be str, got 1"),
        (lambda text: text.replace("seat = true", "seta = true"), "'chair' in 'furniture_kinds' has an unknown"),
        (lambda text: text.replace("seat = true", "seat = 1"), "'seat' of 'chair' in 'furniture_kinds' must be"),
        (lambda text: text.replace('[["damp", "hot"]]', '["damp"]'), "each of 'exclusive' of the map must be"),
        (lambda text: text.replace('"clean", "damp", "hot", "eaten", "drunk", "read"]', "1]"), "'statuses' of the"),
        (lambda text: text + "]", "not a TOML file"),
    ],
)
def test_files_are_checked(tmp_path, change, message):
    path = tmp_path / "valley.toml"
    path.write_text(change(TEXT), encoding="utf-8")
    with pytest.raises(ValueError, match=message) as error:
        ValleyMap.from_toml(path)
    assert str(path) in str(error.value)


def test_a_file_makes_the_same_map(tmp_path):
    path = tmp_path / "valley.toml"
    path.write_text(TEXT, encoding="utf-8")
    assert ValleyMap.from_toml(path) == MAP
    assert World(ValleyMap.from_toml(str(path)), seed=0).get_state() == World(seed=0).get_state()
