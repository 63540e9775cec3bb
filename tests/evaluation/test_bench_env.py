"""``irollan bench env``, at its smallest: what it measures, in which form it says so, and what it refuses."""

import json

import pytest

from evaluation import bench_env
from evaluation.cli import main

NAMES = [
    "TextWorld, a small generated game",
    "6 residents",
    "6 residents / TextWorld",
    "6 residents, each with a task",
    "12 residents in towns",
    "12 residents / 6 residents",
    "6 residents over HTTP",
    "get_state, 6 residents",
    "set_state, 6 residents",
    "copy, 6 residents",
]
GOALS = {"6 residents / TextWorld": 100, "6 residents over HTTP": 2000}
MOST_MILLISECONDS = {"get_state, 6 residents": 1.0, "set_state, 6 residents": 1.0, "copy, 6 residents": 0.5}


@pytest.fixture(autouse=True)
def _without_textworld(monkeypatch: pytest.MonkeyPatch) -> None:
    """As where the extra is not installed: to make a game takes seconds."""
    monkeypatch.setattr(bench_env, "find_spec", lambda name: None)


def test_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "env", "--rounds", "1", "--towns", "12", "--json"]) == 0
    output = capsys.readouterr()
    answer = json.loads(output.out)
    rows = {row["name"]: row for row in answer["measurements"]}
    assert list(rows) == NAMES
    for name, row in rows.items():
        if "TextWorld" in name:
            assert (row["value"], row["reached"]) == (None, None)
            assert "pip install textworld" in row["note"]
        else:
            assert row["value"] > 0
        at_least = name not in MOST_MILLISECONDS
        assert (row["goal"], row["at_least"]) == (GOALS.get(name, MOST_MILLISECONDS.get(name)), at_least)
        if row["value"] is not None and row["goal"] is not None:
            assert row["reached"] == (row["value"] >= row["goal"] if at_least else row["value"] <= row["goal"])
    assert rows["6 residents / TextWorld"]["aim"] == 300
    assert answer["machine"]["rounds"] == 1
    assert "bench env: round 1 of 1\n" in output.err


def test_in_words(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "env", "--rounds", "1", "--towns", "6", "--towns", "12"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == len(NAMES) + 2
    assert any(line.startswith("6 residents over HTTP") and "(goal: >= 2,000; " in line for line in lines)


def test_the_goals_of_the_towns() -> None:
    assert bench_env.TOWNS == {1000: 1 / 2, 10_000: 1 / 3}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [("--rounds 0", "rounds must be at least 1, got 0"), ("--towns 0", "irollan: "), ("--towns 20000", "irollan: ")],
)
def test_wrong_usage(capsys: pytest.CaptureFixture[str], arguments: str, message: str) -> None:
    assert main(["bench", "env", *arguments.split(" ")]) == 2
    assert message in capsys.readouterr().err
