"""The commands of docs/statistics.md, as a reader would type them."""

import re

import pandas as pd
from made_up_ratings import study
from project import DOCS

from evaluation.commands.cli import main
from evaluation.statistics import paper_table

PAGE = (DOCS / "statistics.md").read_text(encoding="utf-8")


def test_the_page_about_statistics(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("evaluation.statistics.power_analysis.SIMULATIONS", 5)
    people = study(raters=6, residents=2, dimensions=("exploration",)).assign(source="people")
    people = people[people["architecture"].isin(["itcma", "ltrha", "driver"])]
    people.to_csv("ratings.csv", index=False)
    judge = people.groupby(["run", "architecture", "resident", "dimension"], as_index=False)["rating"].median()
    judge = judge.assign(rating=judge["rating"].astype(int), rater="judge:model/1", source="judge")
    pd.concat([people, judge]).to_csv("both.csv", index=False)
    means = paper_table().query("dimension == 'exploration'")
    means[["architecture", "dimension", "mean", "se"]].to_csv("table.csv", index=False)
    for command in "".join(re.findall(r"^```sh\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)).splitlines():
        program, *arguments = command.split()
        assert program == "irollan"
        assert main(arguments) == 0, capsys.readouterr().err
        assert capsys.readouterr().out
