"""The examples in docstrings run as they stand, and what the packages export is there."""

import doctest
import importlib
import re

import pytest
from made_up_runs import made_up_run
from project import ROOT
from social_scenes import clique_around

PACKAGES = ("irollan_env", "language_models", "itcma_s", "ltrha", "minds", "evaluation")
EXAMPLES = [
    path.relative_to(ROOT).with_suffix("").as_posix().replace("/", ".").removesuffix(".__init__")
    for package in PACKAGES
    for path in sorted((ROOT / package).rglob("*.py"))
    if re.search(r"^ +>>> ", path.read_text(encoding="utf-8"), re.MULTILINE)
]


@pytest.mark.parametrize("package", PACKAGES)
def test_what_is_exported_is_there(package):
    root = importlib.import_module(package)
    assert [name for name in root.__all__ if not hasattr(root, name)] == []
    assert not hasattr(root, "no_such_thing")


@pytest.mark.usefixtures("no_figures")
@pytest.mark.parametrize("module", EXAMPLES)
def test_examples_run(tmp_path, monkeypatch, module):
    made_up_run(tmp_path / "runs" / "mine", clique_around("LL", ("SG", "LL", "WM", "AY"), steps=30))
    monkeypatch.chdir(tmp_path)
    found = doctest.testmod(importlib.import_module(module), optionflags=doctest.ELLIPSIS)
    assert found.attempted
    assert not found.failed
