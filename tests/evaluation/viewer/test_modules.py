"""Tests of the page's own files: join order, size, and no conversion of text to markup."""

import re

import pytest

from evaluation.viewer import modules
from evaluation.viewer.modules import ASSETS, joined_modules


def test_each_module_stands_once_and_before_those_that_need_it():
    script = joined_modules()
    for name in ("function h(", "class Life", "class Clock", "class Valley", "class Page"):
        assert script.count(f"\n{name}") == 1
    assert script.index("class Clock") < script.index("class Page")
    assert not re.search(r"^(import|export) ", script, re.MULTILINE)


@pytest.fixture
def own_assets(tmp_path, monkeypatch):
    monkeypatch.setattr(modules, "ASSETS", tmp_path)
    return tmp_path


def test_two_modules_with_a_name_in_common_are_refused(own_assets):
    (own_assets / "a.js").write_text("const SIZE = 1;\n")
    (own_assets / "main.js").write_text('import { other } from "./a.js";\nfunction SIZE() {}\n')
    with pytest.raises(ValueError, match=r"main\.js and a\.js both have 'SIZE'"):
        joined_modules()


def test_an_import_from_elsewhere_is_refused(own_assets):
    (own_assets / "main.js").write_text('import d3 from "https://example.org/d3.js";\n')
    with pytest.raises(ValueError, match="cannot be joined"):
        joined_modules()


def test_the_page_without_its_run_is_small():
    assert sum(len(one.read_bytes()) for one in ASSETS.iterdir()) < 300_000


def test_no_module_makes_markup_of_text():
    for one in ASSETS.iterdir():
        text = one.read_text("utf-8")
        ways = r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|DOMParser|setHTML|srcdoc|\beval\(|new Function|http(?!://www\.w3\.org/2000/svg)"
        assert not re.search(ways, text), one.name


def test_signs_are_drawn_and_none_is_left_to_the_font():
    """Fonts lack symbols and show empty boxes: beside letters there are only signs of punctuation, and arrows."""
    for path in ASSETS.iterdir():
        beside = {sign for sign in path.read_text("utf-8") if not sign.isascii()}
        assert beside <= set("…·–×−→←“”"), path.name
