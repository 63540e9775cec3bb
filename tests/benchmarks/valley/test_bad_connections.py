"""``python -m benchmarks bad_connections``, at its smallest."""

import json

import pytest

from benchmarks.__main__ import main


def test_an_honest_client_goes_on(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bad_connections", "--connections", "700", "--rounds", "1", "--seconds", "0.3", "--json"]) == 0
    rows = {row["name"]: row for row in json.loads(capsys.readouterr().out)["measurements"]}
    # On a busy machine the end may cut one answer short, and say so; 700 connections say nothing.
    assert rows["what the server said of them"]["value"] < 10_000
    assert rows["beside 700 bad connections"]["value"] > 0
