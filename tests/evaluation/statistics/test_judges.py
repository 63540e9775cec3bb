"""A judge beside people: agreement as the libraries give it, and a table that never mixes them unsaid."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from made_up_ratings import study
from scipy import stats

from evaluation.commands.cli import main
from evaluation.statistics import TableError, analyse, check_ratings, judge_agreement
from evaluation.statistics.agreement import TRAJECTORY

SCRIPT = "<script>alert(1)</script>"


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def people(**options):
    return study(**{"raters": 6, "residents": 6, "dimensions": ("exploration",), **options}).assign(source="people")


def judged(change, draws=3):
    """A judge whose ratings are made of the mean of people's."""
    means = people().groupby([*TRAJECTORY, "dimension"], as_index=False)["rating"].mean()
    parts = [
        means.assign(rater=f"judge:model/{draw}", rating=change(means["rating"], draw), source="judge")
        for draw in range(1, draws + 1)
    ]
    return pd.concat(parts, ignore_index=True)


def noisy(ratings, draw):
    felt = ratings + 0.5 + np.random.default_rng(draw).normal(size=len(ratings))
    return np.clip(np.round(felt), 1, 7).astype(int)


def test_agreement_is_what_scipy_gives():
    judge, persons = judged(noisy), people()
    (row,) = judge_agreement(judge, persons).to_dict("records")
    theirs = persons.groupby(TRAJECTORY)["rating"].mean()
    own = judge.groupby(TRAJECTORY)["rating"].mean()
    assert row["trajectories"] == 30
    assert row["correlation"] == pytest.approx(stats.spearmanr(own, theirs).statistic, abs=1e-12)
    assert row["p"] == pytest.approx(stats.spearmanr(own, theirs).pvalue, rel=1e-6)
    assert row["correlation_low"] < row["correlation"] < row["correlation_high"]
    interval = stats.ttest_rel(own, theirs).confidence_interval()
    assert row["bias"] == pytest.approx((own - theirs).mean(), abs=1e-12)
    assert (row["bias_low"], row["bias_high"]) == pytest.approx((interval.low, interval.high), abs=1e-9)
    table = persons.pivot_table(index=TRAJECTORY, columns="rater", values="rating")
    one = [stats.spearmanr(table[name], table.drop(columns=name).mean(axis=1)).statistic for name in table]
    assert row["person"] == pytest.approx(np.mean(one), abs=1e-12)
    assert 0.3 < row["alpha_people"] < 0.9
    assert 0.3 < row["alpha_judge"] < 1.0


def test_a_judge_that_is_always_a_point_higher_ranks_alike_and_is_biased():
    (row,) = judge_agreement(judged(lambda ratings, draw: ratings + 1), people()).to_dict("records")
    assert row["correlation"] == pytest.approx(1)
    assert (row["bias"], row["bias_low"], row["bias_high"]) == pytest.approx((1, 1, 1))
    assert row["icc"] < 0.9


def test_a_judge_that_does_not_look_agrees_by_chance_alone():
    blind = judged(lambda ratings, draw: np.random.default_rng(draw).integers(1, 8, len(ratings)))
    (row,) = judge_agreement(blind, people()).to_dict("records")
    assert row["correlation_low"] < 0 < row["correlation_high"]
    assert abs(row["alpha_judge"]) < 0.3


@pytest.mark.parametrize("few", [0, 1, 3])
def test_what_is_not_defined_is_no_number(few):
    judge = judged(lambda ratings, draw: ratings * 0 + 4)
    persons = people().iloc[:0] if few == 0 else people()[lambda frame: frame["run"] == "itcma-0"].head(few)
    found = judge_agreement(judge, persons)
    assert len(found) == (few > 0)
    assert found.filter(["correlation", "icc", "alpha_judge"]).isna().all(axis=None)


