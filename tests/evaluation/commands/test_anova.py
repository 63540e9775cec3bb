"""irollan anova as a user calls it, and its report."""

import errno
import json
import re
from functools import cache
from importlib.resources import files

import numpy as np
import pandas as pd
import pytest
from made_up_ratings import one_each, study
from project import DOCS

from evaluation import statistics
from evaluation.commands.cli import main
from evaluation.statistics.mixed_models import FALSE_WITH_ONE_RUN
from evaluation.statistics.wording import not_found

KEYS = {
    "dimension",
    "levene",
    "test",
    "statistic",
    "df1",
    "df2",
    "p",
    "welch",
    "brown_forsythe",
    "omega_squared",
    "pairs",
}
PAIR_KEYS = {"a", "b", "difference", "se", "low", "high", "p", "hedges_g", "method"}
paper_anova = cache(statistics.paper_anova)
SCRIPT = "<script>alert(1)</script>"


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("evaluation.statistics.power_analysis.SIMULATIONS", 10)
    monkeypatch.setattr(statistics, "paper_anova", paper_anova)  # Takes a second, and is always the same.
    return tmp_path


def answer(capsys, *arguments):
    assert main(["anova", *arguments, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_the_keys_of_the_answer(here, capsys):
    study(raters=12, residents=2, dimensions=("consistency", "exploration")).to_csv("ratings.csv", index=False)
    results = answer(capsys, "ratings.csv", "--power", "30")
    assert [result["dimension"] for result in results] == ["consistency", "exploration"]
    for result in results:
        assert set(result) >= KEYS
        assert set(result["levene"]) == {"statistic", "df1", "df2", "p"}
        assert len(result["pairs"]) == 10
        assert all(set(pair) >= PAIR_KEYS for pair in result["pairs"])
        method = {"anova": "dunn-sidak", "brown-forsythe": "games-howell"}[result["test"]]
        assert {pair["method"] for pair in result["pairs"]} == {method}
        assert (result["test"] == "anova") == (result["levene"]["p"] >= 0.05)
        decided = result["anova" if result["test"] == "anova" else "brown_forsythe"]
        assert {key: result[key] for key in ("statistic", "df1", "df2", "p")} == decided
        assert len(result["agreement"]["icc"]) == 6
        assert "rated several architectures" in result["notes"][0]
        assert result["mixed_model"]["converged"]
        assert result["ordinal_model"]["converged"]
        assert result["power"]["raters"] == 30


def test_the_keys_are_documented(here, capsys):
    study(raters=12, residents=2, dimensions=("exploration",)).to_csv("ratings.csv", index=False)
    page = (DOCS / "statistics.md").read_text(encoding="utf-8")
    listed = set(re.findall(r"`(\w+)`", page.partition("## The JSON")[2].partition("\n## ")[0]))

    def keys(value):
        if isinstance(value, dict):
            return set(value).union(*(keys(one) for one in value.values()))
        return set().union(*(keys(one) for one in value)) if isinstance(value, list) else set()

    found = keys(answer(capsys, "ratings.csv", "--power", "30")) | keys(answer(capsys, "--paper"))
    assert found <= listed


def test_who_rates_once_needs_no_model(here, capsys):
    one_each((9, 31, 14, 22, 5)).to_csv("ratings.csv", index=False)
    (result,) = answer(capsys, "ratings.csv")
    assert result["mixed_model"] is None
    assert result["ordinal_model"] is None
    assert result["repeats"] == {"raters": 81, "across": 0, "within": 0}
    assert not any("rated several" in note for note in result["notes"])
    assert result["agreement"]["icc"] == []


def test_levene_decides(here, capsys):
    rng = np.random.default_rng(0)
    alike, apart = rng.integers(3, 6, size=(2, 40)), [rng.integers(4, 6, size=40), rng.choice([1, 7], size=40)]
    rows = []
    for dimension, groups in (("exploration", alike), ("logicality", apart)):
        for name, group in zip(("itcma", "ltrha"), groups, strict=True):
            rows += [(f"{dimension}{name}{i}", "1", name, "AY", dimension, rating) for i, rating in enumerate(group)]
    frame = pd.DataFrame(rows, columns=["rater", "run", "architecture", "resident", "dimension", "rating"])
    frame.to_csv("ratings.csv", index=False)
    results = {result["dimension"]: result for result in answer(capsys, "ratings.csv")}
    assert results["exploration"]["test"] == "anova"
    assert results["logicality"]["test"] == "brown-forsythe"


# Two whole analyses of 48 raters.
@pytest.mark.slow
def test_the_paper_and_its_table_as_a_file_are_the_same(here, capsys):
    papers = answer(capsys, "--paper")
    table = files("evaluation.statistics") / "data" / "paper_table1.csv"
    named = {result["dimension"]: result for result in answer(capsys, "--summary", str(table), "--n", "48")}
    pd.read_csv(str(table)).drop(columns="test").to_csv("table.csv", index=False)
    plain = {result["dimension"]: result for result in answer(capsys, "--summary", "table.csv", "--n", "48")}
    for result in papers:
        one = plain[result["dimension"]]
        assert result["printed"]["statistic"] > 31
        assert named[result["dimension"]] == {**result, "printed": None}
        assert one["levene"] is None
        assert one["test"] == "anova"
        assert "nothing decides" in one["decision"]
        assert [one[key] for key in ("welch", "brown_forsythe")] == [result[key] for key in ("welch", "brown_forsythe")]
        assert {pair["method"] for pair in one["pairs"]} == {"dunn-sidak", "games-howell"}
    standard = {name: round(result["statistic"], 1) for name, result in plain.items()}
    assert standard["exploration"] == 34.2
    assert standard["proactiveness"] == 32.6
    assert any("no 48 whole ratings have a mean of 3.55" in note for note in plain["personification"]["notes"])
    assert sum(len(result["notes"]) for result in plain.values()) == 1


def test_the_page_about_table_1_has_these_numbers(here, capsys):
    page = (DOCS / "statistics.md").read_text(encoding="utf-8")
    for result in answer(capsys, "--paper"):
        values = [result[test]["statistic"] for test in ("anova", "brown_forsythe", "welch")]
        test = {"anova": "standard", "brown-forsythe": "Brown-Forsythe"}[result["test"]]
        cells = [result["dimension"], test, result["printed"]["statistic"], *(f"{value:.2f}" for value in values)]
        assert f"| {' | '.join(map(str, cells))} |" in page


def test_text_for_people(here, capsys):
    assert main(["anova", "--paper"]) == 0
    out = capsys.readouterr().out
    assert "EXPLORATION: Standard ANOVA, F(4, 235) = 34.22, p < .001, ω² = 0.36 [" in out
    assert "Printed in the paper: Standard ANOVA, F = 33.01" in out


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        ([], 2, "give one of RATINGS.csv, --summary TABLE.csv or --paper; see irollan anova --help"),
        (["a.csv", "--paper"], 2, "give one of RATINGS.csv, --summary TABLE.csv or --paper"),
        (["a.csv", "--n", "4"], 2, "--n belongs to --summary TABLE.csv"),
        (["--paper", "--power", "1"], 2, "--power takes a number of raters, at least 2, got 1"),
        (["missing.csv"], 2, "there is no file missing.csv"),
        (["rating.csv"], 2, "there is no file rating.csv; did you mean ratings.csv?"),
        (["--summary", "rating.csv"], 2, "there is no file rating.csv; did you mean ratings.csv?"),
        (["ratings.csv"], 2, "ratings.csv, line 1: no column"),
        (["."], 2, ". is a directory; give the CSV file itself"),
        (["--paper", "--html", "out/report.html"], 2, "there is no folder out to write report.html to; make it"),
        (["--paper", "--html", "."], 2, ". is a directory; give the name of a file"),
    ],
)
def test_wrong_use_is_said_in_one_line(here, capsys, arguments, status, message):
    (here / "ratings.csv").write_text("a,b\n1,2\n", encoding="utf-8")
    assert main(["anova", *arguments]) == status
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1
    assert message in captured.err
    assert [path.name for path in here.iterdir()] == ["ratings.csv"]


