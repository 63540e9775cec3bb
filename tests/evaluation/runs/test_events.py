"""Runs with events: the same bytes resumed or not, and what is refused before a run begins."""

from __future__ import annotations

from pathlib import Path

import pytest

from evaluation.commands.cli import main
from evaluation.records.run_directory import RunDirectory
from evaluation.runs import checkpoints

MANY = """
absent = ["WL"]

[[events]]
step = 1
add = { kind = "lantern", where = "AY", count = 2, new = {} }
set.ltrha.parameters.s_max = 9
set.ltrha.rank_by = "company"
set.ltrha.execution_draw = "before"

[[events]]
step = 2
empty = "foodshelf 3"
close = "Public Canteen"
say = { speaker = "town hall", text = "The canteen is closed." }
forget = { resident = "AY", text = "sister" }
remember = { resident = "SG", text = "LL owes me 3 dollars." }

[[events]]
step = 3
leave = "LL"
arrive = { resident = "WL" }

[[events]]
every = 2
add = { kind = "food", where = "table 13", spare = 3 }

[[events]]
step = 4
open = "Public Canteen"
arrive = { resident = "LL", place = "outside" }

[[events]]
when = { things = "food", on = "table 13", at_least = 2 }
remove = "food 2"
"""
IDENTITIES = '[AY]\nmemories = ["LL is my sister.", "I like bread."]\n'


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where a run of many events is, and the same one, stopped after three steps and resumed."""
    path = tmp_path_factory.mktemp("events")
    (path / "many.toml").write_text(MANY)
    (path / "people.toml").write_text(IDENTITIES)
    asked = ["run", "--model", "scripted", "--identities", str(path / "people.toml")]
    asked += ["--events", str(path / "many.toml")]
    assert main([*asked, "--steps", "6", "--out", str(path / "whole")]) == 0
    assert main([*asked, "--steps", "3", "--out", str(path / "resumed")]) == 0
    (path / "many.toml").unlink()  # Nothing of a run reads it again.
    assert main(["resume", str(path / "resumed"), "--steps", "6"]) == 0
    return path


def test_same_bytes_resumed_or_not_and_replayed(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("events.jsonl", "metrics.csv"):
        assert (folder / "resumed" / name).read_bytes() == (folder / "whole" / name).read_bytes()
    assert main(["replay", str(folder / "resumed")]) == 0
    assert capsys.readouterr().out.startswith("identical: 6 steps, 36 records")


def test_who_is_away_takes_no_part(folder: Path) -> None:
    records = RunDirectory(folder / "whole").records()
    away = [(record["time"], record["resident"]) for record in records if record["place"] == "away"]
    assert away == [(0, "WL"), (1, "WL"), (2, "WL"), (3, "LL")]
    gone = [record for record in records if (record["time"], record["resident"]) in away]
    assert all((one["action"], one["calls"], one["outcome"]) == (None, [], "executed") for one in gone)
    moved = {
        (row["time"], row["subject"]): row["value"]
        for row in RunDirectory(folder / "whole").metrics()
        if row["quantity"] == "resources"
    }
    assert moved[2, "WL"] == 1.0
    assert moved[3, "LL"] == moved[2, "LL"]
    assert moved[3, "WL"] != 1.0


def test_settings_of_the_framework_and_memories_change(folder: Path) -> None:
    whole = RunDirectory(folder / "whole")
    shares = {row["time"]: [] for row in whole.metrics()}
    for row in whole.metrics():
        if row["quantity"] == "resources":
            shares[row["time"]].append(row["value"])
    assert max(abs(value - 1) for value in shares[0]) <= 3
    assert max(abs(value - before) for before, value in zip(shares[0], shares[1], strict=True)) > 3
    states = [checkpoints.load(path).society for path in checkpoints.paths(whole.checkpoints_path)]
    told = [
        {name: [one["witnessed"] for one in state["residents"][name]["memory"]["memories"]] for name in ("AY", "SG")}
        for state in states[-1:]
    ]
    assert ["I like bread."] in told[0]["AY"]
    assert ["LL is my sister."] not in told[0]["AY"]
    assert ["LL owes me 3 dollars."] in told[0]["SG"]


def test_a_run_ends_under_a_condition_and_is_finished(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config = tmp_path / "config.toml"
    events = '[[events]]\nstep = 2\nadd = { kind = "food", where = "AY" }'
    (tmp_path / "one.toml").write_text(events)
    config.write_text(
        f'steps = 9\nmodel.name = "scripted"\n[world]\nevents = "{tmp_path / "one.toml"}"\n'
        '[world.until]\nthings = "food"\non = "AY"\nat_least = 1\n'
    )
    out = tmp_path / "run"
    assert main(["run", "--config", str(config), "--out", str(out)]) == 0
    manifest = RunDirectory(out).read_manifest()
    assert (manifest["status"], manifest["steps_done"], manifest["ended"]) == ("finished", 2, "world.until")
    capsys.readouterr()
    assert main(["resume", str(out)]) == 2
    assert "ended" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[[events]\n", "bad.toml has no events"),
        ("events = 3", "begin each with a line [[events]]"),
        ("[[event]]\nstep = 1\nend = true", "did you mean 'events'?"),
        ("[[events]]\nstep = 1\nleave = 'Ll'", "bad.toml: events[1].leave: unknown resident 'Ll'; did you mean 'LL'?"),
        ("[[events]]\nstep = 1\nset.ltrha.rank_bi = 'goals'", "did you mean 'ltrha.rank_by'?"),
        ("[[events]]\nstep = 1\nset.ltrha.rank_by = 'x'", "events[1].set: ltrha.rank_by must be one of"),
        ("[[events]]\nwhen = { things = 'food', above = 0 }\nend = true", "would end before its first step"),
        (
            "[[events]]\nstep = 1\narrive = { resident = 'ZZ', home = 'SG\\'s Home', identity = { nam = 'x' } }",
            "events[1].arrive.identity: unknown key 'nam' of 'ZZ'",
        ),
        ("[[events]]\nstep = 1\nforget = { resident = 'AY', text = 'x' }", "AY has the mind 'random'"),
    ],
)
def test_bad_events_are_refused_before_a_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, expected: str
) -> None:
    file = tmp_path / "bad.toml"
    file.write_text(text.replace("'", '"').replace('\\"', "'"))
    asked = ["run", "--model", "scripted", "--mind", "AY=random", "--events", str(file), "--out", str(tmp_path / "r")]
    assert main(asked) == 2
    error = capsys.readouterr().err
    assert expected.replace("'", '"') in error.replace("'", '"')
    assert error.count("\n") == 1
    assert not (tmp_path / "r").exists()


def test_events_after_the_last_step_are_noted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "late.toml"
    file.write_text('[[events]]\nstep = 7\nleave = "LL"')
    asked = ["run", "--model", "scripted", "--mind", "random", "--steps", "1", "--events", str(file)]
    assert main([*asked, "--out", str(tmp_path / "r")]) == 0
    assert "late.toml: events[1] is at step 7, and the run has 1 steps" in capsys.readouterr().err


BRANCHED = """
[[events]]
step = 3
arrive = { resident = "ZZ", home = "SG's Home", place = "outside", identity = { memories = ["AY is my uncle."] } }
say = { speaker = "LL", text = "Look who comes.", to = "AY" }

