"""A society on a server with an OpenAI-compatible address: one that trims its answers, as chat servers do."""

from __future__ import annotations

import json

import pytest
from society_answers import answer
from stand_in import chat

from evaluation.commands.cli import main
from evaluation.records.run_directory import RunDirectory


@pytest.fixture
def usage():
    """What the server counts."""
    return {"prompt_tokens": 10, "completion_tokens": 5}


@pytest.fixture
def address(server, usage):
    server.answers = [lambda path, body: {**chat(answer(body)), "usage": usage}]
    return f"openai:{server.url}#qwen"


def asked(server):
    return [body for _, _, body in server.requests]


def test_a_society_is_led_by_a_server(server, address, tmp_path):
    assert main(["run", "--model", address, "--embedder", "hash", "--steps", "4", "--out", str(tmp_path)]) == 0
    records = RunDirectory(tmp_path).records()
    assert [record["failure"] for record in records if record["failure"] is not None] == []
    assert {record["thought"] for record in records} == {"I wonder about thought."}
    leading = [body for body in asked(server) if "You can:" in body["messages"][-1]["content"]]
    assert len(leading) == len(records) == 24
    assert all("thought" in body["response_format"]["json_schema"]["schema"]["properties"] for body in leading)


def test_a_society_lives_on_a_server(address, tmp_path):
    given = ["--deliberation", "similarity", "--embedder", "hash", "--steps", "4", "--out", str(tmp_path)]
    assert main(["run", "--model", address, *given]) == 0
    records = RunDirectory(tmp_path).records()
    assert len(records) == 24
    assert [record["failure"] for record in records if record["failure"] is not None] == []
    assert {record["thought"] for record in records} == {"I wonder who lives here."}
    expected = [sentence for record in records for sentence in record["protention"].values()]
    assert any("There may be Rows of shelves with books, and a few quiet tables" in sentence for sentence in expected)
    said = [record["action"] for record in records if record["action"].startswith("chat with")]
    assert said
    assert all("Good day, neighbour." in action for action in said)


@pytest.mark.parametrize("usage", [{}])
@pytest.mark.parametrize("limit", ["--max-tokens", "--max-cost"])
def test_a_limit_cannot_be_kept_where_the_server_reports_no_tokens(address, tmp_path, capsys, limit):
    prices, path = tmp_path / "prices.toml", tmp_path / "run"
    prices.write_text("[models.qwen]\nprompt = 1\ngenerated = 1\n")
    arguments = ["--embedder", "hash", "--steps", "2", "--prices", str(prices), limit, "1000000", "--out", str(path)]
    assert main(["run", "--model", address, *arguments]) == 1
    assert capsys.readouterr().err.splitlines()[-1] == (
        f"irollan: stopped after step 1 of 2: the server of {address} reports no tokens, so that no limit on them or "
        f"their cost can be kept; resume without: irollan resume {path} --no-limits"
    )
    assert main(["resume", str(path)]) == 1
    assert RunDirectory(path).read_manifest()["steps_done"] == 1
    assert main(["resume", str(path), "--no-limits"]) == 0


def test_what_a_server_says_in_its_refusal_does_not_steer_the_terminal(server, tmp_path, capsys):
    server.answers = [(400, {}, b"\x1b]0;PWNED\x07\x1b[31mno \xe2\x80\xaemodel")]
    arguments = ["--embedder", "hash", "--steps", "1", "--out", str(tmp_path / "run")]
    assert main(["run", "--model", f"openai:{server.url}#qwen", *arguments]) == 1
    told = capsys.readouterr().err
    assert "status 400: \ufffd]0;PWNED\ufffd\ufffd[31mno \ufffdmodel" in told
    assert all(line.isprintable() for line in told.splitlines())


@pytest.mark.usefixtures("with_page")
@pytest.mark.parametrize("usage", [{}, {"total_tokens": 7}])
def test_what_a_server_does_not_count_is_told_without_a_limit_too(address, tmp_path, capsys):
    told = f"tokens of {address} are not counted: its server reports none"
    assert main(["run", "--model", address, "--embedder", "hash", "--steps", "1", "--out", str(tmp_path)]) == 0
    assert f"irollan: {told}" in capsys.readouterr().err.splitlines()
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert f" T{told[1:]}.</dd>" in page
    assert f"What is missing in these numbers: {told}." in page
    assert "tokens a resident and step, as far as they are counted" in page
    assert "cost nothing" not in page
    assert f"T{told[1:]}." in (tmp_path / "view.html").read_text(encoding="utf-8")


def test_a_server_that_counts_is_not_said_to_be_silent(address, tmp_path, capsys):
    arguments = ["--embedder", "hash", "--steps", "1", "--json", "--out", str(tmp_path)]
    assert main(["run", "--model", address, *arguments]) == 0
    found = capsys.readouterr()
    assert "not counted" not in found.err
    assert json.loads(found.out)["uncounted"] == []
