"""The commands of docs/ratings.md, one after the other, as a reader would type them."""

import csv
import re
from pathlib import Path

import httpx
import pytest
from project import DOCS
from rating_studies import agree, load, served

from evaluation.commands.cli import main

PAGE = (DOCS / "ratings.md").read_text(encoding="utf-8")


def without_numbers(text):
    return re.sub(r"\d+", "N", text.strip())


@pytest.mark.slow  # It runs the sweep of the page; each command has faster tests of its own.
def test_the_page_from_top_to_bottom(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    # Drawing figures would take most of the time, and is no part of this.
    monkeypatch.setattr("evaluation.report.run_report.write_report", lambda run, *_: run.report_path.touch())
    monkeypatch.setattr("evaluation.sweeps.html_page.write_page", lambda sweep, *_: sweep.report_path)
    commands = "\n".join(re.findall(r"^```sh\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)).split("\n")
    kinds = []
    for command in filter(None, commands):
        program, *words = command.split()
        arguments = [
            path for word in words for path in (sorted(map(str, Path().glob(word))) if "*" in word else [word])
        ]
        assert program == "irollan"
        kinds.append(" ".join(arguments[:2]))
        if arguments[:2] == ["rate", "serve"]:
            study, store = load(tmp_path / arguments[2])
            store.close()
            with served(tmp_path / arguments[2]) as (_, links), httpx.Client(timeout=60) as client:
                for link, packet in zip(links, study.items.values(), strict=True):
                    agree(client, link)
                    for question in packet[0].questions:
                        client.put(f"{link}/1/answers/{question}", json={"value": 4}).raise_for_status()
        else:
            assert main(arguments) == 0
        output = capsys.readouterr()
        if arguments[:2] == ["rate", "prepare"]:
            printed = output.out
            assert "note:" not in output.err
            shown = re.search(r"^```text\n(runs .*?)^```$", PAGE, re.MULTILINE | re.DOTALL).group(1)
            assert without_numbers(printed) == without_numbers(shown)
    assert kinds == ["sweep --set", "rate prepare", "rate serve", "rate export"]
    with Path("ratings.csv").open(newline="") as file:
        table = list(csv.DictReader(file))
    assert len([row for row in table if row["rating"] == "4"]) == len(table) >= 12 * 5
    described = set(re.findall(r"`(\w+)`", "".join(re.findall(r"^\| (`.*?) \|", PAGE, re.MULTILINE))))
    assert set(table[0]) == described
