"""Minds by name."""

import sys
from importlib.metadata import EntryPoint

import pytest
from odd_minds import Well

from minds import find_mind, list_minds, mind_specs
from minds.mind_specs import DEFAULT


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("reat", "did you mean 'react'?"),
        ("nowhere:Mind", "No module named 'nowhere'"),
        ("odd_minds:Missing", "cannot be imported: AttributeError"),
        ("odd_minds:NoMind", "no method act"),
        ("a b:c", "module:Class, got 'a b:c'"),
        ("idle:3", "takes nothing behind a colon"),
        ("remote", "remote:URL"),
        ("remote:ftp://x", "remote:URL"),
        ("remote:http://127.0.0.1:1", "IROLLAN_MIND_TOKEN"),
        (DEFAULT, "itcma_s.make_resident"),
        ("company:neigbour", "did you mean 'neighbour'?"),
        ("piano:without-skill", "did you mean 'skills'?"),
        ("piano:skills", "piano:without-NAME"),
    ],
)
@pytest.mark.parametrize("in_process", [True, False])
def test_a_name_that_stands_for_nothing_is_refused_in_a_line(name, message, in_process, monkeypatch):
    monkeypatch.delenv("IROLLAN_MIND_TOKEN", raising=False)
    with pytest.raises(ValueError) as refused:  # noqa: PT011
        find_mind(name, in_process=in_process)
    assert message in str(refused.value)
    assert "\n" not in str(refused.value)


def test_every_name_that_is_listed_can_be_made(monkeypatch):
    monkeypatch.setenv("IROLLAN_MIND_TOKEN", "secret")
    for one in list_minds():
        if one.source and not one.package:
            argument = {"remote": ":http://127.0.0.1:1", "company": ":neighbour"}.get(one.name, "")
            assert find_mind(one.name + argument).name == one.name + argument
        assert one.to_json().keys() >= {"name", "description", "needs", "argument"}


def test_an_installed_mind_is_found_by_its_entry_point_unless_its_name_is_taken(monkeypatch):
    installed = [EntryPoint(name, "odd_minds:Well", mind_specs.ENTRY_POINTS) for name in ("mine", "idle")]
    monkeypatch.setattr(mind_specs.metadata, "entry_points", lambda group: installed if "minds" in group else [])
    assert find_mind("mine").contained
    assert find_mind("mine", in_process=True).make is Well
    assert "mine" in [one.name for one in list_minds()]
    assert not find_mind("idle").contained


def test_a_class_in_the_working_directory(tmp_path, monkeypatch):
    (tmp_path / "mine_here.py").write_text("class Mine:\n    def act(self, observation):\n        return None\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.path", [path for path in sys.path if path])
    assert find_mind("mine_here:Mine").contained
    assert not find_mind("mine_here:Mine", in_process=True).contained
