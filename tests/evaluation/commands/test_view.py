"""``irollan view`` and ``irollan run --view``: a file, a link, a run that is the same whether somebody looks or not."""

import json
import re
import signal
import subprocess
import sys
import urllib.request

import pytest
from viewed import copy_of_life

from evaluation.commands.cli import main

QUICK = ("--model", "scripted", "--steps", "3", "--seed", "4")


def test_a_run_as_one_file(tmp_path, capsys):
    run = copy_of_life(tmp_path / "life", steps=8)
    before = {path.name: path.read_bytes() for path in run.path.iterdir()}
    out = tmp_path / "page.html"
    assert main(["view", str(run.path), "--out", str(out)]) == 0
    assert capsys.readouterr().out == f"{out}\n"
    assert "A society in IrollanValley" in out.read_text(encoding="utf-8")
    assert '"findings":[["Who leads","' in out.read_text(encoding="utf-8")
    assert {path.name: path.read_bytes() for path in run.path.iterdir()} == before


def test_two_runs_and_json(tmp_path, capsys):
    one, other = copy_of_life(tmp_path / "one", steps=2), copy_of_life(tmp_path / "other", steps=2)
    out = tmp_path / "page.html"
    assert main(["view", str(one.path), str(other.path), "--out", str(out), "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"page": str(out)}
    assert '"name":"other"' in out.read_text(encoding="utf-8")


@pytest.mark.parametrize("arguments", [["nowhere"], ["nowhere", "--out", "page.html"]])
def test_no_run_is_one_line(tmp_path, monkeypatch, capsys, arguments):
    monkeypatch.chdir(tmp_path)
    assert main(["view", *arguments]) == 2
    assert capsys.readouterr().err.startswith("irollan: there is no run directory nowhere")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("out", "reason"),
    [("folder", "folder is a directory; give the name of a file"), ("no/page.html", "there is no folder no to write")],
)
def test_a_page_that_cannot_be_written_is_refused_at_once(tmp_path, monkeypatch, capsys, out, reason):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    run = copy_of_life(tmp_path / "life", steps=2)
    assert main(["view", str(run.path), "--out", out]) == 2
    assert capsys.readouterr().err.startswith(f"irollan: {reason}")


def test_the_name_of_a_run_does_not_act_on_the_terminal(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("uvicorn.Server.run", lambda *_, **__: None)
    name = "r\x1b[31m\u202e\x9bun"
    assert main(["run", "--model", "scripted", "--steps", "1", "--out", name]) == 0
    for command in (
        ["view", name],
        ["view", name, "--out", f"{name}.html"],
        ["report", name],
        ["replay", name],
        ["branch", name, "--at", "1", "--out", f"{name}2"],
        ["resume", name, "--steps", "2"],
        ["measures", name],
    ):
        assert main(command) == (2 if command[0] == "branch" else 0), command
    assert main(["resume", f"{name}3"]) == 2
    assert main(["report", name, name]) == 2
    assert not set("".join(capsys.readouterr())) & set("\x1b\u202e\x9b")


# It starts the command and waits for it to end.
@pytest.mark.slow
def test_a_link_that_opens_until_ctrl_c(tmp_path):
    run = copy_of_life(tmp_path / "life", steps=2)
    command = [sys.executable, "-m", "evaluation", "view", str(run.path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        link = process.stdout.readline().strip()
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+/[\w-]{32}/", link)
        with urllib.request.urlopen(link) as answer:
            assert b"A society in IrollanValley" in answer.read()
        for _ in range(2):
            with urllib.request.urlopen(f"{link}findings") as answer:
                assert json.load(answer)[0][0][0] == "Who leads"
        process.send_signal(signal.SIGINT)
        assert process.wait(30) == 0
        said = process.stderr.read().splitlines()
        assert [line.split()[0] for line in said] == ["serving", "testing"]


def test_a_run_is_the_same_whether_somebody_looks_or_not(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["run", *QUICK, "--out", "alone"]) == 0
    assert main(["run", *QUICK, "--out", "seen", "--view"]) == 0
    assert re.search(r"to look on: http://127\.0\.0\.1:\d+/", capsys.readouterr().err)
    for name in ("events.jsonl", "metrics.csv"):
        # But for seconds, which no two runs have in common.
        one, other = ((tmp_path / run / name).read_text(encoding="utf-8") for run in ("alone", "seen"))
        assert timeless(one) == timeless(other)
    one, other = (json.loads((tmp_path / run / "manifest.json").read_bytes()) for run in ("alone", "seen"))
    assert one["configuration"]["effective"] == other["configuration"]["effective"]
    assert {**one["configuration"]["given"], "out": ""} == {**other["configuration"]["given"], "out": ""}


def timeless(text):
    return [line for line in text.splitlines() if not re.search(r",(seconds|waiting),", line)]
