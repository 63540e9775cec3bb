"""``python -m benchmarks env``, at its smallest: what it measures, and in which form it says so."""

import json
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO

import pytest

from benchmarks.__main__ import main
from benchmarks.valley import env

NAMES = [
    "TextWorld, a small generated game",
    "6 residents",
    "6 residents / TextWorld",
    "6 residents, each with a task",
    "12 residents in towns",
    "12 residents / 6 residents",
    "12 residents in towns, each with a task",
    "one resident through Gymnasium, five others idle",
    "one resident through Gymnasium, five others scripted",
    "6 residents over HTTP",
    "get_state, 6 residents",
    "set_state, 6 residents",
    "copy, 6 residents",
]
GOALS = {
    "12 residents in towns, each with a task": 8000,
    "6 residents / TextWorld": 100,
    "6 residents over HTTP": 2000,
    "one resident through Gymnasium, five others idle": 10_000,
    "one resident through Gymnasium, five others scripted": 10_000,
}
MOST_MILLISECONDS = {"get_state, 6 residents": 1.0, "set_state, 6 residents": 1.0, "copy, 6 residents": 0.5}


@pytest.fixture(scope="module")
def printed():
    """What one run prints, as where TextWorld is not installed: to make a game takes seconds."""
    out, err = StringIO(), StringIO()
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(out), redirect_stderr(err):
        patch.setattr(env, "find_spec", lambda name: None)
        patch.setattr(env, "STEPS", dict.fromkeys(env.STEPS, 10))
        patch.setattr(env, "TOWN_AGENT_STEPS", 60)
        patch.setattr(env, "REPEATS", 5)
        patch.setattr(env, "BUSY_TOWNS", {12: 8000})
        assert main(["env", "--rounds", "1", "--towns", "12", "--json"]) == 0
    return out.getvalue(), err.getvalue()


# Every kind of environment is stepped for real.
@pytest.mark.slow
def test_as_json(printed):
    out, err = printed
    answer = json.loads(out)
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
    assert "env: round 1 of 1\n" in err
