"""The commands and the example of docs/statistics.md and docs/judges.md, as a reader would type them."""

import json
import re
from pathlib import Path

import pandas as pd
import pytest
from made_up_ratings import study
from project import DOCS

from evaluation.commands.cli import main
from evaluation.judging.session import MANIFEST, RATINGS, TRANSCRIPT
from evaluation.rating.rating_scale import ATTENTION_CHECK
from evaluation.statistics import paper_table


def blocks(page, language):
    text = (DOCS / page).read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def commands(page):
    return [line.split() for block in blocks(page, "sh") for line in block.splitlines()]


def people():
    frame = study(raters=6, residents=6, dimensions=("exploration", "logicality")).assign(source="people")
    frame = frame[frame["architecture"].isin(["itcma", "itcma-s"])]
    return frame.assign(run=frame["architecture"])


def kind(text):
    return re.sub(r"[\d,]+", "N", text.strip())


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    # Drawing the figures of the two runs would take most of the time, and is no part of this.
    monkeypatch.setattr("evaluation.report.run_report.write_report", lambda *_: None)
    monkeypatch.setattr("evaluation.statistics.power_analysis.SIMULATIONS", 5)


def test_the_page_about_statistics(capsys):
    one = people()
    one = one[one["dimension"] == "exploration"]
    one.to_csv("ratings.csv", index=False)
    judge = one.groupby(["run", "architecture", "resident", "dimension"], as_index=False)["rating"].median()
    judge = judge.assign(rating=judge["rating"].astype(int), rater="judge:model/1", source="judge")
    pd.concat([one, judge]).to_csv("both.csv", index=False)
    paper_table()[["architecture", "dimension", "mean", "se"]].to_csv("table.csv", index=False)
    for program, *arguments in commands("statistics.md"):
        assert program == "irollan"
        assert main(arguments) == 0, capsys.readouterr().err
        assert capsys.readouterr().out
    for example in blocks("statistics.md", "python"):
        exec(compile(example, "docs/statistics.md", "exec"), {})


@pytest.mark.slow  # It makes the two runs of the page; each command has faster tests of its own.
def test_the_page_about_judges(capsys):
    people().to_csv("ratings.csv", index=False)
    for program, *arguments in commands("judges.md"):
        assert program == "irollan"
        if arguments[0] == "anova" and not Path("both.csv").exists():
            judged = pd.read_csv(Path("judged") / RATINGS)
            # A hash does not read, and no draw of it passes its attention checks.
            judged = judged[judged["dimension"] != ATTENTION_CHECK]
            pd.concat([people(), judged]).to_csv("both.csv", index=False)
        assert main(arguments) == 0, capsys.readouterr().err
        printed = capsys.readouterr().out
        if arguments[0] == "judge" and "--people" not in arguments:
            (shown,) = (block for block in blocks("judges.md", "text") if block.startswith("judge  "))
            assert kind(printed) == kind(shown)
        if "--people" in arguments:
            assert "12 trajectories: rank correlation" in printed
    (listed,) = (block for block in blocks("judges.md", "text") if block.startswith("judge.json"))
    assert re.findall(r"^\S+", listed, re.MULTILINE) == [MANIFEST, TRANSCRIPT, RATINGS]
    assert main(["judge", "runs/itcma", "runs/itcma-s", "--model", "scripted", "--out", "judged", "--json"]) == 0
    page = (DOCS / "judges.md").read_text(encoding="utf-8")
    assert set(json.loads(capsys.readouterr().out)) <= set(re.findall(r"`(\w+)`", page))
