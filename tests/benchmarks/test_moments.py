"""The sheet of moments: what a reader is told of each, and that the key alone says which run it is of."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from benchmarks.mind.moments import command, moments, told


def record(time: int, resident: str, action: str | None, **more: Any) -> dict[str, Any]:
    return {
        "time": time,
        "resident": resident,
        "place": "Public Canteen",
        "percepts": [
            {"name": "SG", "kind": "person", "held": False, "on": None},
            {"name": "food 1", "kind": "item", "held": False, "on": "table 2"},
            {"name": "book 1", "kind": "item", "held": True, "on": None},
        ],
        "messages": [],
        "goal": "eat",
        "thought": "I am hungry.",
        "action": action,
        "outcome": "executed",
        **more,
    }


LIFE = [
    record(1, "SG", 'chat with LL: "Too old to be told."', place="outside"),
    record(5, "SG", "chat with LL: Are you hungry?"),
    record(5, "AY", "chat with SG: Never said.", outcome="filtered"),
    record(6, "LL", "chat with SG: Yes.", messages=[{"sender": "WM", "addressee": "LL", "text": "Good day."}]),
    record(6, "AY", "take food 1 from table 2"),
    record(6, "MD", None, thought=""),
]


def test_a_moment_has_what_was_there_and_said() -> None:
    assert told(LIFE[3], LIFE) == (
        "LL is in Public Canteen with SG. Things: food 1 on table 2. It holds: book 1.\n"
        'SG said to LL: "Are you hungry?"\n'
        'WM said to LL: "Good day."\n'
        "LL wants to: eat\n"
        "=> LL thinks: I am hungry.\n"
        "=> LL does: chat with SG: Yes."
    )


def test_moments_have_a_thought_and_are_talk_or_not() -> None:
    assert [one.talk for one in moments("run", LIFE)] == [True, True, True, False]


def test_the_sheet_does_not_say_which_run_a_moment_is_of(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("alpha", "beta"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "events.jsonl").write_text("".join(json.dumps(one) + "\n" for one in LIFE), "utf-8")
    command([tmp_path / "alpha", tmp_path / "beta"], tmp_path / "sheet", talks=2, deeds=1)
    sheet = (tmp_path / "sheet" / "moments.txt").read_text("utf-8")
    key = json.loads((tmp_path / "sheet" / "key.json").read_text("utf-8"))
    assert "alpha" not in sheet
    assert sheet.count("## ") == len(key) == 6
    assert sorted((Path(one["run"]).name, one["talk"]) for one in key) == [
        (name, talk) for name in ("alpha", "beta") for talk in (False, True, True)
    ]
    assert "6 moments" in capsys.readouterr().out