def test_tables_that_mix_without_saying_so_are_refused(capsys):
    both = pd.concat([people(), judged(noisy)], ignore_index=True)
    both.drop(columns="source").to_csv("both.csv", index=False)
    assert main(["anova", "both.csv"]) == 2
    assert "line 2: ratings by people and by a language model must not mix unsaid" in capsys.readouterr().err
    both.assign(source=both["source"].where(both.index != 3)).to_csv("both.csv", index=False)
    assert main(["anova", "both.csv"]) == 2
    assert "line 5" in capsys.readouterr().err
    both.assign(source="people").to_csv("both.csv", index=False)
    assert main(["anova", "both.csv"]) == 2
    assert "line 182: rater 'judge:model/1' is a language model, not people" in capsys.readouterr().err
    both.assign(source="crowd").to_csv("both.csv", index=False)
    assert main(["anova", "both.csv"]) == 2
    assert "line 2: source 'crowd' must be one of people, judge" in capsys.readouterr().err
    judged(noisy).drop(columns="source").to_csv("judge.csv", index=False)
    assert main(["anova", "judge.csv"]) == 2


def test_where_both_are_it_must_be_said_which_is_analysed(capsys):
    both = pd.concat([judged(noisy), people()], ignore_index=True)
    both.to_csv("both.csv", index=False)
    assert main(["anova", "both.csv"]) == 2
    assert "two sources, 180 by people and 90 by judge; say which to analyse" in capsys.readouterr().err
    people().to_csv("people.csv", index=False)
    answers = {}
    for name in ("people", "judge"):
        assert main(["anova", "both.csv", "--source", name, "--json"]) == 0
        (answers[name],) = json.loads(capsys.readouterr().out)
        assert answers[name]["source"] == name
    assert main(["anova", "people.csv", "--json"]) == 0
    (alone,) = json.loads(capsys.readouterr().out)
    assert alone["statistic"] == answers["people"]["statistic"] != answers["judge"]["statistic"]
    assert answers["people"]["judge_agreement"] is None
    assert answers["judge"]["judge_agreement"]["trajectories"] == 30
    assert answers["judge"]["notes"][0].startswith("these are the ratings of a language model")
    with pytest.raises(TableError, match="got 'everyone'"):
        analyse(check_ratings(both), source="everyone")
    with pytest.raises(TableError, match="no ratings by judge"):
        analyse(check_ratings(people()), source="judge")
    assert main(["anova", "--paper", "--source", "people"]) == 2


def test_the_answer_says_whose_ratings_they_are(capsys):
    people().drop(columns="source").to_csv("people.csv", index=False)
    assert main(["anova", "people.csv"]) == 0
    assert capsys.readouterr().out.startswith("180 ratings by people (6 raters)\n")
    judge = judged(noisy)
    judge["resident"] = judge["resident"].replace("AY", SCRIPT)
    pd.concat([judge, people()]).to_csv("both.csv", index=False)
    assert main(["anova", "both.csv", "--source", "judge", "--html", "page.html"]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("90 ratings by a language model (3 draws)\n")
    assert "Judge and people: 25 trajectories: rank correlation" in shown
    page = Path("page.html").read_text(encoding="utf-8")
    assert "A language model's ratings" in page.replace("&#39;", "'")
    assert "25 trajectories: rank correlation" in page
    assert SCRIPT not in page
    judge.to_csv("judge.csv", index=False)
    assert main(["anova", "judge.csv"]) == 0
    assert "whether people would agree with it is not known" in capsys.readouterr().out


def test_attention_checks_of_the_other_source_change_nothing(capsys):
    check = {"rater": "judge:model/1", "dimension": "attention-check", "rating": 1, "expected": 2, "source": "judge"}
    both = pd.concat([people(), judged(noisy), pd.DataFrame([check])], ignore_index=True)
    both.to_csv("both.csv", index=False)
    assert main(["anova", "both.csv", "--source", "people", "--json"]) == 0
    output = capsys.readouterr()
    assert json.loads(output.out)[0]["left_out"] == []
    assert output.err == ""
    assert main(["anova", "both.csv", "--source", "judge"]) == 0
    assert "failed the attention check" in capsys.readouterr().err
