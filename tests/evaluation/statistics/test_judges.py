"""A judge beside people: agreement as the libraries give it, and tables that must name their source."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from made_up_ratings import study
from scipy import stats

from evaluation.commands.cli import main
from evaluation.statistics import TableError, anova, judge_agreement
from evaluation.statistics.agreement import TRAJECTORY

SCRIPT = "<script>alert(1)</script>"


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def people():
    ratings = study(raters=6, residents=6, dimensions=("exploration",)).assign(source="people")
    return ratings[ratings["architecture"].isin(["itcma", "ltrha", "driver"])].reset_index(drop=True)


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
    assert row["trajectories"] == 18
    assert row["correlation"] == pytest.approx(stats.spearmanr(own, theirs).statistic, abs=1e-12)
    assert row["p"] == pytest.approx(stats.spearmanr(own, theirs).pvalue, rel=1e-6)
    assert row["correlation_low"] < row["correlation"] < row["correlation_high"]
    interval = stats.ttest_rel(own, theirs).confidence_interval()
    assert row["bias"] == pytest.approx((own - theirs).mean(), abs=1e-12)
    assert (row["bias_low"], row["bias_high"]) == pytest.approx((interval.low, interval.high), abs=1e-9)
    table = persons.pivot_table(index=TRAJECTORY, columns="rater", values="rating")
    one = [stats.spearmanr(table[name], table.drop(columns=name).mean(axis=1)).statistic for name in table]
    assert row["person"] == pytest.approx(np.mean(one), abs=1e-12)


def test_a_judge_that_is_always_a_point_higher_ranks_alike_and_is_biased():
    (row,) = judge_agreement(judged(lambda ratings, draw: ratings + 1), people()).to_dict("records")
    assert row["correlation"] == pytest.approx(1)
    assert (row["bias"], row["bias_low"], row["bias_high"]) == pytest.approx((1, 1, 1))
    assert row["icc"] < 0.9


@pytest.mark.parametrize("few", [0, 3])
def test_what_is_not_defined_is_no_number(few):
    judge = judged(lambda ratings, draw: ratings * 0 + 4)
    found = judge_agreement(judge, people()[lambda frame: frame["run"] == "itcma-0"].head(few))
    assert len(found) == (few > 0)
    assert found.filter(["correlation", "icc", "alpha_judge"]).isna().all(axis=None)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda both: both.drop(columns="source"), "line 2"),
        (lambda both: both.assign(source=both["source"].where(both.index != 3)), "line 5"),
        (lambda both: both.assign(source="people"), "'judge:model/1'"),
        (lambda both: both.assign(source="crowd"), "'crowd'"),
        (lambda both: both[108:].drop(columns="source"), "judge"),
        (lambda both: both, "two sources, 108 by people and 54 by judge"),
    ],
)
def test_tables_of_mixed_or_unknown_source_are_refused(change, message):
    with pytest.raises(TableError, match=message):
        anova(change(pd.concat([people(), judged(noisy)], ignore_index=True)))


def test_one_source_of_a_table_with_both():
    both = pd.concat([judged(noisy), people()], ignore_index=True)
    found = {name: anova(both, source=name).results[0] for name in ("people", "judge")}
    assert found["people"].lead.statistic == anova(people()).results[0].lead.statistic
    assert found["people"].lead.statistic != found["judge"].lead.statistic
    assert found["people"].judge_agreement is None
    assert found["judge"].judge_agreement["trajectories"] == 18
    assert found["judge"].notes[0].startswith("these are the ratings of a language model")
    for ratings, source in ((both, "everyone"), (people(), "judge")):
        with pytest.raises(TableError, match=source):
            anova(ratings, source=source)


def test_the_answer_names_its_source(capsys):
    check = {"rater": "judge:model/1", "dimension": "attention-check", "rating": 1, "expected": 2, "source": "judge"}
    pd.concat([people(), judged(noisy), pd.DataFrame([check])]).to_csv("checked.csv", index=False)
    assert main(["anova", "checked.csv", "--source", "people"]) == 0
    assert "attention check" not in capsys.readouterr().err
    assert main(["anova", "checked.csv", "--source", "judge"]) == 0
    assert "failed the attention check" in capsys.readouterr().err
    judge = judged(noisy)
    judge["resident"] = judge["resident"].replace("AY", SCRIPT)
    pd.concat([judge, people()]).to_csv("both.csv", index=False)
    assert main(["anova", "both.csv"]) == 2
    capsys.readouterr()
    assert main(["anova", "both.csv", "--source", "judge", "--html", "page.html"]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("54 ratings by a language model (3 draws)\n")
    page = Path("page.html").read_text(encoding="utf-8")
    assert all("15 trajectories: rank correlation" in text for text in (shown, page))
    assert SCRIPT not in page
