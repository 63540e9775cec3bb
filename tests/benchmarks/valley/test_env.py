"""``python -m benchmarks env``, at its smallest."""

import json

import pytest

from benchmarks.__main__ import main
from benchmarks.valley import env


# Every kind of environment is stepped for real; without TextWorld, whose games take seconds to make.
@pytest.mark.slow
def test_as_json(monkeypatch, capsys):
    monkeypatch.setattr(env, "find_spec", lambda name: None)
    monkeypatch.setattr(env, "STEPS", dict.fromkeys(env.STEPS, 10))
    monkeypatch.setattr(env, "TOWN_AGENT_STEPS", 60)
    monkeypatch.setattr(env, "REPEATS", 5)
    monkeypatch.setattr(env, "BUSY_TOWNS", {12: 8000})
    assert main(["env", "--rounds", "1", "--towns", "12", "--json"]) == 0
    printed = capsys.readouterr()
    answer = json.loads(printed.out)
    rows = {row["name"]: row for row in answer["measurements"]}
    assert len(rows) == 14
    for name, row in rows.items():
        if "TextWorld" in name:
            assert (row["value"], row["reached"]) == (None, None)
            assert "pip install textworld" in row["note"]
        else:
            assert row["value"] > 0
            assert row["goal"] is None or row["at_least"] == ("state" not in name and "copy" not in name)
    assert rows["6 residents over HTTP"]["goal"] == 2000
    assert rows["get_state, 6 residents"]["goal"] == 1.0
    assert answer["machine"]["rounds"] == 1
    assert "env: round 1 of 1\n" in printed.err
