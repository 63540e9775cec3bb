"""``python -m benchmarks models``, at its smallest: what it measures, and in which form it says so."""

import json

import pytest
from configs import run_config

from benchmarks.__main__ import main
from benchmarks.models import models, recording, serving
from benchmarks.models.kills import REPORTING


@pytest.fixture
def _small(monkeypatch):
    monkeypatch.setattr(models, "STEPS", 2)
    monkeypatch.setattr(models, "SCRIPTED", run_config(model="scripted", embedder="hash", steps=2))
    monkeypatch.setattr(serving, "ROUNDS", 1)
    monkeypatch.setattr(recording, "TURNS", 1)
    monkeypatch.setattr(REPORTING, lambda *_: None)


# Two servers in processes of their own, one of which takes 0.2 s an answer.
@pytest.mark.slow
@pytest.mark.usefixtures("_small")
def test_as_json(capsys):
    parts = [word for part in ("server", "recording", "replay") for word in ("--part", part)]
    assert main(["models", *parts, "--json"]) == 0
    rows = {row["name"]: row for row in json.loads(capsys.readouterr().out)["measurements"]}
    assert sum(row["goal"] is not None for row in rows.values()) == 6
    assert not any(row["at_least"] for row in rows.values() if row["goal"] is not None)
    assert rows["step of 64 residents, 200 ms server, choices by schema / ideal"]["value"] >= 1
    assert rows["64 calls at once / ideal"]["value"] >= 1
    assert rows["calls that the server sent away"]["value"] == 0
    assert 0 < rows["recording / time of a scripted run"]["value"] < 50
    assert rows["recording one call"]["value"] > 0