[[events]]
when = { people = "outside", above = 0 }
add = { kind = "parcel", where = "ZZ", new = {} }

[[events]]
step = 5
leave = "ZZ"
"""


def test_a_branch_brings_in_what_its_parent_does_not_have(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "more.toml").write_text(BRANCHED)
    asked = ["branch", str(folder / "whole"), "--at", "3", "--events", str(tmp_path / "more.toml")]
    assert main([*asked, "--out", str(tmp_path / "b")]) == 0
    assert main([*asked, "--set", "steps=4", "--out", str(tmp_path / "c")]) == 0
    assert main(["resume", str(tmp_path / "c"), "--steps", "6"]) == 0
    branch, parent = RunDirectory(tmp_path / "b").records(), RunDirectory(folder / "whole").records()
    assert RunDirectory(tmp_path / "c").records() == branch
    assert branch[:18] == parent[:18]
    assert [record["place"] for record in branch if record["resident"] == "ZZ"][::2] == ["outside", "away"]
    first = {record["resident"]: record for record in branch[18:25]}
    assert [one["text"] for one in first["AY"]["messages"] if one["sender"] == "LL"] == ["Look who comes."]
    assert "parcel 1" in [one["name"] for one in first["ZZ"]["percepts"] if one["held"]]
    capsys.readouterr()
    assert main(["replay", str(tmp_path / "c")]) == 0
    assert capsys.readouterr().out.startswith("identical: 6 steps, 39 records")
    last = checkpoints.load(checkpoints.paths(RunDirectory(tmp_path / "c").checkpoints_path)[-1]).society
    assert ["AY is my uncle."] in [one["witnessed"] for one in last["residents"]["ZZ"]["memory"]["memories"]]
    # A branch of the branch knows all three maps.
    assert main(["branch", str(tmp_path / "b"), "--at", "4", "--out", str(tmp_path / "d")]) == 0
    assert RunDirectory(tmp_path / "d").records() == branch


@pytest.mark.parametrize("at", [0, 2])
def test_an_event_at_the_step_of_the_branch_of_a_run_without_events(tmp_path: Path, at: int) -> None:
    (tmp_path / "now.toml").write_text(
        f'[[events]]\nstep = {at}\nadd = {{ kind = "parcel", where = "AY", new = {{}} }}'
    )
    asked = ["--model", "scripted", "--mind", "random", "--steps", "3"]
    assert main(["run", *asked, "--out", str(tmp_path / "run")]) == 0
    options = ["--at", str(at), "--events", str(tmp_path / "now.toml"), "--out", str(tmp_path / "b")]
    assert main(["branch", str(tmp_path / "run"), *options]) == 0
    records = RunDirectory(tmp_path / "b").records()
    first = [any(one["name"] == "parcel 1" for one in record["percepts"]) for record in records[::6]]
    assert first == [time >= at for time in range(3)]
    assert main(["replay", str(tmp_path / "b")]) == 0


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('[[events]]\nstep = 2\nleave = "AY"', "events[1].step is 2, before the branch; give a step from 3 on"),
        ('absent = ["AY"]\n[[events]]\nstep = 4\nend = true', "absent: AY was there"),
        ('[[events]]\nstep = 4\nleave = "ZZ"', "events[1].leave: unknown resident 'ZZ'"),
    ],
)
def test_bad_events_of_a_branch(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, expected: str
) -> None:
    (tmp_path / "bad.toml").write_text(text)
    asked = ["branch", str(folder / "whole"), "--at", "3", "--events", str(tmp_path / "bad.toml")]
    assert main([*asked, "--out", str(tmp_path / "b")]) == 2
    assert expected in capsys.readouterr().err
    assert not (tmp_path / "b").exists()
