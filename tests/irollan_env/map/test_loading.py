"""Maps by name, by rule and from a file, with fewer residents."""

import gymnasium as gym
import pytest

import irollan_env
from irollan_env import ValleyMap, generate_towns, load_map
from irollan_env.map.drawn import draw_valley
from irollan_env.map.loading import MAPS
from irollan_env.map.valley_map import DEFAULT_MAP
from irollan_env.random_streams import make_generator

VALLEY = ValleyMap.default()


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        (None, VALLEY),
        ("irollan_valley", VALLEY),
        (VALLEY, VALLEY),
        (DEFAULT_MAP, VALLEY),
        (str(DEFAULT_MAP), VALLEY),
        ("towns:3", generate_towns(3)),
        ("drawn:7", draw_valley(make_generator(7))),
    ],
)
def test_names_rules_and_files_make_their_maps(name, expected):
    assert load_map(name) == expected


@pytest.mark.parametrize("name", MAPS)
def test_every_named_map_can_be_lived_in_by_a_learner(name):
    env = gym.make("irollan_env:IrollanValley-v0", map=name, others="scripted", disable_env_checker=True)
    env.reset(seed=0)
    assert env.unwrapped.map == load_map(name)
    several = irollan_env.parallel_env(map=name, slots=64)
    several.reset(seed=0)
    assert several.agents == list(load_map(name).tables.residents)


def test_the_first_residents_keep_their_homes_and_the_others_are_not_there():
    fewer = load_map("towns:5", 2)
    assert fewer.residents == generate_towns(5).residents[:2]
    assert fewer.areas == generate_towns(5).areas
    assert list(irollan_env.World(fewer, seed=0).residents) == [one.name for one in fewer.residents]


def test_a_file_that_changed_is_read_again(tmp_path):
    path = tmp_path / "mine.toml"
    text = DEFAULT_MAP.read_text()
    path.write_text(text)
    assert load_map(path).name == "IrollanValley"
    path.write_text(text.replace('name = "IrollanValley"', 'name = "Another Valley"', 1))
    assert load_map(path).name == "Another Valley"


BAD = [
    ("irolan_valley", None, "did you mean 'irollan_valley'"),
    ("town:4", None, "did you mean 'towns:N'"),
    ("xyz", None, "unknown map 'xyz'; give irollan_valley"),
    ("towns:0", None, r"from 1 to 10,000, got '0'"),
    ("towns:10000000", None, r"from 1 to 10,000, got '10000000'"),
    ("towns:two", None, "got 'two'"),
    ("drawn:-1", None, "drawn:SEED needs a whole number from 0"),
    ("min.toml", None, "did you mean 'mine.toml'"),
    ("nowhere/mine.toml", None, "there is no map file"),
    (".", None, "is a directory"),
    ("mine.toml", None, "mine.toml: not a TOML file"),
    ("mine.json", None, "mine.json: map"),
    (None, 0, "got 0"),
    (None, 7, r"at most 6, .* 'IrollanValley' has, got 7; .*towns:N"),
    ("towns:3", 10_000_000, r"at most 3, .*got 10000000; .* up to 10,000"),
]


@pytest.mark.parametrize(("name", "residents", "said"), BAD)
def test_what_is_no_map_is_one_line_with_the_remedy(name, residents, said, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.toml").write_text("name = ")
    (tmp_path / "mine.json").write_text('{"name": "x"}')
    with pytest.raises(ValueError, match=said) as caught:
        load_map(name, residents)
    assert "\n" not in str(caught.value)


def test_a_map_of_another_type_is_refused():
    with pytest.raises(TypeError, match="got dict"):
        load_map({})
