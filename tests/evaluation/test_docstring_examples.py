"""The examples in the docstrings of the front doors run as they stand."""

import doctest
import importlib
import json

import pytest
from social_scenes import clique_around

from evaluation.records.run_directory import RunDirectory


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
    run.mkdir(parents=True)
    records = clique_around("LL", ("SG", "LL", "WM", "AY"), steps=30)
    (run / "events.jsonl").write_text("".join(json.dumps(one) + "\n" for one in records))
    RunDirectory(run).write_manifest({"status": "finished", "steps_done": 30})
    monkeypatch.chdir(tmp_path)
    found = doctest.testmod(importlib.import_module(module), optionflags=doctest.ELLIPSIS)
    assert found.attempted > 2
    assert found.failed == 0
