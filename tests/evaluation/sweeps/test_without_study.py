"""Tests that the ablation study finds true differences and no others."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from studies.without import MEASURES, differences, main


def lives():
    generator = np.random.default_rng(0)
    rows = []
    for without in ("nothing", "driver", "habitus"):
        for seed in range(8):
            values = dict(zip(MEASURES, generator.normal(10.0, 1.0, len(MEASURES)), strict=True))
            values["turns"] += 6.0 * (without == "driver")
            rows.append({"mind.ablate": without, "seed": seed, "status": "finished", "steps": 75, "gini": 0.5} | values)
    models = {"model.name": "scripted", "model.embedder": "minilm"}
    return pd.DataFrame(rows).assign(architecture="itcma-s", people=5.0, **models)


def test_a_difference_from_the_whole_life_of_the_same_seed_is_found():
    runs = lives()
    found = differences(runs, ["turns", "places"]).set_index(["without", "measure"])
    samples = {name: group.sort_values("seed")["turns"].to_numpy() for name, group in runs.groupby("mind.ablate")}
    gap = samples["driver"] - samples["nothing"]
    t = gap.mean() / (gap.std(ddof=1) / np.sqrt(len(gap)))
    assert found.loc[("driver", "turns"), "p"] == pytest.approx(2 * stats.t.sf(abs(t), len(gap) - 1))
    # In any order of the runs.
    again = differences(runs.sample(frac=1.0, random_state=1), ["turns", "places"]).set_index(["without", "measure"])
    assert again.loc[("driver", "turns"), "p"] == pytest.approx(found.loc[("driver", "turns"), "p"])
    assert found.loc[("driver", "turns"), "q"] < 0.001
    assert found.loc[("habitus", "turns"), "q"] > 0.05
    assert found.loc[("driver", "turns"), "mean"] == pytest.approx(samples["driver"].mean())
    assert found.loc[("driver", "turns"), "whole"] == pytest.approx(samples["nothing"].mean())


def test_what_does_not_vary_is_passed_over_and_whole_lives_are_needed():
    runs = lives()
    assert set(differences(runs, ["people", "turns"])["measure"]) == {"turns"}
    with pytest.raises(ValueError, match="there must be runs that leave nothing out"):
        differences(runs[runs["mind.ablate"] != "nothing"], ["turns"])
    with pytest.raises(ValueError, match="and runs that leave something out"):
        differences(runs[runs["mind.ablate"] == "nothing"], ["turns"])
    with pytest.raises(ValueError, match="two seeds or more of each group"):
        differences(runs[runs["seed"] == 0], ["turns"])
    with pytest.raises(ValueError, match="of one architecture, got itcma, itcma-s"):
        differences(pd.concat([runs, runs.assign(architecture="itcma")]), ["turns"])
    undefined = runs.assign(gini=runs["gini"].where(runs["mind.ablate"] != "driver"))
    assert set(differences(undefined, ["gini", "turns"])["measure"]) == {"turns"}


def test_what_is_no_such_sweep_is_refused_in_one_line(tmp_path, monkeypatch):
    monkeypatch.setattr("sys.argv", ["without", str(tmp_path)])
    with pytest.raises(SystemExit, match=r"has no runs\.csv"):
        main()
    lives().drop(columns="mind.ablate").to_csv(tmp_path / "runs.csv", index=False)
    with pytest.raises(SystemExit, match="do not say what they leave out"):
        main()
    lives().query("seed == 0").to_csv(tmp_path / "runs.csv", index=False)
    with pytest.raises(SystemExit, match="two seeds or more"):
        main()


def test_the_page_has_what_differs_in_bold(tmp_path, monkeypatch):
    for name in ("tests.csv", "sweep.json"):
        (tmp_path / name).write_text("")
    lives().to_csv(tmp_path / "runs.csv", index=False)
    page = tmp_path / "page.md"
    page.write_text("a\n<!-- made by studies/without.py -->\nold\n<!-- end -->\nb\n")
    monkeypatch.setattr("sys.argv", ["without", str(tmp_path), "--page", str(page), "--keep", str(tmp_path / "kept")])
    main()
    lines = page.read_text().splitlines()
    assert (lines[0], lines[-1]) == ("a", "b")
    column = lines[4].split("|").index(" turns to others ")
    rows = {line.split("|")[1].strip(): line.split("|")[column].strip() for line in lines if line.startswith("| ")}
    assert rows["driver"].startswith("**16.")
    assert not rows["habitus"].startswith("**")
    assert rows["*nothing*"].startswith("10.")
    assert (tmp_path / "kept" / "runs.csv").is_file()
