"""Minds by name."""

import re
from importlib.metadata import EntryPoint

import pytest

from minds import kinds
from minds.mind_specs import DEFAULT, find_kind, listed


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("reat", "unknown mind 'reat': it must be one of itcma-s, .* did you mean 'react'?"),
        ("nowhere:Mind", "the mind 'nowhere:Mind' cannot be imported: ModuleNotFoundError: No module named 'nowhere'"),
        ("odd_minds:Missing", "the mind 'odd_minds:Missing' cannot be imported: AttributeError"),
        ("odd_minds:NoMind", "which has no method act\\(observation\\)"),
        ("a b:c", "a mind of one's own is written module:Class, got 'a b:c'"),
        ("idle:3", "the mind idle takes nothing behind a colon, got 'idle:3'"),
        ("remote", "the mind remote is written remote:URL"),
        ("remote:ftp://x", "the mind remote is written remote:URL"),
        ("remote:http://127.0.0.1:1", "needs the token that .* expects in the environment variable IROLLAN_MIND_TOKEN"),
    ],
)
def test_names_that_stand_for_nothing(name, message, monkeypatch):
    monkeypatch.delenv("IROLLAN_MIND_TOKEN", raising=False)
    with pytest.raises(ValueError, match=message) as told:
        find_kind(name)
    assert "\n" not in str(told.value)


def test_every_name_that_is_listed_can_be_made(monkeypatch):
    monkeypatch.setenv("IROLLAN_MIND_TOKEN", "secret")
    monkeypatch.setattr(kinds, "find_spec", lambda package: package)
    for one in listed():
        if one.name != DEFAULT and not one.package:
            argument = {"remote": ":http://127.0.0.1:1", "company": ":neighbour"}.get(one.name, "")
            assert find_kind(one.name + argument).name == one.name + argument


def test_an_installed_mind_is_found_by_its_entry_point(monkeypatch):
    installed = EntryPoint("mine", "odd_minds:Well", kinds.ENTRY_POINTS)
    monkeypatch.setattr(kinds.metadata, "entry_points", lambda group: [installed] if "minds" in group else [])
    kind = find_kind("mine")
    assert kind.in_thread
    assert re.fullmatch("Well", kind.make.__name__)
    assert "mine" in [one.name for one in listed()]


def test_an_installed_mind_does_not_take_the_place_of_one_that_comes_with_the_valley(monkeypatch):
    installed = EntryPoint("idle", "odd_minds:Well", kinds.ENTRY_POINTS)
    monkeypatch.setattr(kinds.metadata, "entry_points", lambda group: [installed])
    assert not find_kind("idle").in_thread


def test_a_class_in_the_directory_that_one_is_in(tmp_path, monkeypatch):
    (tmp_path / "mine_here.py").write_text("class Mine:\n    def act(self, observation):\n        return None\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.path", [path for path in kinds.sys.path if path])
    assert find_kind("mine_here:Mine").in_thread
