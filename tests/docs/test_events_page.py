"""The page about events: its file runs, and its tables have every key."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path

import pytest
from project import DOCS

from evaluation.commands.cli import main
from evaluation.records.run_directory import RunDirectory
from irollan_env.world.mechanics.event_settings import COMPARISONS, WHAT, WHEN, Event

TEXT = (DOCS / "events.md").read_text(encoding="utf-8")


@pytest.mark.usefixtures("no_figures")
def test_its_file_runs(tmp_path: Path) -> None:
    events, until = re.findall(r"```toml\n(.*?)```", TEXT, re.DOTALL)
    (tmp_path / "drought.toml").write_text(events)
    (tmp_path / "until.toml").write_text(until)
    asked = ["run", "--model", "scripted", "--mind", "random", "--steps", "5", "--out", str(tmp_path / "run")]
    assert main([*asked, "--events", str(tmp_path / "drought.toml"), "--config", str(tmp_path / "until.toml")]) == 0
    there = {(one["time"], one["resident"]): one["place"] for one in RunDirectory(tmp_path / "run").records()}
    assert [there[time, "WL"] == "away" for time in range(5)] == [True, True, True, True, False]
    assert [there[time, "ZZ"] == "away" for time in range(5)] == [True, True, True, False, False]
    assert [there[time, "LL"] == "away" for time in range(5)] == [False, False, False, False, True]


def test_its_tables_have_every_key() -> None:
    told = set(re.findall(r"`(\w+)\b", TEXT))
    assert {*WHAT, *WHEN, *COMPARISONS} <= told
    assert {one.name for one in fields(Event)} == {*WHAT, *WHEN, "entry", "name", "muted", "repeat"}  # type: ignore[arg-type]
