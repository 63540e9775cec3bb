"""``irollan bench tasks``, from its command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from project import DOCS

from evaluation.commands.cli import main

TRANSCRIPTS = DOCS.parent / "benchmarks" / "data" / "transcripts"


@pytest.mark.parametrize("split", ["test_seen", "validation"])
def test_a_split_alone(split: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "tasks", "--agent", "wait", "fetch", "--instances", "1", "--split", split]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[2:] == [f"| `fetch` | {split} | 0% of 1 [0%, 79%] |"]


def test_what_cannot_be_played(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "tasks", "--agent", "reakt"]) == 2
    assert "unknown agent 'reakt'; did you mean 'react'" in capsys.readouterr().err
    assert main(["bench", "tasks", "--agent", "wait", "fetch", "--split", "test_sen"]) == 2
    assert "unknown split 'test_sen'; did you mean 'test_seen'" in capsys.readouterr().err


@pytest.mark.needs_torch
def test_calls_are_recorded_and_replayed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["bench", "tasks", "--agent", "react", "gather", "--split", "test_seen", "--instances", "1", "--json"]
    calls = str(tmp_path / "calls.sqlite")
    assert main([*asked, "--model", "scripted", "--record", calls]) == 0
    recorded = json.loads(capsys.readouterr().out)
    assert main([*asked, "--replay", calls]) == 0
    assert json.loads(capsys.readouterr().out) == recorded


@pytest.mark.needs_torch
def test_a_replay_that_lacks_an_answer_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["bench", "tasks", "--agent", "react", "fetch", "--split", "test_unseen", "--instances", "1"]
    assert main([*asked, "--replay", str(TRANSCRIPTS / "react-deliver.sqlite")]) == 1
    assert "holds no such generate call" in capsys.readouterr().err
