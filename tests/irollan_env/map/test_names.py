"""Residents can have any name that is none of a thing; whether a name is a person's is asked of the map."""

import re
from dataclasses import replace

import pytest
from named import NAMED, NAMES

from irollan_env import Action, ValleyMap, World, generate_towns, generate_valley
from irollan_env.english import possessive, the, without_numbers
from irollan_env.map.drawn import draw_valley
from irollan_env.map.json_form import map_from_json, map_to_json
from irollan_env.map.valley_map import DEFAULT_MAP
from irollan_env.naming import kind, owner, whole_name
from irollan_env.random_streams import stream


def called(**changes) -> ValleyMap:
    first, *others = NAMED.residents
    return replace(NAMED, residents=(replace(first, **changes), *others))


@pytest.mark.parametrize(
    ("name", "fault"),
    [
        ("table 77", "looks like"),
        ("Table ７", "looks like"),
        ("food", "looks like"),
        ("Food", "kind of thing, 'food'"),
        ("42", "looks like"),
        ("de Vries", "capital letter"),
        ("Anna's cat", "looks like"),
        ("You", "looks like"),
        ("Public Canteen", "two things"),
        ("AY", "two things"),
        ("Anna: the baker", "contains ':'"),
        ("Anna from Ulm", "contains ' from '"),
        ("Anna in/on Ulm", "contains ' in/on '"),
        ("Anna, Ben", "contains ', '"),
        ("Anna and Ben", "contains ' and '"),
        ('Anna "A" Lee', "contains '\"'"),
        ("Anna (baker)", "contains '\\('"),
        ("{Anna}", "contains '{'"),
        ("Anna\x00", "visible characters"),
        (" Anna", "outer spaces"),
        ("", "visible characters"),
        ("A" * 41, "41 characters"),
    ],
)
def test_names_that_could_be_taken_for_something_else_are_refused(name, fault):
    with pytest.raises(ValueError, match=fault) as error:
        called(name=name)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("changes", [{"pronouns": "she\nher"}, {"language": "x" * 100}, {"display_name": "\x07"}])
def test_what_else_is_said_of_residents_is_one_short_line(changes):
    with pytest.raises(ValueError, match=next(iter(changes))):
        called(**changes)


def test_an_item_is_not_named_like_a_person():
    first, *others = NAMED.items
    with pytest.raises(ValueError, match="name it 'Excalibur 1'"):
        replace(NAMED, items=(replace(first, name="Excalibur"), *others))


def test_all_but_name_and_home_may_be_left_out(tmp_path):
    path = tmp_path / "valley.toml"
    text = DEFAULT_MAP.read_text(encoding="utf-8").replace('display_name = "Eyjafjalla"\n', "")
    text = text.replace('display_name = "Pinecone"', 'pronouns = "she/her"\nlanguage = "Polish"')
    path.write_text('names = ["Anna", "Dr. Li"]\n' + text, encoding="utf-8")
    anna, li, other, *_ = ValleyMap.from_toml(path).residents
    assert (anna.name, anna.home, anna.display_name, anna.pronouns, anna.language) == (
        "Anna", "Anna's Home", "Anna", "", "English",
    )  # fmt: skip
    assert (li.display_name, li.pronouns, li.language, other.name) == ("Dr. Li", "she/her", "Polish", "MD")
    path.write_text(f"names = {[*'ABCDEFG']}\n" + text, encoding="utf-8")
    with pytest.raises(ValueError, match="7 names for 6 residents"):
        ValleyMap.from_toml(path)


def test_drawn_maps_take_names_and_are_else_the_same():
    for make in (
        lambda names: generate_towns(8, towns=2, seed=1, names=names),
        lambda names: generate_valley(6, seed=1, names=names),
        lambda names: draw_valley(stream(1, "test"), names=names),
    ):
        plain, named = make(()), make(NAMES)
        assert [one.name for one in named.residents][:6] == list(NAMES)
        assert [one.rectangle for one in named.areas] == [one.rectangle for one in plain.areas]
        assert [one.on for one in named.items] == [one.on for one in plain.items]
        assert not any(owner(one.name) == plain.residents[0].name for one in (*named.areas, *named.items))


def test_possessives():
    for name in (*NAMES, "James"):
        ends = ("'s", "’s", "'") if name.endswith("s") else ("'s", "’s")
        for end in ends:
            assert (owner(f"{name}{end} clothes 1"), kind(f"{name}{end} clothes 1")) == (name, "clothes")
            assert owner(f"{name}{end} Home") == name
            assert possessive(f"in {name}{end} house", name, "my") == "in my house"
            assert without_numbers(f"go to {name}{end} Home") == f"go to {name}{end} house"
        assert the(name) == name
        assert World(NAMED, 0).map.tables.resident_number.keys() == set(NAMES)


@pytest.mark.parametrize(
    ("text", "name"), [("Hello Dr. Li.", "Dr. Li"), ("你好李雷，", "李雷"), ("(O'Brien)", "O'Brien")]
)
def test_a_name_is_found_as_a_whole_word(text, name):
    assert re.search(whole_name(name), text)
    assert not re.search(whole_name("AY"), "AYE")


@pytest.mark.parametrize("name", NAMES)
def test_who_gets_something_is_whoever_is_no_furniture(name):
    assert Action(f"put food 1 in/on {name}").partner == name
    assert Action(f"put Anna's clothes 1 in/on {name}").item == "Anna's clothes 1"
    assert Action(f"chat with {name}: Hello: you").words == "Hello: you"
    assert Action("put food 1 in/on table 13").partner is None


def test_events_tell_people_from_places():
    world = World(NAMED, 0)
    world.step(dict.fromkeys(NAMES, "go to outside"))
    world.step({"Anna": 'chat with Dr. Li: "Hi."'})
    world.step({"Anna": "leave Dr. Li"}, filtered={"Anna"})
    seen = world.observe("李雷")
    assert [event.describe("李雷", seen.places) for event in seen.events] == [
        "Anna wanted to stop talking with Dr. Li, and was held back."
    ]
    world.step({"Dr. Li": "go to Anna's Home", "O'Brien": "go to Anna's Home"})
    world.step({"Dr. Li": "leave Anna's Home"}, filtered={"Dr. Li"})
    seen = world.observe("O'Brien")
    assert seen.events[-1].describe("O'Brien", seen.places) == "Dr. Li wanted to leave Anna's Home, and was held back."


def test_a_client_knows_all_of_it():
    told = map_from_json(map_to_json(called(pronouns="she/her", language="German")))
    assert told.residents[0].pronouns == "she/her"
    assert told == called(pronouns="she/her", language="German")
