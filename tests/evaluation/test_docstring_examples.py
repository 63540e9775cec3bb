"""The examples in the docstrings of the front doors run as they stand."""

import doctest
import importlib

import pytest
from made_up_runs import made_up_run
from social_scenes import clique_around


@pytest.mark.parametrize(
    "module",
    [
        "evaluation.measures.table",
        "evaluation.social.structure",
        "evaluation.statistics.anova_results",
    ],
)
def test_examples_run(tmp_path, monkeypatch, module):
    run = tmp_path / "runs" / "mine"
    made_up_run(run, clique_around("LL", ("SG", "LL", "WM", "AY"), steps=30))
    monkeypatch.chdir(tmp_path)
    found = doctest.testmod(importlib.import_module(module), optionflags=doctest.ELLIPSIS)
    assert found.attempted > 2
    assert found.failed == 0
