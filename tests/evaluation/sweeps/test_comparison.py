"""Tests of the comparison of a sweep's runs: statistics and bands against scipy, and a safe page."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from made_up_runs import made_up_manifest
from scipy import stats
from synthetic_run import synthetic_run

from evaluation.measures import MEASURES, actions
from evaluation.records.run_directory import RunDirectory
from evaluation.runs.architectures import ARCHITECTURES
from evaluation.runs.run_config import KEYS
from evaluation.sweeps.comparison import compare_measures
from evaluation.sweeps.curves import QUANTITIES, SCALES, bands, curves_of_run
from evaluation.sweeps.directory import SweepDirectory
from evaluation.sweeps.findings import findings
from evaluation.sweeps.html_page import write_page
from evaluation.sweeps.table import COSTS, OUTCOME

SEEDS = 8


def made_up(seeds=SEEDS, groups=tuple(ARCHITECTURES)):
    """Return a table of runs whose groups differ in the mean of ``places``, and in the spread of ``objects``."""
    rng = np.random.default_rng(3)
    rows = [
        {
            "run": f"{group}-seed{seed}",
            "group": group,
            **dict.fromkeys((*KEYS, *OUTCOME), ""),
            **dict.fromkeys(COSTS, 1.0),
            "uncounted": "",
            "seed": seed,
            "steps": 20,
            "steps_done": 20,
            "status": "finished",
            "places": rng.normal(3 + place, 0.5),
            "objects": rng.normal(10, 1 + 3 * place),
            "people": rng.normal(2, 1),
            "undone": 0.25,
            "gini": rng.uniform() if "ltrha" in group else np.nan,
        }
        for place, group in enumerate(groups)
        for seed in range(seeds)
    ]
    return pd.DataFrame(rows)


def test_tests_are_scipys_and_false_discoveries_are_held_down():
    table = made_up()
    found = compare_measures(table).table.set_index("measure")
    for name in ("places", "people"):
        groups = [own[name].to_numpy() for _, own in table.groupby("group")]
        assert stats.levene(*groups, center="mean").pvalue > 0.05
        expected = stats.f_oneway(*groups)
        assert found.loc[name, "test"] == "anova"
        assert found.loc[name, "statistic"] == pytest.approx(expected.statistic, rel=1e-10)
        assert found.loc[name, "p"] == pytest.approx(expected.pvalue, rel=1e-8)
    assert found.loc["objects", "test"] == "brown-forsythe"
    tested = found["p"].notna()
    assert set(found.index[tested]) == {"places", "objects", "people"}
    expected = stats.false_discovery_control(found.loc[tested, "p"].to_numpy(dtype=float))
    assert found.loc[tested, "q"].to_numpy(dtype=float) == pytest.approx(expected, rel=1e-12)


def test_what_cannot_be_tested_says_why():
    found = compare_measures(made_up()).table.set_index("measure")["why_not"]
    assert found["undone"] == "it does not vary within any group"
    assert found["gini"] == "fewer than two groups have it in two runs or more"
    assert found["places"] == ""


@pytest.mark.slow
def test_rounding_is_no_spread_and_hardly_any_spread_is_much_of_an_effect():
    table = made_up()
    order = table["group"].astype("category").cat.codes
    noise = np.random.default_rng(0).normal(size=len(table))
    table["undone"] = order / 7 + 1e-16 * noise
    table["people"] = order + 1e-7 * noise
    found = compare_measures(table).table.set_index("measure")
    assert found.loc["undone", "why_not"] == "it does not vary within any group"
    effect = found.loc["people", ["omega_squared", "omega_squared_low", "omega_squared_high"]]
    assert list(effect) == pytest.approx([1, 1, 1])


def test_pairs_are_compared_where_groups_differ_and_nowhere_else():
    pairs = compare_measures(made_up()).pairs
    assert set(pairs["measure"]) == {"places"}
    assert len(pairs) == 10
    assert (pairs["method"] == "dunn-sidak").all()


def test_few_runs_are_warned_of():
    two = compare_measures(made_up(seeds=2))
    assert (two.table.loc[two.table["p"].notna(), "test"] == "brown-forsythe").all()
    assert "2 finished runs only" in two.notes[0]
    one = compare_measures(made_up(seeds=1))
    assert one.table["p"].isna().all()
    assert compare_measures(made_up()).notes == ()
    assert compare_measures(made_up(groups=("driver",))).table["p"].isna().all()


def test_bands_are_t_intervals_over_runs():
    values = {0: (1.0, 2.0, 4.0), 1: (3.0, 3.5, 3.0)}
    table = pd.DataFrame(
        [
            {"run": f"r{run}", "group": group, "seed": run, "time": time, "quantity": "driver", "value": value + shift}
            for time, row in values.items()
            for run, value in enumerate(row)
            for group, shift in (("itcma-s", 0.0), ("itcma", 1.0))
        ]
        + [{"run": "x", "group": "driver", "seed": 0, "time": 0, "quantity": "driver", "value": 1.0}]
    )
    found = bands(table).set_index(["group", "time"])
    for time, row in values.items():
        low, high = stats.t.interval(0.95, 2, np.mean(row), stats.sem(row))
        band = found.loc[("itcma-s", time)]
        assert [band["mean"], band["low"], band["high"]] == pytest.approx([np.mean(row), low, high], rel=1e-12)
    assert found.loc[("driver", 0), ["low", "high"]].isna().all()


def test_bands_end_where_their_scale_does():
    table = pd.DataFrame(
        [
            {"run": f"r{run}", "group": "driver", "seed": run, "time": 0, "quantity": quantity, "value": value}
            for quantity, values in {"topic": (0.2, 1.0), "places": (0.0, 1.0), "driver": (0.0, 1.0)}.items()
            for run, value in enumerate(values)
        ]
    )
    found = bands(table).set_index("quantity")
    assert found.loc["topic", ["low", "high"]].tolist() == [-1.0, 1.0]
    assert found.loc["places", "low"] == 0.0
    assert found.loc["places", "high"] > 1.0
    assert found.loc["driver", "low"] < 0.0
    assert set(SCALES) == set(QUANTITIES)


def test_findings_come_first_with_how_sure_they_are():
    table = made_up()
    tests = compare_measures(table)
    said = findings(tests, list(table["group"].unique()))
    found = tests.table[tests.table["q"] < 0.05]
    assert len(found)
    assert f"differ in {len(found)} of {tests.table['q'].notna().sum()} measures" in said[0]
    first = found.sort_values("q", kind="stable").iloc[0]
    means = table.groupby("group")[first["measure"]].mean()
    assert f"({first['measure']})" in said[1]
    assert f" in {means.idxmax()} (p " in said[1]
    one = compare_measures(made_up(groups=("driver",)))
    assert findings(one, ["driver"])[0].startswith("No measure could be tested")
    nothing = replace(tests, table=tests.table.assign(q=tests.table["q"] + 0.06))
    assert findings(nothing, ["a", "b"])[0].startswith("In none of ")


def test_the_page_escapes_what_runs_say(tmp_path):
    table = made_up()
    table.loc[0, "status"], table.loc[0, "reason"] = "failed", "<script>alert(1)</script>"
    table["group"] = table["group"].replace("driver", "driver, model=<script>alert(2)</script>")
    curves = pd.DataFrame(
        [
            {"run": run, "group": group, "seed": 0, "time": time, "quantity": "driver", "value": time + seed / 9}
            for run, group, seed in zip(table["run"], table["group"], table["seed"], strict=True)
            for time in range(3)
        ]
    )
    table["uncounted"] = np.where(table["group"] == "itcma", "openai:http://host/v1#mute", "")
    tests = compare_measures(table[table["status"] == "finished"])
    first = RunDirectory(SweepDirectory(tmp_path).runs_path / str(table.loc[0, "run"]))
    first.path.mkdir(parents=True)
    files = {"adapter/<script>.gguf": "ab" * 32}
    first.write_manifest(made_up_manifest(models={"model": {"name": "smollm2", "sha256": files}}))
    text = write_page(SweepDirectory(tmp_path), table, tests, bands(curves)).read_text(encoding="utf-8")
    assert "<script" not in text
    assert "smollm2 with the adapter &lt;script&gt;.gguf (abababababab)" in text
    assert "&lt;script&gt;alert(1)" in text
    assert "39 of 40" in text
    assert "Tokens of itcma lack those that the server of openai:http://host/v1#mute does not report." in text
    assert text.count("does not report") == 1
    assert text.index('id="findings"') < text.index('id="curves"') < text.index('id="measures"')
    for name in ("places", "undone"):
        assert MEASURES[name].meaning in text
    assert "not tested: it does not vary within any group" in text


def test_the_records_of_a_made_up_society_have_every_curve():
    records, _, _ = synthetic_run(steps=12)
    with_ltrha = curves_of_run(actions(records))
    assert set(with_ltrha["quantity"]) == set(QUANTITIES)
    assert (with_ltrha.groupby("quantity")["time"].count() <= 12).all()
    last = with_ltrha[(with_ltrha["quantity"] == "driver") & (with_ltrha["time"] == 11)]["value"].item()
    assert last == pytest.approx(np.mean([record["driver"] for record in records if record["time"] == 11]))
