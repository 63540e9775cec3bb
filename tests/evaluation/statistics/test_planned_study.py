import json
from itertools import product

import numpy as np
import pandas as pd
import pytest
from rating_studies import finished_run, small_study

from evaluation.commands.cli import main
from evaluation.rating.study import load_study
from evaluation.statistics.mixed_models import mixed_model
from evaluation.statistics.planned_study import Spread, planned_power, planned_ratings

RESIDENTS = ("AY", "SG", "MD", "WL", "LL", "WM")


def design(raters, architectures=3, runs=1, residents=6):
    """Each rater reads one run of each architecture; runs are dealt in turn."""
    rows = [
        (f"r{rater}", f"a{one}-{rater % runs}", f"a{one}", resident)
        for rater, one, resident in product(range(raters), range(architectures), RESIDENTS[:residents])
    ]
    return pd.DataFrame(rows, columns=["rater", "run", "architecture", "resident"])


def drawn(plan, spread, means, rng):
    """Ratings of a plan, not rounded."""
    felt = plan["architecture"].map(means).to_numpy(dtype=float) + spread.residual * rng.normal(size=len(plan))
    for columns, sd in (
        (["rater"], spread.rater),
        (["rater", "architecture"], spread.taste),
        (["run"], spread.run),
        (["run", "resident"], spread.trajectory),
    ):
        codes = plan.groupby(columns).ngroup().to_numpy()
        felt += sd * rng.normal(size=codes.max() + 1)[codes]
    return plan.assign(rating=felt)


def test_one_run_each_by_the_mean_squares_of_a_balanced_study():
    """The variance of a difference is 2 (trajectories / 6 + taste / 24 + residual / 144), and the rest follows."""
    finds = planned_power(design(24, 5), Spread(rater=0.6, taste=0.4, trajectory=0.5, residual=1.0))
    # Simulated studies of this design came to 33 and 78 per cent.
    assert finds.false_positives[0.25] == pytest.approx(0.31, abs=0.03)
    assert finds.false_positives[0.5] == pytest.approx(0.75, abs=0.04)
    one = planned_power(design(24, 2), Spread(taste=0.4, trajectory=0.5))
    se = np.sqrt(2 * (0.5**2 / 6 + 0.4**2 / 24 + 1 / 144))
    # With two architectures and about 11 degrees of freedom the power is .8 at some 3.1 standard errors.
    assert 2.9 * se < one.difference < 3.3 * se


def test_what_is_predicted_is_what_is_found():
    """The mean of the squared standard errors that the model finds is the one that was predicted, for every design."""
    spread, rng, plan = Spread(), np.random.default_rng(1), design(15, 3, 5, 2)
    finds = planned_power(plan, spread)
    means = {"a0": 4.0, "a1": 4.0, "a2": 4.0 + finds.difference}
    p = []
    for _ in range(16):
        pairs = mixed_model(drawn(plan, spread, means, rng), list(means))["pairs"]
        p += list(pairs[pairs["b"] == "a2"]["p"])
    # The model is a little stricter than it claims: its power may fall short of .8, and not by much.
    assert 0.6 < np.mean(np.array(p) < 0.05) < 0.95


def test_several_runs_are_no_source_of_false_findings():
    finds = planned_power(design(20, 3, 5), Spread())
    assert finds.false_positives == {}
    assert finds.found[0.5] < finds.found[1.0] < 1
    # A run that differs more leaves less to be found.
    assert planned_power(design(20, 3, 5), Spread(run=1.0)).difference > finds.difference


def test_where_nothing_can_be_tested():
    for plan, reason in ((design(10, 1), "there is one architecture"), (design(4, 3), "there are 4 raters")):
        finds = planned_power(plan, Spread())
        assert finds.reason.startswith(reason)
        assert (finds.difference, finds.found) == (None, {})


def test_prepare_plans_the_study_and_takes_standard_deviations(tmp_path, capsys):
    directory = small_study(tmp_path, raters=6, residents=2)
    study, key = load_study(directory)
    plan = planned_ratings(study, key)
    assert (len(plan), set(plan["architecture"]), set(plan["rater"])) == (24, {"itcma", "itcma-s"}, set(study.items))
    runs = [str(finished_run(tmp_path / f"{name}-{n}", name)) for name in ("itcma", "itcma-s") for n in (0, 1)]
    arguments = ["rate", "prepare", *runs, "--raters", "8"]
    assert main([*arguments, "--out", str(tmp_path / "a")]) == 0
    output = capsys.readouterr()
    assert "\ncan find     a difference of " in output.out
    assert "one run of each" not in output.err
    assert main([*arguments, "--out", str(tmp_path / "b"), "--sd", "run=1", "--sd", "taste=0.1", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["can_find"]
    assert found["supposed"] == {"rater": 0.6, "taste": 0.1, "run": 1, "trajectory": 0.5, "residual": 1}
    assert main(["rate", "prepare", runs[0], runs[2], "--raters", "8", "--out", str(tmp_path / "c")]) == 0
    assert "note: there is one run of each architecture" in capsys.readouterr().err


@pytest.mark.parametrize("text", ["run", "run=0", "run=7", "run=nan", "runs=1"])
def test_what_is_no_standard_deviation_is_refused(text):
    with pytest.raises(ValueError, match=f"--sd {text}: expected NAME=POINTS"):
        Spread.parse([text])