def test_a_rating_whose_absence_prevents_the_analysis_is_named(here, capsys):
    (here / "ratings.csv").write_text(
        "rater,run,architecture,resident,dimension,rating\n"
        "a,1,x,AY,exploration,9\nb,1,x,AY,exploration,3\na,2,y,AY,exploration,4\nb,2,y,AY,exploration,5\n"
    )
    assert main(["anova", "ratings.csv"]) == 2
    assert "line 2: rating '9' lies outside 1 to 7" in capsys.readouterr().err


def test_a_report_that_cannot_be_written_is_named(here, capsys, monkeypatch):
    def full(path, data):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("evaluation.statistics.html_page.write_atomically", full)
    assert main(["anova", "--paper", "--html", "report.html"]) == 1
    assert capsys.readouterr().err == "irollan: cannot write report.html: No space left on device\n"
    assert list(here.iterdir()) == []


def test_the_mixed_model_stands_first_where_raters_repeat(here, capsys):
    study(raters=8, residents=2, dimensions=("exploration",)).to_csv("ratings.csv", index=False)
    (result,) = answer(capsys, "ratings.csv", "--html", "report.html")
    assert result["design"]["name"] == "raters and trajectories repeat"
    assert result["lead"]["test"] == "mixed-model"
    assert result["lead"]["holds_for"] == "these runs"
    assert result["lead"]["p"] == result["mixed_model"]["p"]
    assert result["lead"]["pairs"] == result["mixed_model"]["pairs"]
    assert result["plain_valid"] is False
    assert result["p"] == result["anova" if result["test"] == "anova" else "brown_forsythe"]["p"]
    assert main(["anova", "ratings.csv"]) == 0
    shown = capsys.readouterr().out
    page = (here / "report.html").read_text(encoding="utf-8")
    for text in (shown, page):
        assert text.index("Mixed model, F(4, ") < text.index("Not valid for this design") < text.index("ω² =")
        assert "holds for these runs" in text
        assert f"{FALSE_WITH_ONE_RUN[0.5]} per cent where" in text.replace("\n", " ")


