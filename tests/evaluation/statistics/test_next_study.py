"""The power of a next study by simulation."""

import pandas as pd

from evaluation.statistics.power_analysis import ASSUMED_RUN_SD, next_study


def model(**changes):
    means = pd.DataFrame({"architecture": ["itcma", "ltrha", "driver"], "mean": [3.6, 4.0, 4.4]})
    sds = {"sd_rater": 0.5, "sd_rater_architecture": 0.3, "sd_run": None, "sd_trajectory": 0.3, "sd_residual": 1.0}
    return {"means": means, **sds, **changes}


def power(found, **size):
    return next_study(found, **{"raters": 8, "runs": 3, "residents": 3, "simulations": 12, **size})


def test_more_runs_find_more_and_raters_alone_do_not():
    spread = model(sd_run=0.4)
    few, raters, runs = power(spread), power(spread, raters=16), power(spread, runs=8, raters=16)
    assert runs["power"] > few["power"] + 0.2
    assert runs["power"] > raters["power"] + 0.2


def test_runs_that_nobody_knows_of_are_assumed_to_differ_where_there_are_several():
    several, one = power(model()), power(model(), runs=1)
    assert several["sd_run"] == ASSUMED_RUN_SD
    assert several["sd_run_assumed"]
    assert one["sd_run"] == 0
    assert not one["sd_run_assumed"]


def test_a_study_that_tests_nothing_has_no_power():
    assert power(model(), raters=4) is None
    assert power(model(), runs=1, residents=1) is None
