"""A pilot with simulated raters, from runs to findings: it finds what was put in, as often as it claims."""

import json

import pytest
from rating_studies import finished_run
from simulated_raters import Feelings, rate_all

from evaluation.commands.cli import main

MEANS = {"itcma": 3.4, "ltrha": 4.0, "itcma-s": 4.8}


def pilot(folder, capsys, seed):
    """Prepare, rate, export, analyse: the comparison of all pairs by the mixed model, in each dimension."""
    runs = [str(finished_run(folder / f"{name}-{number}", name, steps=2)) for name in MEANS for number in range(4)]
    study, table = str(folder / "study"), str(folder / "ratings.csv")
    prepare = ["rate", "prepare", *runs, "--raters", "12", "--residents", "3", "--seed", str(seed), "--out", study]
    assert main([*prepare, "--json"]) == 0
    planned = json.loads(capsys.readouterr().out)["can_find"]
    rate_all(folder / "study", Feelings(MEANS, seed=seed))
    assert main(["rate", "export", study, "--out", table]) == 0
    assert main(["anova", table, "--json"]) == 0
    output = capsys.readouterr()
    assert "540 ratings by 12 raters, 12 of whom have finished" in output.err
    return planned, [result["mixed_model"] for result in json.loads(output.out)]


def covered(model):
    """Whether the intervals of a dimension, which hold for all pairs together, have all true differences in them."""
    return all(pair["low"] <= MEANS[pair["a"]] - MEANS[pair["b"]] <= pair["high"] for pair in model["pairs"])


def test_a_pilot_from_runs_to_findings(tmp_path, capsys):
    planned, models = pilot(tmp_path, capsys, 0)
    assert len(models) == 5
    assert sum(map(covered, models)) >= 4
    largest = [pair for model in models for pair in model["pairs"] if {pair["a"], pair["b"]} == {"itcma", "itcma-s"}]
    assert all((pair["difference"] > 0) == (pair["a"] == "itcma-s") for pair in largest)
    # The width that was predicted is the one that came.
    expected = sum(pair["se"] for pair in largest) / len(largest)
    assert planned["difference"] == pytest.approx(3.6 * expected, rel=0.35)