def test_the_next_study_is_planned_with_its_runs(here, capsys):
    study(raters=8, residents=2, dimensions=("exploration",)).to_csv("ratings.csv", index=False)
    (result,) = answer(capsys, "ratings.csv", "--power", "6", "--runs", "3")
    plan = result["power"]["next_study"]
    assert (plan["raters"], plan["runs"], plan["residents"]) == (6, 3, 2)
    assert plan["sd_run_assumed"]
    assert plan["power_low"] <= plan["power"] <= plan["power_high"]
    assert plan["power_half"] < plan["power"]
    assert main(["anova", "ratings.csv", "--runs", "3"]) == 2
    assert "--runs and --residents belong to RATINGS.csv --power RATERS" in capsys.readouterr().err


def test_runs_of_a_next_study_are_not_ignored_in_silence(here, capsys):
    one_each((6, 6)).to_csv("ratings.csv", index=False)
    (planned,) = answer(capsys, "ratings.csv", "--power", "6", "--runs", "3")
    (without,) = answer(capsys, "ratings.csv", "--power", "6")
    assert any("planned by raters alone" in note for note in planned["notes"])
    assert not any("planned by raters alone" in note for note in without["notes"])


def test_one_rater_is_one(here, capsys):
    study(raters=1, residents=2, dimensions=("exploration",)).to_csv("ratings.csv", index=False)
    assert main(["anova", "ratings.csv"]) == 0
    shown = capsys.readouterr().out
    assert "by people (1 rater)" in shown
    assert "There is 1 rater, and it takes 5" in shown


def test_many_rows_are_told_of(here, capsys, monkeypatch):
    monkeypatch.setattr("evaluation.statistics.csv_table.ROWS_A_REPORT", 20)
    monkeypatch.setattr("evaluation.statistics.anova_results.MANY", 40)
    study(raters=5, residents=2, dimensions=("exploration",)).to_csv("ratings.csv", index=False)
    assert main(["anova", "ratings.csv"]) == 0
    assert capsys.readouterr().err == ("irollan: 20 rows read\nirollan: 40 rows read\nirollan: analysing exploration\n")


def test_what_is_left_out_is_said(here, capsys):
    frame = study(raters=3, residents=2, dimensions=("exploration",))
    frame.loc[[0, 1, 2, 9], "rating"] = 8
    frame.to_csv("ratings.csv", index=False)
    assert main(["anova", "ratings.csv"]) == 0
    assert "irollan: lines 2-4, 11 left out: rating '8' lies outside 1 to 7" in capsys.readouterr().err


def test_the_report_stands_alone_and_escapes_what_people_wrote(here, capsys):
    frame = study(raters=12, residents=2, dimensions=("exploration", SCRIPT)).astype({"rating": object})
    for column in ("rater", "architecture", "resident"):
        frame[column] = frame[column].replace({"r03": SCRIPT, "driver": f"driver{SCRIPT}", "SG": SCRIPT})
    frame["comment"] = ""
    frame.loc[[0, 5], "comment"] = f"{SCRIPT} lively"
    frame.loc[7, "rating"] = SCRIPT
    frame.to_csv("ratings.csv", index=False)
    assert main(["anova", "ratings.csv", "--html", "report.html", "--power", "20"]) == 0
    page = (here / "report.html").read_text(encoding="utf-8")
    assert "<script" not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt; lively" in page
    assert set(re.findall(r"""(?:src|href)=["']?(.)""", page)) == {"#"}
    assert page.count("<svg") == 6  # Each wide, and narrow for a phone.
    ids = re.findall(r'\bid="([^"]+)"', page)
    assert len(ids) == len(set(ids))


def test_pairs_not_found_to_differ_are_named_in_few_words():
    def pairs(*p):
        return pd.DataFrame({"a": list("aab"), "b": list("bcc"), "p": p, "method": "dunn-sidak"})

    assert not_found(pairs(0.01, 0.01, 0.01)) == "none"
    assert not_found(pairs(0.01, 0.2, 0.01)) == "a and c"
    assert not_found(pairs(0.2, 0.01, 0.2)) == "all but a and c"
    assert not_found(pairs(0.2, 0.2, np.nan)) == "all"
    assert not_found(pairs(0.2, 0.2, 0.2).iloc[:0]) == "–"


def test_names_cannot_steer_the_terminal(here, capsys):
    frame = study(raters=3, residents=2, dimensions=("exploration",)).replace({"driver": "driver\x1b[2J"})
    frame.to_csv("ratings.csv", index=False)
    assert main(["anova", "ratings.csv"]) == 0
    assert "\x1b" not in "".join(capsys.readouterr())
